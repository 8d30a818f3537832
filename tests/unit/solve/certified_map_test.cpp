#include "tasfg/solve/certified_map.hpp"

#include <algorithm>
#include <cmath>

#include "solve/family_curves.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

using testing::kinks_of;
using testing::models_of;
using testing::whole_map;

const Cell& cell_at(const CertifiedMap& map, const ParameterPoint& at, int parameters) {
  for (const Cell& cell : map.cells) {
    bool inside = true;
    for (std::size_t k = 0; k < static_cast<std::size_t>(parameters); ++k)
      inside = inside && cell.box.low[k] <= at[k] && at[k] <= cell.box.high[k];
    if (inside) return cell;
  }
  ADD_FAILURE() << "no cell at " << at[0] << ", " << at[1];
  return map.cells.front();
}

/// How many random points lie outside the bounds of their cells.
int misses(const ModelFamily& models, const CertifiedMap& map, int points) {
  PhiloxStream stream(stream_key(0x6d6973ULL));
  CharacteristicTimeSolver solver;
  int count = 0;
  for (int i = 0; i < points; ++i) {
    ParameterPoint at{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(models.parameters); ++k) {
      const double low = map.points.front().at[k];
      at[k] = low + (map.points.back().at[k] - low) * stream.uniform();
    }
    const PointSolution point = solve_point(models.view(), models.matrix(at), solver);
    const Cell& cell = cell_at(map, at, models.parameters);
    count += point.upper < cell.time.low || point.lower > cell.time.high ? 1 : 0;
  }
  return count;
}

struct Rewards {
  RewardFamily family;
  double low, high;  // of the means
};
const Rewards kRewards[] = {
    {Gaussian{1.0}, 0.0, 1.0}, {Bernoulli{}, 0.3, 0.7}, {Poisson{}, 0.5, 2.0}, {Exponential{}, 0.5, 2.0}};

TEST(CertifiedMap, PointsKeepTheirValuesWhenMapsAreJoinedAndSorted) {
  const auto map_of = [](double at, std::vector<double> allocation) {
    CertifiedMap map;
    const std::vector<std::uint8_t> support(allocation.size(), 1);
    map.points.push_back({{at, 0.0}, 1.0, 1.0, allocation, support, true});
    map.points.push_back({{at + 1.0, 0.0}, 1.0, 1.0, {}, {}, false});
    map.keep_values();
    std::ranges::fill(allocation, -1.0);
    return map;
  };
  CertifiedMap map = map_of(3.0, {0.25, 0.75});
  map.append(map_of(1.0, {0.5, 0.125, 0.375}));
  map.sort_points();
  ASSERT_EQ(map.points.size(), 4U);
  EXPECT_TRUE(std::ranges::equal(map.points[0].allocation, std::vector{0.5, 0.125, 0.375}));
  EXPECT_EQ(map.points[0].support.size(), 3U);
  EXPECT_TRUE(map.points[1].allocation.empty());
  EXPECT_TRUE(std::ranges::equal(map.points[2].allocation, std::vector{0.25, 0.75}));
}

TEST(CertifiedMap, HoldsBetweenThePointsOfEveryFamilyAndReward) {
  constexpr double kTolerance = 0.02;
  for (const GraphFamily& family : graph_families()) {
    for (const ParameterSpec& spec : family.parameters) {
      if (spec.dependence != Dependence::affine) continue;
      for (const Rewards& rewards : kRewards) {
        SCOPED_TRACE(std::string(family.name) + " over " + std::string(spec.name));
        std::vector<double> means = models_of(family.name, {std::string(spec.name)}).means;
        for (double& mean : means) mean = rewards.low + (rewards.high - rewards.low) * mean;
        Parameters fixed;  // so that the family takes every value of the parameter
        if (family.name == "random")
          fixed.emplace(spec.name == "q" ? "r" : "q", spec.name == "q" ? 1.0 : 0.0);
        const ModelFamily models =
            models_of(family.name, {std::string(spec.name)}, fixed, rewards.family, means);
        const CertifiedMap map =
            whole_map(models, {.tolerance = kTolerance}, {kinks_of(family.name, spec.name), {}});
        double end = 0.0;
        for (const Cell& cell : map.cells) {
          ASSERT_EQ(cell.box.low[0], end);
          end = cell.box.high[0];
          ASSERT_NE(cell.outcome, CellOutcome::unresolved);
          if (cell.outcome == CellOutcome::certified)
            ASSERT_LE(cell.time.high / cell.time.low, 1.0 + kTolerance);
          else
            ASSERT_LE(cell.box.width(0), 1e-4);
        }
        EXPECT_EQ(end, 1.0);
        ASSERT_EQ(map.points.size(), map.cells.size() + 1);
        for (std::size_t i = 0; i < map.cells.size(); ++i) {
          ASSERT_EQ(map.points[i].at[0], map.cells[i].box.low[0]);
          ASSERT_LE(map.cells[i].time.low, map.points[i].lower);
          ASSERT_GE(map.cells[i].time.high, map.points[i + 1].upper);
        }
        EXPECT_EQ(misses(models, map, 200), 0);
      }
    }
  }
}

TEST(CertifiedMap, AWrongKinkIsSeenBetweenThePoints) {
  // T* of this star rises up to q = 1/2, where its default r = max(0, (1 - 2q)/16) ends, and falls from there
  // on. Cut beside 1/2, the cell that holds the kink is taken for affine.
  const ModelFamily models = models_of("loopy-star-alt", {"q"}, {{"p", 0.49}});
  const RefineOptions options{.tolerance = 1e-3};
  EXPECT_EQ(misses(models, whole_map(models, options, {std::vector{0.5}, {}}, 0.49, 0.51), 2000), 0);
  EXPECT_GT(misses(models, whole_map(models, options, {std::vector{0.4999}, {}}, 0.49, 0.51), 2000), 0);
}

TEST(CertifiedMap, RectanglesHoldInsideTheirBounds) {
  constexpr double kTolerance = 0.05;
  const struct {
    const char* family;
    std::vector<std::string> over;
  } maps[] = {{"loopy-star", {"p", "q"}}, {"loopy-star-alt", {"p", "q"}}, {"symmetric", {"p", "r"}}};
  for (const auto& each : maps) {
    SCOPED_TRACE(each.family);
    const ModelFamily models = models_of(each.family, each.over);
    const CertifiedMap map =
        whole_map(models, {.tolerance = kTolerance},
                  {kinks_of(each.family, each.over[0]), kinks_of(each.family, each.over[1])});
    double area = 0.0;
    for (const Cell& cell : map.cells) {
      area += cell.box.width(0) * cell.box.width(1);
      if (cell.outcome != CellOutcome::certified) continue;
      ASSERT_LE(cell.time.high / cell.time.low, 1.0 + kTolerance);
    }
    EXPECT_NEAR(area, 1.0, 1e-12);
    EXPECT_EQ(misses(models, map, 1000), 0);
  }
}

TEST(CertifiedMap, ProductsOfTwoParametersAreEnclosed) {
  // Each vertex shows itself with xy, and its neighbour with x(1-y): bilinear, not jointly affine.
  ModelFamily models;
  models.parameters = 2;
  models.means = {0.1, 0.5, 0.9};
  models.best = 2;
  models.reward = Bernoulli{};
  models.rounding = 2e-15;
  models.matrix = [](const ParameterPoint& at) {
    const double own = at[0] * at[1];
    const double next = at[0] * (1.0 - at[1]);
    return std::vector<double>{own, next, 0, 0, own, next, next, 0, own};
  };
  const CertifiedMap map = whole_map(models, {.tolerance = 0.1, .divergent_width = 0.02}, {});
  EXPECT_EQ(misses(models, map, 1000), 0);
}

TEST(CertifiedMap, InfiniteTimesAreNamedAndRefinedToTheWidth) {
  const ModelFamily models = models_of("loopy-star", {"p"}, {{"r", 0.0}});
  const CertifiedMap map =
      whole_map(models, {.tolerance = 0.1, .divergent_width = 1e-3}, {std::vector{0.5}, {}});
  int diverging = 0;
  for (const Cell& cell : map.cells) {
    EXPECT_EQ(cell.outcome == CellOutcome::infinite, cell.box.low[0] >= 0.5);
    if (cell.outcome != CellOutcome::diverges) continue;
    ++diverging;
    EXPECT_EQ(cell.box.high[0], 0.5);
    EXPECT_LE(cell.box.width(0), 1e-3);
    EXPECT_TRUE(std::isinf(cell.time.high));
    EXPECT_GT(cell.time.low, 100.0);
  }
  EXPECT_EQ(diverging, 1);
}

TEST(CertifiedMap, CellsAreAboutAsFewAsTheToleranceAllows) {
  // log T* of the bandit changes by log 16 between p = 1/16 and 1, and each cell spans at most the tolerance.
  const ModelFamily models = models_of("bandit", {"p"});
  const Box whole{{0.0625, 0.0}, {1.0, 0.0}};
  for (const double tolerance : {1e-2, 1e-3}) {
    CertifiedMap map;
    for (const Box& box : start_boxes(whole, 1, {}))
      map.append(refine(models, box, whole, {.tolerance = tolerance}));
    EXPECT_LT(static_cast<double>(map.cells.size()), 2.0 * std::log(16.0) / tolerance + 64.0);
  }
}

}  // namespace
}  // namespace tasfg
