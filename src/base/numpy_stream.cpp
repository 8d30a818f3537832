#include "tasfg/base/numpy_stream.hpp"

#include <cmath>

#include "tasfg/base/contract.hpp"

namespace tasfg {

NumpyBinomial1::NumpyBinomial1(double p) : mirrored_(p > 0.5) {
  TASFG_EXPECT(p >= 0.0 && p <= 1.0);
  const double success = mirrored_ ? 1.0 - p : p;
  const double failure = 1.0 - success;
  zero_mass_ = std::exp(std::log(failure));  // failure^n at n = 1, the way NumPy takes the power
  one_mass_ = success * zero_mass_ / failure;
}

NumpyStream::NumpyStream(std::uint32_t seed) {
  // Knuth's initialisation; NumPy uses it for a scalar seed, and init_by_array for a sequence only.
  state_[0] = seed;
  for (std::uint32_t i = 1; i < kStateWords; ++i) {
    const std::uint32_t previous = state_[i - 1];
    state_[i] = 1812433253U * (previous ^ (previous >> 30)) + i;
  }
}

void NumpyStream::refill() {
  constexpr std::size_t kShift = 397;
  const auto twist = [](std::uint32_t upper, std::uint32_t lower) {
    const std::uint32_t joined = (upper & 0x80000000U) | (lower & 0x7fffffffU);
    return (joined >> 1) ^ ((0U - (joined & 1U)) & 0x9908b0dfU);
  };
  // Split where the index wraps, so that each loop runs over straight memory.
  std::size_t i = 0;
  for (; i < kStateWords - kShift; ++i) state_[i] = state_[i + kShift] ^ twist(state_[i], state_[i + 1]);
  for (; i < kStateWords - 1; ++i)
    state_[i] = state_[i + kShift - kStateWords] ^ twist(state_[i], state_[i + 1]);
  state_[i] = state_[kShift - 1] ^ twist(state_[i], state_[0]);
  for (i = 0; i < kStateWords; ++i) {
    std::uint32_t y = state_[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    output_[i] = y ^ (y >> 18);
  }
  next_ = 0;
}

bool NumpyStream::binomial1(const NumpyBinomial1& law) {
  for (;;) {
    const double u = uniform();
    if (!(u > law.zero_mass_)) return law.mirrored_;
    if (!(u - law.zero_mass_ > law.one_mass_)) return !law.mirrored_;
    // Rounding left a gap above both masses: NumPy's search runs past its bound and starts again.
  }
}

double NumpyStream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  double x = 0.0;
  double y = 0.0;
  double square = 0.0;
  do {
    x = 2.0 * uniform() - 1.0;
    y = 2.0 * uniform() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double scale = std::sqrt(-2.0 * std::log(square) / square);
  spare_normal_ = scale * x;
  has_spare_normal_ = true;
  return scale * y;
}

int NumpyStream::choice(std::span<const double> probabilities) {
  TASFG_EXPECT(!probabilities.empty());
  double total = 0.0;
  for (const double p : probabilities) total += p;
  const double u = uniform();
  // The first entry whose normalised partial sum exceeds u; the last one's is exactly 1.
  double sum = 0.0;
  int index = 0;
  for (const double p : probabilities) {
    sum += p;
    if (sum / total > u) return index;
    ++index;
  }
  return index - 1;  // unreachable for probabilities as required
}

double NumpyStream::log(double x) {
  return std::log(x);
}

}  // namespace tasfg
