/// log, exp and kin that give the same bits on every CPU.
///
/// The C library picks FMA variants at run time, and their last bit differs; a result file must not
/// depend on the node that computed it. These use IEEE +, −, ×, ÷ and exact power-of-two scaling only
/// (the build forbids contraction), so their value is a function of the argument alone. They inline,
/// and their error stays below 1.5 ulp (tests/unit/base/elementary_test.cpp measures it).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tasfg {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();  // 2⁻⁵²

namespace detail {

inline constexpr double kLn2High = 0x1.62e42fefa3800p-1;  // the leading 41 bits of ln 2: k·kLn2High is exact
inline constexpr double kLn2Low = 0x1.ef35793c76730p-45;  // ln 2 − kLn2High

/// 2·(atanh(s) − s) / s for |s| ≤ 0.1716, from the Taylor series; z = s². Even and odd powers apart: two
/// short chains of operations run in half the time of a long one. Number: a double, or several that move
/// together.
template <typename Number>
[[gnu::always_inline]] constexpr Number atanh_tail(const Number& z) {
  const Number w = z * z;
  const Number even = 2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19))));
  const Number odd = 2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21))));
  return z * (even + z * odd);
}

/// x − log(1 + x) for x in [1/√2 − 1, √2 − 1]: log(1+x) = 2·atanh(s), s = x/(2+x), and x − 2s = x·s.
template <typename Number>
[[gnu::always_inline]] constexpr Number log_gap_series(const Number& x) {
  const Number s = x / (2.0 + x);
  const Number z = s * s;
  return s * (x - atanh_tail(z));
}

// x − log(1+x) cancels up to |x| ≈ 1. With 1 + x = 2^k·(1 + f) it equals (x − f − k·ln 2) + log_gap(f), f in
// the series' range, and the bracket is linear in x: no digit is lost.
inline constexpr double kGapLeast = -0.5, kGapLow = -0.2928, kGapHigh = 0.4142, kGapMost = 1.8;
/// k = 1, f = (x − 1)/2.
template <typename Number>
[[gnu::always_inline]] constexpr Number log_gap_above(const Number& x) {
  constexpr double kHigh = 0x1.8b90bfbe8e7bdp-2;  // 2·ln 2 − 1
  constexpr double kLow = -0x1.50d871319ff03p-57;
  return 0.5 * ((x - kHigh) - kLow);
}
/// k = −1, f = 1 + 2x.
template <typename Number>
[[gnu::always_inline]] constexpr Number log_gap_below(const Number& x) {
  constexpr double kHigh = 0x1.3a37a020b8c22p-2;  // 1 − ln 2
  constexpr double kLow = -0x1.abc9e3b39803fp-56;
  return (-x - kHigh) - kLow;
}

}  // namespace detail

/// Natural logarithm. log(0) = −∞, log of a negative number or NaN is NaN.
constexpr double log(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -kInfinity : kNaN;
  if (x == kInfinity) return x;
  int scale = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal
    x *= 0x1p54;
    scale = -54;
  }
  // x = 2^k·m with m in [√½, √2): adding moves the mantissa's cut from 1 to √½.
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdULL;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const auto k = static_cast<std::int64_t>(bits - kSqrtHalf) >> 52;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(k) << 52));
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  // log(1+f) = f − s·(f − tail): the leading term f is exact, the rest is small against it.
  const double tail = detail::atanh_tail(s * s);
  const double e = static_cast<double>(k + scale);
  return e * detail::kLn2High + (f - (s * (f - tail) - e * detail::kLn2Low));
}

/// x − log(1 + x) ≥ 0 to 1e-15 of itself, however near 0: the one primitive behind every divergence here.
/// +∞ at x = −1, NaN below.
constexpr double log_gap(double x) {
  using namespace detail;
  if (x > kGapLow && x < kGapHigh) return log_gap_series(x);
  if (x >= kGapHigh && x < kGapMost) return log_gap_above(x) + log_gap_series(0.5 * (x - 1.0));
  if (x > kGapLeast && x <= kGapLow) return log_gap_below(x) + log_gap_series(1.0 + 2.0 * x);
  if (x == kInfinity) return x;
  return x - log(1.0 + x);
}

/// x where the condition holds, else y; for several numbers that move together lane by lane (base/simd.hpp).
constexpr double select(bool condition, double x, double y) {
  return condition ? x : y;
}

namespace detail {

inline constexpr double kInvLn2 = 0x1.71547652b82fep+0;
inline constexpr double kExpLargest = 709.782712893384;  // beyond, exp is ∞
inline constexpr double kExpLeast = -745.2;              // below, 0

/// e^r for r = high − low, |r| ≤ 0.3466. Number: a double, or several that move together.
template <typename Number>
[[gnu::always_inline]] constexpr Number exp_series(const Number& high, const Number& low) {
  const Number r = high - low;
  // p = (e^r − 1 − r)/r² by its Taylor series, even and odd powers apart; the first term left out, r¹⁵/15!,
  // is below 2⁻⁶².
  const Number w = r * r;
  Number even = w * (1.0 / 87178291200.0) + 1.0 / 479001600.0;
  even = even * w + 1.0 / 3628800.0;
  even = even * w + 1.0 / 40320.0;
  even = even * w + 1.0 / 720.0;
  even = even * w + 1.0 / 24.0;
  even = even * w + 0.5;
  Number odd = w * (1.0 / 6227020800.0) + 1.0 / 39916800.0;
  odd = odd * w + 1.0 / 362880.0;
  odd = odd * w + 1.0 / 5040.0;
  odd = odd * w + 1.0 / 120.0;
  odd = odd * w + 1.0 / 6.0;
  const Number p = even + r * odd;
  return 1.0 + (high + (w * p - low));
}

}  // namespace detail

/// Exponential. Overflows to ∞; results below the normal range are rounded once more, to a subnormal.
constexpr double exp(double x) {
  if (x != x) return x;
  if (x > detail::kExpLargest) return kInfinity;
  if (x < detail::kExpLeast) return 0.0;
  const auto n = static_cast<std::int32_t>(x * detail::kInvLn2 + (x < 0 ? -0.5 : 0.5));
  const double value = detail::exp_series(x - n * detail::kLn2High, n * detail::kLn2Low);
  // 2^n in two factors, so that results near the ends of the range are right.
  const std::int32_t half = n / 2;
  const double a = std::bit_cast<double>(static_cast<std::uint64_t>(half + 1023) << 52);
  const double b = std::bit_cast<double>(static_cast<std::uint64_t>(n - half + 1023) << 52);
  return value * a * b;
}

}  // namespace tasfg
