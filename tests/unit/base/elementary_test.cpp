/// Error of log, exp and log_gap against 64-bit-mantissa references, and their special values.
#include "tasfg/base/elementary.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace {

// With long double = double the reference would be no better than what it judges.
static_assert(LDBL_MANT_DIG >= 64);

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();
constexpr double kLeastNormal = std::numeric_limits<double>::min();
constexpr double kGreatest = std::numeric_limits<double>::max();

/// |value − exact| in units of the last place of a double of exact's size.
double ulps(double value, long double exact) {
  if (exact == 0.0L) return value == 0.0 ? 0.0 : kInfinity;
  const int exponent = std::max(std::ilogb(exact), -1022);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) /
                             std::ldexp(1.0L, exponent - 52));
}

struct Worst {
  double error = 0.0;
  double argument = 0.0;
  void note(double e, double x) {
    if (!(e <= error)) {
      error = e;
      argument = x;
    }
  }
};

constexpr int kDraws = 1'000'000;

/// A positive double with a random exponent and mantissa: every scale down to the least subnormal.
double any_scale(tasfg::PhiloxStream& stream) {
  constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000ULL;
  return std::bit_cast<double>(1 + (stream.bits() >> 1) % (kInfinityBits - 1));
}

/// A random sign and 2^-k·u with k uniform in [0, depth): dense near 0.
double near_zero(tasfg::PhiloxStream& stream, double depth) {
  const double size = std::exp2(-depth * stream.uniform()) * (0.5 + 0.5 * stream.uniform());
  return (stream.bits() & 1) != 0 ? size : -size;
}

/// x − log(1 + x) in long double, by its series where the difference would cancel.
long double exact_gap(double x) {
  if (std::fabs(x) >= 0.25) return static_cast<long double>(x) - std::log1p(static_cast<long double>(x));
  long double sum = 0.0L;
  for (int n = 48; n >= 2; --n) sum = (n % 2 == 0 ? 1.0L : -1.0L) / n + static_cast<long double>(x) * sum;
  return static_cast<long double>(x) * x * sum;
}

double relative(double value, long double exact) {
  return static_cast<double>(std::fabs((static_cast<long double>(value) - exact) / exact));
}

TEST(Elementary, LogIsWithinOneAndAHalfUlpAtEveryScaleAndNearOne) {
  tasfg::PhiloxStream stream(tasfg::stream_key(1));
  Worst worst;
  const auto check = [&worst](double x) {
    worst.note(ulps(tasfg::log(x), std::log(static_cast<long double>(x))), x);
  };
  for (const double x : {kLeast, 3 * kLeast, kLeastNormal, kLeastNormal - kLeast, kGreatest, 1 - 0x1p-53,
                         1 + 0x1p-52, std::sqrt(0.5), std::sqrt(2.0), 2.0, 0.5, 10.0})
    check(x);
  for (int i = 0; i < kDraws; ++i) {
    check(any_scale(stream));
    check(kLeastNormal * stream.uniform() + kLeast);  // subnormal
    check(0.25 + 3.75 * stream.uniform());
    check(1.0 + 0.9 * near_zero(stream, 53));
    // About the reduction's cut at √½ and √2, where the leading terms change size.
    check(std::sqrt((stream.bits() & 1) != 0 ? 0.5 : 2.0) * (1.0 + near_zero(stream, 45) / 16));
  }
  RecordProperty("worst_ulps", std::to_string(worst.error));
  EXPECT_LT(worst.error, 1.5) << "at " << worst.argument;
}

TEST(Elementary, LogOfOneIsExactlyZeroAndPowersOfTwoAreMultiplesOfLnTwo) {
  EXPECT_EQ(tasfg::log(1.0), 0.0);
  for (int k = -1074; k <= 1023; ++k) {
    if (k == 0) continue;
    EXPECT_LE(ulps(tasfg::log(std::ldexp(1.0, k)), k * 0.693147180559945309417232121458L), 1.0) << k;
  }
}

TEST(Elementary, LogOfZeroInfinityNegativeAndNaN) {
  EXPECT_EQ(tasfg::log(0.0), -kInfinity);
  EXPECT_EQ(tasfg::log(-0.0), -kInfinity);
  EXPECT_EQ(tasfg::log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(tasfg::log(-1.0)));
  EXPECT_TRUE(std::isnan(tasfg::log(-kLeast)));
  EXPECT_TRUE(std::isnan(tasfg::log(-kInfinity)));
  EXPECT_TRUE(std::isnan(tasfg::log(kNaN)));
}

TEST(Elementary, ExpIsWithinOneAndAHalfUlpOverItsWholeRange) {
  tasfg::PhiloxStream stream(tasfg::stream_key(2));
  Worst worst;
  const auto check = [&worst](double x) {
    worst.note(ulps(tasfg::exp(x), std::exp(static_cast<long double>(x))), x);
  };
  for (const double x : {709.782712893383, -708.4, -744.4, -745.13, 1.0, -1.0, 0.5, -0.5, kLeast, -kLeast})
    check(x);
  for (int i = 0; i < kDraws; ++i) {
    check(-745.1 + (745.1 + 709.78) * stream.uniform());
    check(-745.1 + 37.0 * stream.uniform());  // subnormal results
    check(-2.0 + 4.0 * stream.uniform());
    check(near_zero(stream, 60));
    // About the odd multiples of ln 2 / 2, where the reduced argument is largest.
    const double half = static_cast<double>(2 * (stream.bits() % 2000) + 1) - 2000.0;
    check(0.34657359027997264 * half * (1.0 + near_zero(stream, 50) * 1e-3));
  }
  RecordProperty("worst_ulps", std::to_string(worst.error));
  EXPECT_LT(worst.error, 1.5) << "at " << worst.argument;
}

TEST(Elementary, ExpAtTheEndsOfItsRangeAndOfSpecialValues) {
  EXPECT_EQ(tasfg::exp(0.0), 1.0);
  EXPECT_EQ(tasfg::exp(-0.0), 1.0);
  EXPECT_EQ(tasfg::exp(kInfinity), kInfinity);
  EXPECT_EQ(tasfg::exp(-kInfinity), 0.0);
  EXPECT_TRUE(std::isnan(tasfg::exp(kNaN)));
  EXPECT_TRUE(std::isfinite(tasfg::exp(709.782712893383)));
  EXPECT_EQ(tasfg::exp(709.7827128933841), kInfinity);
  EXPECT_EQ(tasfg::exp(kGreatest), kInfinity);
  EXPECT_EQ(tasfg::exp(-745.13), kLeast);
  EXPECT_EQ(tasfg::exp(-745.14), 0.0);
  EXPECT_EQ(tasfg::exp(-kGreatest), 0.0);
}

TEST(Elementary, LogGapKeepsItsRelativeAccuracyHoweverSmallTheArgument) {
  tasfg::PhiloxStream stream(tasfg::stream_key(3));
  Worst worst;
  const auto check = [&worst](double x) { worst.note(relative(tasfg::log_gap(x), exact_gap(x)), x); };
  for (int i = 0; i < kDraws; ++i) {
    check(near_zero(stream, 40));                       // down to 1e-12
    check(near_zero(stream, 500));                      // the square stays normal
    check(-1.0 + std::exp2(-50.0 * stream.uniform()));  // near the pole at −1
    check(-0.35 + 0.9 * stream.uniform());              // about the ends of the series' range
    check(0.4 * std::exp2(40.0 * stream.uniform()));    // large
  }
  RecordProperty("worst_relative_error", std::to_string(worst.error * 1e16) + "e-16");
  EXPECT_LT(worst.error, 1e-15) << "at " << worst.argument;
}

TEST(Elementary, LogGapOfSpecialValues) {
  EXPECT_EQ(tasfg::log_gap(0.0), 0.0);
  EXPECT_EQ(tasfg::log_gap(-1.0), kInfinity);
  EXPECT_EQ(tasfg::log_gap(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(tasfg::log_gap(-1.5)));
  EXPECT_TRUE(std::isnan(tasfg::log_gap(-kInfinity)));
  EXPECT_TRUE(std::isnan(tasfg::log_gap(kNaN)));
  EXPECT_GE(tasfg::log_gap(kLeast), 0.0);
  EXPECT_EQ(tasfg::log_gap(1e300), 1e300);
}

TEST(Elementary, ValuesKnownAtCompileTimeAreThoseOfRunTime) {
  // The samplers' tables are compile-time constants: both evaluations must be the same function.
  constexpr double kArguments[] = {0x1.8p-3, 0x1.23456789abcdep+1, 0x1.fffffffffffffp-1, 0x1.7p+9};
  constexpr double kLogs[] = {tasfg::log(kArguments[0]), tasfg::log(kArguments[1]), tasfg::log(kArguments[2]),
                              tasfg::log(kArguments[3])};
  constexpr double kExps[] = {tasfg::exp(-kArguments[0]), tasfg::exp(-kArguments[1]),
                              tasfg::exp(-kArguments[2]), tasfg::exp(-kArguments[3])};
  for (int i = 0; i < 4; ++i) {
    const volatile double x = kArguments[i];
    EXPECT_EQ(tasfg::log(x), kLogs[i]);
    EXPECT_EQ(tasfg::exp(-x), kExps[i]);
  }
}

TEST(Elementary, DigestOfManyValuesIsTheSameOnEveryMachine) {
  // A last bit that depends on the CPU or the optimiser shows here, and so does a change of the functions,
  // which changes every result file and belongs under "Results changed".
  tasfg::PhiloxStream stream(tasfg::stream_key(4));
  std::uint64_t digest = 0;
  const auto absorb = [&digest](double value) {
    digest = std::rotl(digest ^ std::bit_cast<std::uint64_t>(value), 23) * 0x9e3779b97f4a7c15ULL;
  };
  for (int i = 0; i < 200'000; ++i) {
    const double u = stream.uniform();
    absorb(tasfg::log(any_scale(stream)));
    absorb(tasfg::log(0.5 + u));
    absorb(tasfg::exp(-745.0 + 1454.0 * u));
    absorb(tasfg::exp(u - 0.5));
    absorb(tasfg::log_gap(3.0 * u - 0.9));
    absorb(tasfg::log_gap(0x1p-30 * (u - 0.5)));
  }
  EXPECT_EQ(digest, 0xd81c488a1218efe5ULL) << std::hex << digest;
}

}  // namespace
