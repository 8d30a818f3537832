#include "tasfg/base/partial_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/findings.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/splits.hpp"

namespace tasfg {
namespace {

template <typename Sums>
void expect_same_doubles() {
  for (std::uint64_t key = 0; key < 40; ++key) {
    Sums steps(StreamKey{key}), jumps(StreamKey{key});
    PhiloxStream choices(stream_key(99U, key));
    std::int64_t n = 0;
    for (int round = 0; round < 300; ++round) {
      auto more = static_cast<std::int64_t>(1 + sample_below(choices, round % 7 == 0 ? 4000 : 90));
      if (round % 5 == 0) more += (Sums::kBlock - (n + more) % Sums::kBlock) % Sums::kBlock;
      for (std::int64_t i = 0; i < more; ++i) (void)steps.next();
      n += more;
      ASSERT_EQ(steps.count(), n);
      ASSERT_EQ(jumps.sum_at(n), steps.sum()) << "key " << key << ", draw " << n;
      if (round % 2 == 0) continue;  // looks without moving must not matter
      jumps.move_there();
      ASSERT_EQ(jumps.count(), n);
      ASSERT_EQ(jumps.sum(), steps.sum());
      for (std::uint64_t i = sample_below(choices, 100); i > 0; --i, ++n) {
        ASSERT_EQ(jumps.next(), steps.next());
        ASSERT_EQ(jumps.sum(), steps.sum());
      }
    }
  }
}

TEST(PartialSums, AreTheSameDoublesDrawByDrawAndAtOnce) {
  expect_same_doubles<NormalSums>();
  expect_same_doubles<ExponentialSums>();
}

template <typename Sums>
void expect_walks_as_steps() {
  for (std::uint64_t key = 0; key < 20; ++key) {
    Sums steps(StreamKey{key}), walks(StreamKey{key});
    PhiloxStream choices(stream_key(97U, key));
    for (int round = 0; round < 400; ++round) {
      const auto left = static_cast<std::uint64_t>(walks.at_hand());
      ASSERT_GE(left, 1U);
      const auto n = static_cast<std::int64_t>(1 + sample_below(choices, left));
      const auto range = walks.walk(n);
      double least = kInfinity, most = -kInfinity;
      for (std::int64_t i = 0; i < n; ++i) {
        (void)steps.next();
        least = std::min(least, steps.sum());
        most = std::max(most, steps.sum());
      }
      ASSERT_EQ(range.least, least) << "key " << key << ", draw " << steps.count();
      ASSERT_EQ(range.most, most);
      ASSERT_EQ(walks.count(), steps.count() - n) << "the place stays";
      if (round % 3 == 0) (void)walks.sum_at(steps.count() + 1000);  // a look elsewhere must not matter
      walks.walk_on();
      ASSERT_EQ(walks.count(), steps.count());
      ASSERT_EQ(walks.sum(), steps.sum());
    }
  }
}

TEST(PartialSums, AreWalkedThroughAsTheyAreSteppedThrough) {
  expect_walks_as_steps<NormalSums>();
  expect_walks_as_steps<ExponentialSums>();
}

TEST(PartialSums, AddUpToTheSumsOfTheirDraws) {
  NormalSums normals(StreamKey{11});
  ExponentialSums exponentials(StreamKey{12});
  double normal = 0.0, exponential = 0.0;
  for (int n = 1; n <= 300'000; ++n) {
    normal += normals.next();
    exponential += exponentials.next();
    if (n % 997 != 0) continue;
    ASSERT_NEAR(normals.sum(), normal, 1e-9) << n;
    ASSERT_NEAR(exponentials.sum(), exponential, 1e-13 * n * std::sqrt(n)) << n;
  }
}

TEST(NormalSums, DrawsAreIndependentNormals) {
  NormalSums sums(StreamKey{1});
  std::vector<double> z(2'000'000);
  for (double& each : z) each = sums.next();
  EXPECT_EQ(odds_with_normal(z), "");
  // Sums over blocks and over what lies across them: a wrong split shows here and not in single draws.
  for (const std::size_t span : {64, 128, 192, 1000, 4096}) {
    std::vector<double> parts;
    for (std::size_t first = 0; first + span <= z.size(); first += span) {
      double sum = 0.0;
      for (std::size_t i = 0; i < span; ++i) sum += z[first + i];
      parts.push_back(sum / std::sqrt(static_cast<double>(span)));
    }
    Findings findings;
    findings.kolmogorov(parts, &normal_cdf);
    findings.mean("second moment", power_sum(parts, 2), static_cast<double>(parts.size()), 1.0, 2.0);
    double product = 0.0;
    for (std::size_t i = 1; i < parts.size(); ++i) product += parts[i - 1] * parts[i];
    findings.mean("serial correlation", product, static_cast<double>(parts.size() - 1), 0.0, 1.0);
    EXPECT_EQ(findings.text(), "") << "sums of " << span;
  }
}

TEST(NormalSums, IncrementsFarOutAreIndependentNormals) {
  const std::vector<std::int64_t> at = {
      5, 70, 1000, 1'000'000, 1'000'777, std::int64_t{1} << 40, 1'000'000'000'000'000};
  std::vector<std::vector<double>> increments(at.size());
  for (std::uint64_t key = 0; key < 20'000; ++key) {
    NormalSums sums(stream_key(2U, key));
    double before = 0.0, from = 0.0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double here = sums.sum_at(at[i]);
      increments[i].push_back((here - before) / std::sqrt(static_cast<double>(at[i]) - from));
      before = here;
      from = static_cast<double>(at[i]);
    }
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_EQ(odds_with_normal(increments[i]), "") << "up to " << at[i];
    if (i == 0) continue;
    double product = 0.0;
    for (std::size_t k = 0; k < increments[i].size(); ++k) product += increments[i - 1][k] * increments[i][k];
    Findings findings;
    findings.mean("correlation", product, static_cast<double>(increments[i].size()), 0.0, 1.0);
    EXPECT_EQ(findings.text(), "") << "up to " << at[i];
  }
}

double exponential_cdf(double x) {
  return -std::expm1(-x);
}

TEST(ExponentialSums, DrawsAreIndependentExponentials) {
  ExponentialSums sums(StreamKey{4});
  std::vector<double> x(2'000'000);
  for (double& each : x) each = sums.next();
  Findings findings;
  findings.kolmogorov(x, &exponential_cdf);
  findings.equal_bins(x, &exponential_cdf);
  EXPECT_EQ(findings.text(), "");
  for (const std::size_t span : {128, 256, 384, 1000, 4096}) {
    std::vector<double> parts;
    for (std::size_t first = 0; first + span <= x.size(); first += span) {
      double sum = 0.0;
      for (std::size_t i = 0; i < span; ++i) sum += x[first + i] - 1.0;
      parts.push_back(sum / std::sqrt(static_cast<double>(span)));
    }
    Findings of_parts;
    const auto n = static_cast<double>(parts.size());
    of_parts.mean("mean", power_sum(parts, 1), n, 0.0, 1.0);
    of_parts.mean("second moment", power_sum(parts, 2), n, 1.0, 2.0 + 6.0 / static_cast<double>(span));
    double product = 0.0;
    for (std::size_t i = 1; i < parts.size(); ++i) product += parts[i - 1] * parts[i];
    of_parts.mean("serial correlation", product, n - 1.0, 0.0, 1.0);
    EXPECT_EQ(of_parts.text(), "") << "sums of " << span;
  }
}

TEST(ExponentialSums, IncrementsFarOutAreIndependentAndNormalToWhatCanBeTold) {
  const std::vector<std::int64_t> at = {std::int64_t{1} << 30, std::int64_t{3} << 31, std::int64_t{1} << 40,
                                        1'000'000'000'000'000};
  std::vector<std::vector<double>> increments(at.size());
  for (std::uint64_t key = 0; key < 20'000; ++key) {
    ExponentialSums sums(stream_key(5U, key));
    double before = 0.0, from = 0.0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double here = sums.sum_at(at[i]), n = static_cast<double>(at[i]) - from;
      increments[i].push_back((here - before - n) / std::sqrt(n));
      before = here;
      from = static_cast<double>(at[i]);
    }
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_EQ(odds_with_normal(increments[i]), "") << "up to " << at[i];
    if (i == 0) continue;
    double product = 0.0;
    for (std::size_t k = 0; k < increments[i].size(); ++k) product += increments[i - 1][k] * increments[i][k];
    Findings findings;
    findings.mean("correlation", product, static_cast<double>(increments[i].size()), 0.0, 1.0);
    EXPECT_EQ(findings.text(), "") << "up to " << at[i];
  }
}

}  // namespace
}  // namespace tasfg
