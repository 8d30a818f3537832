#include "tasfg/base/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tasfg/base/elementary.hpp"

namespace tasfg {

TASFG_VECTOR_CLONES
void combine_rows(const double* rows, std::size_t stride, std::size_t n, const double* weights, double* out) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t j = 0; j < n; j += kBlock) {
    Lanes sums[kBlock / 4] = {};
    const std::size_t count = std::min(kBlock, stride - j) / 4;
    for (std::size_t u = 0; u < n; ++u) {
      const double* row = rows + u * stride + j;
      if (count == kBlock / 4)
        for (std::size_t i = 0; i < kBlock / 4; ++i) sums[i] += weights[u] * lanes(row + 4 * i);
      else
        for (std::size_t i = 0; i < count; ++i) sums[i] += weights[u] * lanes(row + 4 * i);
    }
    for (std::size_t i = 0; i < std::min(kBlock, n - j); ++i) out[j + i] = sums[i / 4][i % 4];
  }
}

TASFG_VECTOR_CLONES
double sum_where(const double* mask, const double* x, std::size_t n) {
  Lanes sums = {};
  for (std::size_t i = 0; i < n; i += 4) sums += lanes(mask + i) > 0.0 ? lanes(x + i) : Lanes{};
  return sum_of(sums);
}

TASFG_VECTOR_CLONES
void exp_each(double* x, std::size_t n) {
  typedef std::int32_t Integers __attribute__((vector_size(16)));
  typedef std::int64_t LongIntegers __attribute__((vector_size(32)));
  const Lanes infinity = Lanes{} + std::numeric_limits<double>::infinity();
  const Lanes half = Lanes{} + 0.5;
  const Lanes largest = Lanes{} + detail::kExpLargest;
  const Lanes least = Lanes{} + detail::kExpLeast;
  for (std::size_t i = 0; i < n; i += 4) {
    const Lanes given = lanes(x + i);
    const Lanes below = given <= detail::kExpLargest ? given : largest;  // also where it is NaN
    const Lanes at = below >= detail::kExpLeast ? below : least;
    const Integers power =
        __builtin_convertvector(at * detail::kInvLn2 + (at < 0.0 ? -half : half), Integers);
    const Lanes scale = __builtin_convertvector(power, Lanes);
    const Lanes high = at - scale * detail::kLn2High;
    const Lanes low = scale * detail::kLn2Low;
    const Lanes value = detail::exp_series(high, low);
    const Integers half_power = power / 2;
    const LongIntegers a = (__builtin_convertvector(half_power, LongIntegers) + 1023) << 52;
    const LongIntegers b = (__builtin_convertvector(power - half_power, LongIntegers) + 1023) << 52;
    const Lanes result = value * __builtin_bit_cast(Lanes, a) * __builtin_bit_cast(Lanes, b);
    const Lanes finite = given < detail::kExpLeast ? Lanes{} : result;
    const Lanes number = given > detail::kExpLargest ? infinity : finite;
    lanes(x + i) = given == given ? number : given;
  }
}

}  // namespace tasfg
