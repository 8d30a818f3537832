#include "solve/optimality.hpp"

#include "solve/family_curves.hpp"
#include "solve/random_instances.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

using testing::random_instance;

/// Both ends of T* at its ω and λ are its own value.
void expect_optimal(const ModelView& model, const Optimum& found, double upper, double lower) {
  const std::size_t K = found.vertex.size();
  std::vector<double> omega(K, 0.0), lambda(K, 0.0);
  for (std::size_t v = 0; v < K; ++v) {
    if (found.drawn[v] != 0) omega[v] = found.vertex[v];
    if (found.binding[v] != 0 && static_cast<int>(v) != model.best) lambda[v] = found.arm[v];
    EXPECT_GT(found.vertex[v], 0.0);
  }
  EXPECT_NEAR(time_of(model, omega) * found.value, 1.0, 1e-11);
  EXPECT_NEAR(certified_lower(model, lambda, omega) * found.value, 1.0, 1e-11);
  EXPECT_LE(lower * found.value, 1.0 + 1e-11);
  EXPECT_GE(upper * found.value, 1.0 - 1e-11);
}

TEST(Optimality, ASolutionsSetsLeadToTheOptimumToRounding) {
  CharacteristicTimeSolver solver;
  int found = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const Instance instance = random_instance(i, 2, 12);
    const ModelView model = view_of(instance);
    const SolveInfo info = solver.solve_cold(model, {});
    if (info.status == SolveStatus::infeasible) continue;
    solver.centre(model, {});
    const auto optimum = optimum_near(model, guess_of(model, solver));
    if (!optimum) continue;  // edges of 1e-6 and gaps of 1e-6 are beyond it
    ++found;
    expect_optimal(model, *optimum, info.upper, info.lower);
  }
  EXPECT_GE(found, 30);
}

TEST(Optimality, TheSetsOfAnotherRegimeAreSeenToBeWrongAndRepaired) {
  const ModelFamily star = testing::models_of("loopy-star", {"p"}, {{"q", 1.0}, {"r", 0.25}});
  const double places[] = {0.05, 0.2, 0.4};  // its three regimes
  const auto at = [&star](double p, std::vector<double>& graph) {
    graph = star.matrix({p, 0.0});
    ModelView model = star.view();
    model.graph = graph;
    return model;
  };
  std::vector<Optimum> optima;
  CharacteristicTimeSolver solver;
  std::vector<double> graph;
  for (const double p : places) {
    const ModelView model = at(p, graph);
    static_cast<void>(solver.solve_cold(model, {}));
    const auto optimum = optimum_near(model, guess_of(model, solver));
    ASSERT_TRUE(optimum);
    optima.push_back(*optimum);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const ModelView model = at(places[i], graph);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(optimum_with_sets_of(model, optima[j]).has_value(), i == j) << i << ' ' << j;
      if (i == j || i * j == 0) continue;  // between the others one vertex changes sides
      const auto repaired = optimum_near(model, optima[j]);
      ASSERT_TRUE(repaired) << i << ' ' << j;
      EXPECT_EQ(repaired->drawn, optima[i].drawn) << i << ' ' << j;
    }
  }
}

TEST(Optimality, AThinFaceIsFollowedIntoItsEnd) {
  // Two vertices show both; the first as often as the second where x = 0. Drawn are both, in any shares, as
  // long as the third arm has evidence enough: that leaves shares of the second up to x.
  const RewardFamily reward = Gaussian{1.0};
  const std::vector<double> means{0.0, 0.5, 1.0};
  const auto graph = [](double x) {
    const double seen = 0.125 / 1.75 + x;  // enough for f_0 = f_1 at x = 0
    return std::vector<double>{seen, 0.5, 0.5, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0};
  };
  CharacteristicTimeSolver solver;
  double x = 1e-2;
  std::vector<double> G = graph(x);
  ModelView model{3, G, means, 2, &reward};
  static_cast<void>(solver.solve_cold(model, {}));
  solver.centre(model, {});
  auto last = optimum_near(model, guess_of(model, solver));
  ASSERT_TRUE(last);
  ASSERT_EQ(last->drawn, (std::vector<std::uint8_t>{1, 1, 0}));
  for (int halvings = 0; halvings < 26; ++halvings) {
    x *= 0.5;
    G = graph(x);
    model.graph = G;
    last = optimum_with_sets_of(model, *last);
    ASSERT_TRUE(last) << x;
  }
  G = graph(-x);
  model.graph = G;
  EXPECT_FALSE(optimum_with_sets_of(model, *last));
}

}  // namespace
}  // namespace tasfg
