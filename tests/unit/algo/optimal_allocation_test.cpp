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

TEST(OptimalAllocation, FollowsManyVerticesByTheirEdges) {
  // Of a sparse graph edges alone are read, also those that have not fired yet.
  PhiloxStream stream(stream_key(18));
  const Instance instance = instance_of("torus", {{"K", 64.0}});
  for (const double gap : {0.0, 1e-3}) {
    OptimalAllocation kept(instance, gap, AllocationUpdate::every_step);
    Estimate e(instance, Setting::informed, {});
    for (int t = 0; t < 64 * 4; ++t) draw(instance, e, t % 64, stream, 0.4, [](int, double) {});
    ASSERT_EQ(e.unseen(), 0);
    std::vector<double> omega(64), expected(64);
    for (int t = 0; t < 300; ++t) {
      draw(instance, e, t * 29 % 64, stream, 0.4, [](int, double) {});
      OptimalAllocation fresh(instance, 1e-9, AllocationUpdate::every_step);
      std::vector<double> graph;
      for (int v = 0; v < 64; ++v)
        for (int u = 0; u < 64; ++u) graph.push_back(e.edge(v, u));
      ASSERT_TRUE(kept.allocate(e, omega));
      ASSERT_TRUE(fresh.allocate(e, expected));
      const ModelView model{64, graph, e.means(), e.best(), &instance.reward()};
      const double ratio = time_of(model, omega) / time_of(model, expected);
      EXPECT_GE(ratio, 1.0 - 1e-8) << t;
      EXPECT_LE(ratio, 1.0 / (1.0 - (gap > 0.0 ? gap : 0.1)) + 1e-8) << t;
    }
  }
}

TEST(OptimalAllocation, OfGraphsWithoutAMatrixNeedsTheirEdgesAlone) {
  PhiloxStream stream(stream_key(19));
  const int K = kLargestMatrix + 4;
  const auto n = static_cast<std::size_t>(K);
  const Instance instance = instance_of("ring", {{"K", static_cast<double>(K)}, {"p", 0.9}});
  ASSERT_FALSE(instance.graph().has_matrix());
  OptimalAllocation allocation(instance, 0.0, AllocationUpdate::every_step);
  Estimate e(instance, Setting::informed, {});
  std::vector<double> omega(n);
  const auto pull = [&](int v) { draw(instance, e, v, stream, 0.0, [](int, double) {}); };
  for (int v = 0; v < K - 4; ++v) pull(v);
  // Means are rising, and unseen ones taken for 1: the last vertex must stand out.
  e.observe(K - 2, K - 1, 2.0);
  ASSERT_TRUE(allocation.allocate(e, omega));
  for (int v = 0; v < K; ++v)
    ASSERT_EQ(omega[static_cast<std::size_t>(v)], v < K - 4 ? 0.0 : 0.25) << "who was never pulled shows all";
  for (int v = K - 4; v < K; ++v) pull(v);
  e.observe(K - 2, K - 1, 2.0);
  ASSERT_GT(e.unseen(), 0);
  EXPECT_FALSE(allocation.allocate(e, omega)) << "nobody has shown it";
  for (int round = 0; round < 6; ++round)
    for (int v = 0; v < K; ++v) pull(v);
  e.observe(K - 2, K - 1, 2.0);
  ASSERT_EQ(e.unseen(), 0);
  ASSERT_TRUE(allocation.allocate(e, omega));
  std::vector<double> values;
  for (int v = 0; v < K; ++v)
    for (const Edge& edge : instance.graph().out(v)) values.push_back(e.edge(v, edge.vertex));
  ModelView model{K, {}, e.means(), e.best(), &instance.reward()};
  model.edges = &instance.graph();
  model.edge_values = values;
  const SolveInfo closely = CharacteristicTimeSolver().solve_cold(model, {});
  ASSERT_EQ(closely.status, SolveStatus::solved);
  EXPECT_LE(time_of(model, omega), closely.upper / 0.9 * (1.0 + 1e-8));
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
