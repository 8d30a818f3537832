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
  for (std::size_t i = 0; i < n; i += 4) {
    const Lanes given = lanes(x + i);
    const Lanes below =
        select(given <= detail::kExpLargest, given, detail::kExpLargest);  // also where it is NaN
    const Lanes at = select(below >= detail::kExpLeast, below, detail::kExpLeast);
    const Lanes power = whole_part(at * detail::kInvLn2 + select(at < 0.0, -0.5, 0.5));
    const Lanes value = detail::exp_series<Lanes>(at - power * detail::kLn2High, power * detail::kLn2Low);
    const Lanes half = whole_part(0.5 * power);
    const Lanes result = value * power_of_two(half) * power_of_two<Lanes>(power - half);
    const Lanes finite = select(given < detail::kExpLeast, 0.0, result);
    const Lanes number = select(given > detail::kExpLargest, kInfinity, finite);
    lanes(x + i) = select(given == given, number, given);
  }
}
