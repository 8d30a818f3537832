#include "tasfg/base/splits.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/findings.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

constexpr int kDraws = 200'000;

long double log_choose(std::int64_t n, std::int64_t k) {
  if (k < 0 || k > n) return -INFINITY;
  return std::lgammal(static_cast<long double>(n) + 1) - std::lgammal(static_cast<long double>(k) + 1) -
         std::lgammal(static_cast<long double>(n - k) + 1);
}
double log_hypergeometric(std::int64_t x, std::int64_t marked, std::int64_t half) {
  return static_cast<double>(log_choose(half, x) + log_choose(half, marked - x) -
                             log_choose(2 * half, marked));
}
double log_binomial(std::int64_t x, std::int64_t n, double p) {
  return static_cast<double>(log_choose(n, x)) + static_cast<double>(x) * std::log(p) +
         static_cast<double>(n - x) * std::log1p(-p);
}

/// What is wrong with `kDraws` draws of a law on 0 … most, neighbours with less than 20 expected taken
/// together.
template <typename Draw, typename LogLaw>
std::string odds_with(std::int64_t most, Draw draw, LogLaw log_law) {
  std::vector<int> counts(static_cast<std::size_t>(most) + 1);
  for (int i = 0; i < kDraws; ++i) ++counts.at(static_cast<std::size_t>(draw()));
  std::vector<double> counted(1, 0.0), expected(1, 0.0);
  for (std::int64_t x = 0; x <= most; ++x) {
    if (expected.back() >= 20.0) {
      counted.push_back(0.0);
      expected.push_back(0.0);
    }
    counted.back() += counts[static_cast<std::size_t>(x)];
    expected.back() += kDraws * std::exp(log_law(x));
  }
  Findings findings;
  if (expected.size() > 1) findings.chi_square(counted, expected);
  return findings.text();
}

struct Marks {
  std::int64_t marked, half;
};
const std::vector<Marks> kMarks = {{1, 1},     {5, 64},    {16, 64},     {17, 17},        {17, 64},
                                   {19, 64},   {33, 64},   {64, 64},     {100, 64},       {127, 64},
                                   {200, 512}, {333, 167}, {1001, 5000}, {50'000, 40'000}};

TEST(SplitMarked, FollowsTheHypergeometricLaw) {
  for (const Marks& each : kMarks) {
    const std::int64_t marked = each.marked, half = each.half;  // Clang 14 captures no bindings
    PhiloxStream stream(stream_key(1U, static_cast<std::uint64_t>(marked), static_cast<std::uint64_t>(half)));
    EXPECT_EQ(odds_with(
                  std::min(marked, half), [&] { return split_marked(stream, marked, half); },
                  [&](std::int64_t x) { return log_hypergeometric(x, marked, half); }),
              "")
        << marked << " of 2 * " << half;
  }
}

TEST(SplitMarked, FitRejectsABinomialAndAHatThatIsTakenForTheLaw) {
  PhiloxStream stream(StreamKey{2});
  EXPECT_NE(odds_with(
                200, [&] { return sample_fair_binomial(stream, 200); },
                [&](std::int64_t x) { return log_hypergeometric(x, 200, 512); }),
            "");
  const auto hat_alone = [&] {
    const double rate = 1.0 / 19.5 + 1.0 / 45.5;
    const double deviation = std::sqrt(0.5 / (rate * (1.0 - 0.5 * std::sqrt(rate))));
    return static_cast<std::int64_t>(std::floor(19.5 + deviation * sample_normal(stream)));
  };
  EXPECT_NE(odds_with(38, hat_alone, [&](std::int64_t x) { return log_hypergeometric(x, 38, 64); }), "");
}

TEST(SplitMarked, HalvesOfHugeNumbersHaveTheRightMoments) {
  for (const std::int64_t half : {std::int64_t{1} << 30, std::int64_t{1} << 49})
    for (const double share : {1e-9, 0.3, 0.999}) {
      const auto marked = static_cast<std::int64_t>(2.0 * static_cast<double>(half) * share);
      PhiloxStream stream(stream_key(3U, static_cast<std::uint64_t>(marked)));
      const double k = static_cast<double>(marked), m = static_cast<double>(half);
      const double variance = k / 4.0 * (2.0 * m - k) / (2.0 * m - 1.0);
      double sum = 0.0, squares = 0.0;
      for (int i = 0; i < kDraws; ++i) {
        const double z =
            (static_cast<double>(split_marked(stream, marked, half)) - 0.5 * k) / std::sqrt(variance);
        sum += z;
        squares += z * z;
      }
      Findings findings;
      findings.mean("mean", sum, kDraws, 0.0, 1.0);
      findings.mean("variance", squares, kDraws, 1.0, 3.0);
      EXPECT_EQ(findings.text(), "") << marked << " of 2 * " << half;
    }
}

/// The two bounds that decide without the law itself, and the law where they do not, against long double.
TEST(HalfSteps, BoundsHoldTheLawBetweenThem) {
  for (const std::int64_t n : {17, 18, 63, 64, 1000, 4001, 1'000'000}) {
    const detail::HalfSteps steps{0.5 * static_cast<double>(n)};
    const double d0 = n % 2 == 0 ? 0.0 : 0.5;
    const auto mode = static_cast<std::int64_t>(0.5 * static_cast<double>(n) + d0);
    for (double d = d0 + 1.0; d <= 0.5 * static_cast<double>(n); d = std::floor(1.2 * d) + 1.0 + d0) {
      const std::int64_t x = mode + static_cast<std::int64_t>(d - d0);
      if (x >= n) break;
      const auto exact = static_cast<double>(log_choose(n, mode) - log_choose(n, x));
      const double sum = steps.sum(d, d0);
      EXPECT_NEAR(sum, exact, 1e-12 * exact + 1e-12 * std::log(static_cast<double>(n))) << n << " at " << d;
      const double least = steps.rate() * (d * d - d0 * d0);
      const double rounding = 1e-12 * (1.0 + least);  // what the sampler allows for
      EXPECT_GE(sum, least - rounding) << n << " at " << d;
      EXPECT_LE(sum, least + steps.excess(d) + rounding) << n << " at " << d;
    }
  }
}

TEST(FairBinomial, FollowsItsLaw) {
  for (const std::int64_t n : {0, 1, 63, 64, 65, 128, 129, 500, 10'001}) {
    PhiloxStream stream(stream_key(4U, static_cast<std::uint64_t>(n)));
    EXPECT_EQ(odds_with(
                  n, [&] { return sample_fair_binomial(stream, n); },
                  [&](std::int64_t x) { return log_binomial(x, n, 0.5); }),
              "")
        << n;
  }
}

TEST(Binomial, FollowsItsLawAtEveryProbability) {
  for (const double p : {0.5, 0.3, 0.01, 0.999, 1e-5})
    for (const std::int64_t n : {1, 64, 512, 4096}) {
      PhiloxStream stream(stream_key(5U, std::bit_cast<std::uint64_t>(p), static_cast<std::uint64_t>(n)));
      EXPECT_EQ(odds_with(
                    n, [&] { return sample_binomial(stream, n, p); },
                    [&](std::int64_t x) { return log_binomial(x, n, p); }),
                "")
          << n << " times " << p;
    }
  PhiloxStream stream(StreamKey{6});
  EXPECT_EQ(sample_binomial(stream, 1000, 0.0), 0);
  EXPECT_EQ(sample_binomial(stream, 1000, 1.0), 1000);
}

TEST(Subset, HasItsSizeAndTreatsAllPlacesAlike) {
  for (const std::int64_t size : {0, 1, 7, 150, 256, 505, 512}) {
    PhiloxStream stream(stream_key(7U, static_cast<std::uint64_t>(size)));
    std::vector<double> counted(512, 0.0);
    double neighbours = 0.0;
    constexpr int kSets = 20'000;
    for (int i = 0; i < kSets; ++i) {
      std::array<std::uint64_t, 8> words;
      sample_subset(stream, size, words);
      std::int64_t found = 0;
      const auto has = [&](std::size_t place) { return (words[place / 64] >> (place % 64) & 1) != 0; };
      for (std::size_t place = 0; place < 512; ++place) {
        found += has(place) ? 1 : 0;
        counted[place] += has(place) ? 1.0 : 0.0;
        neighbours += has(place) && has((place + 1) % 512) ? 1.0 : 0.0;
      }
      ASSERT_EQ(found, size);
    }
    if (size == 0 || size == 512) continue;
    const double p = static_cast<double>(size) / 512.0;
    // Places of one set depend on each other: counts vary less than independent ones by the factor 1 − p.
    std::vector<double> scaled(512), expected(512, kSets * p);
    for (std::size_t place = 0; place < 512; ++place)
      scaled[place] = kSets * p + (counted[place] - kSets * p) / std::sqrt(1.0 - p);
    Findings findings;
    findings.chi_square(scaled, expected);
    const double pair = p * static_cast<double>(size - 1) / 511.0;
    if (size > 1) findings.mean("neighbours", neighbours, 512.0 * kSets, pair, pair);
    EXPECT_EQ(findings.text(), "") << size;
  }
}

TEST(Below, IsUniform) {
  PhiloxStream stream(StreamKey{8});
  std::vector<double> counted(7, 0.0);
  for (int i = 0; i < 70'000; ++i) ++counted.at(sample_below(stream, 7));
  Findings findings;
  findings.chi_square(counted, std::vector<double>(7, 10'000.0));
  EXPECT_EQ(findings.text(), "");
  // A modulus would give the lower half of such a range two thirds of the draws.
  const std::uint64_t n = 3ULL << 62;
  double low = 0.0;
  for (int i = 0; i < kDraws; ++i) low += sample_below(stream, n) < n / 2 ? 1.0 : 0.0;
  Findings halves;
  halves.mean("lower half", low, kDraws, 0.5, 0.25);
  EXPECT_EQ(halves.text(), "");
}

/// P(Gamma(shape) ≤ x) for whole shapes: the Poisson sum.
double gamma_cdf(double x, int shape) {
  double term = std::exp(-x), sum = 0.0;
  for (int k = 0; k < shape; ++k, term *= x / k) sum += term;
  return 1.0 - sum;
}
/// P(Beta(a, a) ≤ x) for whole a: so many of 2a − 1 uniform numbers are less than x.
double beta_cdf(double x, int a) {
  if (x <= 0.0 || x >= 1.0) return x <= 0.0 ? 0.0 : 1.0;
  double sum = 0.0;
  for (int k = a; k < 2 * a; ++k) sum += std::exp(log_binomial(k, 2 * a - 1, x));
  return sum;
}

template <typename Draw, typename Cdf>
std::string odds_with_cdf(int draws, Draw draw, Cdf cdf) {
  std::vector<double> values(static_cast<std::size_t>(draws));
  for (double& each : values) each = draw();
  Findings findings;
  findings.kolmogorov(values, cdf);
  findings.equal_bins(values, cdf);
  return findings.text();
}

TEST(SampleGamma, FollowsItsLaw) {
  for (const int shape : {1, 2, 7, 128}) {
    PhiloxStream stream(stream_key(31U, static_cast<std::uint64_t>(shape)));
    EXPECT_EQ(odds_with_cdf(
                  kDraws, [&] { return sample_gamma(stream, shape); },
                  [&](double x) { return gamma_cdf(x, shape); }),
              "")
        << shape;
  }
}

TEST(SampleGamma, FitRejectsTheCandidateThatIsNotTestedAndANeighbour) {
  PhiloxStream stream(StreamKey{32});
  const auto untested = [&] {
    const double d = 1.0 - 1.0 / 3.0, v = 1.0 + sample_normal(stream) / std::sqrt(9.0 * d);
    return d * v * v * v;
  };
  EXPECT_NE(odds_with_cdf(kDraws, untested, [](double x) { return x > 0.0 ? gamma_cdf(x, 1) : 0.0; }), "");
  EXPECT_NE(
      odds_with_cdf(
          kDraws, [&] { return sample_gamma(stream, 128.2); }, [](double x) { return gamma_cdf(x, 128); }),
      "");
}

TEST(SampleCentredBeta, FollowsItsLaw) {
  for (const int a : {1, 2, 5, 128}) {
    PhiloxStream stream(stream_key(33U, static_cast<std::uint64_t>(a)));
    EXPECT_EQ(odds_with_cdf(
                  a > 5 ? 20'000 : kDraws, [&] { return 0.5 + sample_centred_beta(stream, a); },
                  [&](double x) { return beta_cdf(x, a); }),
              "")
        << a;
  }
}

TEST(SampleCentredBeta, FitRejectsTheHatThatIsTakenForTheLaw) {
  PhiloxStream stream(StreamKey{34});
  EXPECT_NE(odds_with_cdf(
                kDraws, [&] { return 0.5 + std::sqrt(0.125 / 4.0) * sample_normal(stream); },
                [](double x) { return beta_cdf(x, 5); }),
            "");
}

TEST(SampleGammaAndCentredBeta, OfHugeSumsAreNormalToWhatCanBeTold) {
  for (const double n : {0x1p32, 0x1p49}) {
    PhiloxStream stream(stream_key(35U, static_cast<std::uint64_t>(n)));
    std::vector<double> gamma(kDraws), beta(kDraws);
    for (double& each : gamma) each = (sample_gamma(stream, n) - n) / std::sqrt(n);
    for (double& each : beta) each = sample_centred_beta(stream, n) * std::sqrt(8.0 * n);
    EXPECT_EQ(odds_with_normal(gamma), "") << n;
    EXPECT_EQ(odds_with_normal(beta), "") << n;
  }
}

}  // namespace
}  // namespace tasfg
