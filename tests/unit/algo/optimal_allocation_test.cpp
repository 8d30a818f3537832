#include "tasfg/algo/optimal_allocation.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(OptimalAllocation, OfTheTruthIsWorthTheCharacteristicTime) {
  for (const char* family : {"ring", "loopy-star", "random"}) {
    const Instance instance = instance_of(family, {{"K", 6.0}});
    const double T_star = characteristic_time(instance).upper;
    for (const double gap : {1e-3, 1e-8}) {
      std::vector<double> omega(6);
      OptimalAllocation allocation(instance, gap, AllocationUpdate::every_step);
      ASSERT_TRUE(allocation.allocate(exact_estimate(instance), omega));
      const double T = time_of(view_of(instance), omega);
      EXPECT_GE(T, T_star * (1 - 1e-9)) << family;
      EXPECT_LE(T, T_star / (1 - gap) * (1 + 1e-9)) << family;
    }
  }
}

TEST(OptimalAllocation, FollowsTheEstimateFromDrawToDraw) {
  // Rows of the graph are copied where their counts have changed: a row left behind would show here.
  PhiloxStream stream(stream_key(8));
  const Instance instance = instance_of("random", {{"K", 6.0}});
  OptimalAllocation kept(instance, 1e-9, AllocationUpdate::every_step);
  Estimate e = random_estimate(instance, Setting::informed, {}, 60, 6, stream);
  for (int t = 0; t < 40; ++t) {
    draw(instance, e, t % 6, stream, 0.4, [](int, double) {});
    OptimalAllocation fresh(instance, 1e-9, AllocationUpdate::every_step);
    std::vector<double> omega(6), expected(6), graph;
    ASSERT_EQ(kept.allocate(e, omega), fresh.allocate(e, expected));
    for (int v = 0; v < 6; ++v)
      for (int u = 0; u < 6; ++u) graph.push_back(e.edge(v, u));
    const ModelView model{6, graph, e.means(), e.best(), &instance.reward()};
    EXPECT_NEAR(time_of(model, omega) / time_of(model, expected), 1.0, 1e-8) << t;
  }
}

TEST(OptimalAllocation, IsUnknownWhereTheBestVertexIsNotUniqueByTheConvention) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  for (const UniqueBest unique : {UniqueBest::exact, UniqueBest::close}) {
    Conventions conventions;
    conventions.unique_best = unique;
    Estimate e(instance, Setting::informed, conventions);
    for (int u = 0; u < 3; ++u) {
      e.pull(u);
      e.observe(u, u, 1.0 + 1e-6 * u);
    }
    std::vector<double> omega(3);
    EXPECT_EQ(OptimalAllocation(instance, 1e-3, AllocationUpdate::every_step).allocate(e, omega),
              unique == UniqueBest::exact);
  }
}

}  // namespace
}  // namespace tasfg
