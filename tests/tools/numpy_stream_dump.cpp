/// Prints draws of NumpyStream for tests/python/test_numpy_stream.py, which makes the same draws with NumPy.
///
/// numpy_stream_dump SEED COUNT: line i holds draw i of the script, whose kind is i modulo 14, as a
/// hexadecimal double. The kinds are interleaved so that a draw that takes a word too many shows at once.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tasfg/base/numpy_stream.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: numpy_stream_dump SEED COUNT\n");
    return 2;
  }
  tasfg::NumpyStream stream(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)));
  const long count = std::strtol(argv[2], nullptr, 10);
  constexpr double kProbabilities[] = {0.0, 1e-6, 0.2, 0.5, 0.7, 1.0, 0x1p-60};
  constexpr double kWeights[] = {0.1, 0.0, 0.25, 0.3, 0.15, 0.2};
  constexpr double kThirds[] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  constexpr double kSure[] = {1.0};
  for (long i = 0; i < count; ++i) {
    const long kind = i % 14;
    double value = 0.0;
    if (kind < 7) {
      value = stream.binomial1(kProbabilities[kind]) ? 1.0 : 0.0;
    } else if (kind == 7) {
      value = stream.uniform();
    } else if (kind == 8 || kind == 10) {  // an odd number of normals a round: the spare one outlives it
      value = stream.normal();
    } else if (kind == 9) {
      value = stream.normal(0.3, 1.7);
    } else if (kind == 11) {
      value = stream.choice(kWeights);
    } else if (kind == 12) {
      value = stream.choice(kThirds);
    } else {
      value = stream.choice(kSure);
    }
    std::printf("%a\n", value);
  }
  return 0;
}
