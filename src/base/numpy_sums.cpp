#include "tasfg/base/numpy_sums.hpp"

#include <array>
#include <cmath>

namespace tasfg {
namespace {

/// The first n entries of a row, a multiple of 4, in four lanes, each product fused with its sum or rounded.
template <typename Add>
double four_lanes(const double* a, const double* x, std::size_t n, Add add) {
  std::array<double, 4> lane{};
  for (std::size_t j = 0; j < n; j += 4)
    for (std::size_t k = 0; k < 4; ++k) lane[k] = add(a[j + k], x[j + k], lane[k]);
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

double two_lanes(const double* a, const double* x, std::size_t n) {
  double even = 0.0, odd = 0.0;
  for (std::size_t j = 0; j < n; j += 2) {
    even += a[j] * x[j];
    odd += a[j + 1] * x[j + 1];
  }
  return even + odd;
}

/// The last entries of a row, at most three.
double with_rest(double y, const double* a, const double* x, std::size_t rest) {
  switch (rest) {
    case 1:
      return std::fma(a[0], x[0], y);
    case 2:
      return y + std::fma(a[0], x[0], a[1] * x[1]);
    case 3:
      return y + std::fma(a[2], x[2], std::fma(a[0], x[0], a[1] * x[1]));
    default:
      return y;
  }
}

}  // namespace

double numpy_product(std::span<const double> row, std::size_t i, std::span<const double> x) {
  const auto fused = [](double a, double b, double sum) { return std::fma(a, b, sum); };
  const auto rounded = [](double a, double b, double sum) { return sum + a * b; };
  // The library takes four rows at a time; those that are left have loops of their own.
  const std::size_t K = row.size(), whole = K / 4 * 4, pair_end = K / 2 * 2;
  const double sum = i < whole      ? four_lanes(row.data(), x.data(), whole, fused)
                     : i < pair_end ? two_lanes(row.data(), x.data(), whole)
                                    : four_lanes(row.data(), x.data(), whole, rounded);
  return with_rest(sum, row.data() + whole, x.data() + whole, K - whole);
}

double numpy_sum(std::span<const double> x) {
  constexpr std::size_t kLanes = 8, kMost = 128;
  if (x.size() > kMost) {
    const std::size_t half = x.size() / 2 / kLanes * kLanes;
    return numpy_sum(x.first(half)) + numpy_sum(x.subspan(half));
  }
  std::size_t i = 0;
  double sum = 0.0;
  if (x.size() >= kLanes) {
    std::array<double, kLanes> lane{};
    for (; i + kLanes <= x.size(); i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) lane[k] += x[i + k];
    sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  for (; i < x.size(); ++i) sum += x[i];
  return sum;
}

}  // namespace tasfg
