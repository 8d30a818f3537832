#include "tasfg/solve/regimes.hpp"

#include <algorithm>
#include <cmath>

#include "solve/family_curves.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

using testing::models_of;
using testing::whole_map;

std::vector<RegimeChange> changes(const ModelFamily& models, double tolerance,
                                  const std::vector<double>& kinks = {}) {
  return regime_changes(models, whole_map(models, {.tolerance = tolerance}, {kinks, {}}).points);
}

TEST(Regimes, TheLoopyStarsAreTheClosedForms) {
  const ModelFamily models = models_of("loopy-star", {"p"}, {{"q", 1.0}, {"r", 0.25}});
  for (const double tolerance : {0.1, 1e-3}) {
    const std::vector<RegimeChange> found = changes(models, tolerance, {0.5});
    ASSERT_EQ(found.size(), 2U);
    const double expected[] = {(13.0 - std::sqrt(105.0)) / 32.0, (std::sqrt(5.0) - 1.0) / 4.0};
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LE(found[i].high - found[i].low, 1e-9);
      EXPECT_LE(found[i].low, expected[i]);
      EXPECT_GE(found[i].high, expected[i]);
      EXPECT_TRUE(found[i].entering.empty());
    }
    EXPECT_EQ(found[0].leaving, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(found[1].leaving, (std::vector<int>{4}));
  }
}

TEST(Regimes, TheRingMirrorsItselfInItsMiddle) {
  // Ring: p and 1 - p exchange the directions; with the means turned round, too, T* is the same.
  const std::vector<double> means = {0.1, 0.8, 0.3, 1.0, 0.2};
  const std::vector<double> reversed(means.rbegin(), means.rend());
  const std::vector<RegimeChange> one = changes(models_of("ring", {"p"}, {}, Gaussian{1.0}, means), 1e-2);
  const std::vector<RegimeChange> two = changes(models_of("ring", {"p"}, {}, Gaussian{1.0}, reversed), 1e-2);
  ASSERT_GE(one.size(), 2U);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const RegimeChange& other = two[two.size() - 1 - i];
    EXPECT_LE(one[i].low, 1.0 - other.low);
    EXPECT_GE(one[i].high, 1.0 - other.high);
    EXPECT_EQ(one[i].entering.size(), other.leaving.size());
    EXPECT_EQ(one[i].leaving.size(), other.entering.size());
  }
}

TEST(Regimes, EveryBracketIsNarrowAndFewerPointsFindNothingElse) {
  // On rings many vertices come and go, at p = 1/2 up to all of them at once, and others near by.
  PhiloxStream stream(stream_key(0x72696e67));
  std::size_t count = 0;
  for (int ring = 0; ring < 6; ++ring) {
    SCOPED_TRACE(ring);
    std::vector<double> means(static_cast<std::size_t>(4 + 2 * ring));
    for (double& mean : means) mean = stream.uniform();
    means[0] = 1.1;
    const ModelFamily models =
        models_of("ring", {"p"}, {{"K", static_cast<double>(means.size())}}, Gaussian{1.0}, means);
    const auto few = regime_changes(models, whole_map(models, {.tolerance = 0.1}, {}, 0.01, 0.99).points);
    const auto many = regime_changes(models, whole_map(models, {.tolerance = 1e-2}, {}, 0.0, 1.0).points);
    for (const RegimeChange& change : few) {
      ++count;
      EXPECT_LE(change.high - change.low, 1e-9);
      EXPECT_TRUE(std::any_of(many.begin(), many.end(), [&change](const RegimeChange& other) {
        return other.low <= change.high && change.low <= other.high;
      })) << change.low;
    }
    for (const RegimeChange& change : many) EXPECT_LE(change.high - change.low, 1e-9);
  }
  EXPECT_GE(count, 20U);
}

TEST(Regimes, TheFaceOfTheLooplessCliqueBeginsAtARationalNumber) {
  // From there on T* is 8/(smallest gap)^2, the least there can be where every draw shows one of the two best
  // vertices on average, and other vertices than the first two may be drawn.
  for (const double K : {5.0, 6.0, 9.0}) {
    const std::vector<RegimeChange> found = changes(models_of("loopless-clique", {"p"}, {{"K", K}}), 1e-2);
    ASSERT_EQ(found.size(), 1U);
    const double squared = (K - 1.0) * (K - 1.0);
    const double expected = squared / (2.0 * squared - 1.0);
    EXPECT_LE(found[0].high - found[0].low, 1e-9);
    EXPECT_LE(found[0].low, expected);
    EXPECT_GE(found[0].high, expected);
    EXPECT_TRUE(found[0].leaving.empty());
  }
}

TEST(Regimes, AFaceOfOptimalAllocationsBeginsWhereItBegins) {
  // Two vertices and p: the first shows both with 1/2, the second both with p. Below 1/2 only the first is
  // chosen, above only the second; at 1/2 it does not matter.
  ModelFamily models;
  models.means = {0.0, 1.0};
  models.best = 1;
  models.rounding = 2e-15;
  models.matrix = [](const ParameterPoint& at) { return std::vector<double>{0.5, 0.5, at[0], at[0]}; };
  for (const std::vector<double>& kinks : {std::vector<double>{}, std::vector<double>{0.3}}) {
    const std::vector<RegimeChange> found = changes(models, 1e-2, kinks);
    ASSERT_GE(found.size(), 1U);
    ASSERT_LE(found.size(), 2U);  // two where 1/2 is a point of the curve
    EXPECT_NEAR(found.front().low, 0.5, 1e-9);
    EXPECT_NEAR(found.back().high, 0.5, 1e-9);
    EXPECT_EQ(found.front().entering, std::vector<int>{1});
    EXPECT_EQ(found.back().leaving, std::vector<int>{0});
  }
}

}  // namespace
}  // namespace tasfg
