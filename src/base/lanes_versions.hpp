// Part of lanes.cpp, in versions (base/each_version.hpp).

void combine_rows(const double* rows, std::size_t stride, std::size_t n, const double* weights, double* out) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t j = 0; j < n; j += kBlock) {
    Lanes sums[kBlock / 4];
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

double sum_where(const double* mask, const double* x, std::size_t n) {
  Lanes sums;
  for (std::size_t i = 0; i < n; i += 4) sums += select(lanes(mask + i) > 0.0, lanes(x + i), 0.0);
  return sum_of(sums);
}

void exp_each(double* x, std::size_t n) {
  typedef std::int32_t Integers __attribute__((vector_size(16)));
  typedef std::int64_t LongIntegers __attribute__((vector_size(32)));
  for (std::size_t i = 0; i < n; i += 4) {
    const Lanes given = lanes(x + i);
    const Lanes below =
        select(given <= detail::kExpLargest, given, detail::kExpLargest);  // also where it is NaN
    const Lanes at = select(below >= detail::kExpLeast, below, detail::kExpLeast);
    const Integers power =
        __builtin_convertvector((at * detail::kInvLn2 + select(at < 0.0, -0.5, 0.5)).v, Integers);
    const Lanes scale(__builtin_convertvector(power, Lanes::Vector));
    const Lanes value = detail::exp_series(at - scale * detail::kLn2High, scale * detail::kLn2Low);
    const Integers half_power = power / 2;
    const LongIntegers a = (__builtin_convertvector(half_power, LongIntegers) + 1023) << 52;
    const LongIntegers b = (__builtin_convertvector(power - half_power, LongIntegers) + 1023) << 52;
    const Lanes result =
        value * Lanes(__builtin_bit_cast(Lanes::Vector, a)) * Lanes(__builtin_bit_cast(Lanes::Vector, b));
    const Lanes finite = select(given < detail::kExpLeast, 0.0, result);
    const Lanes number = select(given > detail::kExpLargest, std::numeric_limits<double>::infinity(), finite);
    lanes(x + i) = select(given == given, number, given);
  }
}
