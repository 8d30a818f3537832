#include "solve/interior_point.hpp"

#include <cmath>
#include <variant>
#include <vector>

#include "random_instances.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// T* by the form `Newton`, compiled here: without the wider instructions that the library may take.
template <typename Newton>
SolveInfo solve_by(InteriorPointState<Newton>& state, const ModelView& model) {
  state.load(model);
  return std::visit([&](const auto& reward) { return InteriorPoint(state, reward).solve(Start::cold, {}); },
                    *model.reward);
}

TEST(InteriorPoint, EveryFormReachesTheSameValue) {
  InteriorPointState<SmallNewton<8>> eight;
  InteriorPointState<SmallNewton<12>> twelve;
  InteriorPointState<SmallNewton<16>> sixteen;
  InteriorPointState<DenseNewton> dense;
  InteriorPointState<SparseNewton> sparse;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Instance instance = testing::random_instance(i, 2, 16);
    const ModelView model = view_of(instance);
    const double value = solve_by(dense, model).upper;
    std::vector<double> values{solve_by(sixteen, model).upper, solve_by(sparse, model).upper};
    if (model.K <= 12) values.push_back(solve_by(twelve, model).upper);
    if (model.K <= 8) values.push_back(solve_by(eight, model).upper);
    for (const double other : values) ASSERT_NEAR(other / value, 1.0, 2e-8) << i;
  }
}

TEST(InteriorPoint, WiderInstructionsGiveTheSameBits) {
  CharacteristicTimeSolver solver;
  PhiloxStream stream(stream_key(10));
  InteriorPointState<SmallNewton<8>> eight;
  InteriorPointState<SmallNewton<12>> twelve;
  InteriorPointState<SmallNewton<16>> sixteen;
  InteriorPointState<DenseNewton> dense;
  int seen = 0;
  const auto expect_same = [&](auto& state, const ModelView& model, Start start) {
    const SolveOptions options{start == Start::cold ? 1e-10 : 1e-4, 1e-8, 200};
    state.load(model);
    const SolveInfo here = InteriorPoint(state, std::get<Gaussian>(*model.reward)).solve(start, options);
    const SolveInfo ours =
        start == Start::cold ? solver.solve_cold(model, options) : solver.solve_warm(model, options);
    ASSERT_EQ(ours.upper, here.upper);
    ASSERT_EQ(ours.lower, here.lower);
    ASSERT_EQ(ours.iterations, here.iterations);
    for (std::size_t v = 0; v < static_cast<std::size_t>(model.K); ++v) {
      ASSERT_EQ(solver.allocation()[v], state.best_omega[v]);
      ASSERT_EQ(solver.weights()[v], state.best_lambda[v]);
    }
    ++seen;
  };
  // From a cold start, and on from there as TaS-FG does.
  const auto expect_same_along = [&](auto& state, const Instance& instance) {
    expect_same(state, view_of(instance), Start::cold);
    std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
    for (const double change : {1e-6, 1e-3, 1e-1}) {
      for (double& p : G) p *= 1.0 + change * (stream.uniform() - 0.5);
      expect_same(state, {instance.size(), G, instance.means(), instance.best(), &instance.reward()},
                  Start::warm);
    }
  };
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Instance instance = testing::random_instance(i, 2, 24);
    if (!std::holds_alternative<Gaussian>(instance.reward())) continue;
    SCOPED_TRACE(i);
    if (instance.size() <= 8)
      expect_same_along(eight, instance);
    else if (instance.size() <= 12)
      expect_same_along(twelve, instance);
    else if (instance.size() <= 16)
      expect_same_along(sixteen, instance);
    else
      expect_same_along(dense, instance);
  }
  EXPECT_GT(seen, 1600);
}

TEST(SmallNewton, SolvesTheSystemOfItsTerms) {
  PhiloxStream stream(stream_key(9));
  for (const int K : {2, 3, 7, 8, 9, 12, 13, 15, 16}) {
    const auto n = static_cast<std::size_t>(K);
    std::vector<double> G(n * n), means(n, 0.0);
    for (double& p : G) p = stream.uniform() < 0.5 ? stream.uniform() : 0.0;
    const RewardFamily reward = Gaussian{1.0};
    const int best = static_cast<int>(stream.uniform() * K);
    const auto a = static_cast<std::size_t>(best);
    SmallNewton<16> newton;
    newton.load({K, G, means, best, &reward});
    SmallNewton<16>::Vector weight{}, tilt{}, diagonal{}, x{}, right{};
    diagonal.fill(1.0);
    for (std::size_t u = 0; u < n; ++u) {
      weight[u] = u == a ? 0.0 : 0.1 + stream.uniform();
      tilt[u] = u == a ? 0.0 : stream.uniform() - 0.5;
      diagonal[u] = 0.1 + stream.uniform();
      x[u] = stream.uniform() - 0.5;
    }
    const double rest = stream.uniform();
    // right = M x, from the definition of M.
    const auto g = [&](std::size_t v, std::size_t u) { return G[v * n + u]; };
    for (std::size_t u = 0; u < n; ++u) {
      double along = 0.0;
      for (std::size_t v = 0; v < n; ++v) along += (g(v, u) + (u == a ? 0.0 : tilt[u] * g(v, a))) * x[v];
      for (std::size_t v = 0; v < n; ++v)
        right[v] += (u == a ? rest : weight[u]) * along * (g(v, u) + (u == a ? 0.0 : tilt[u] * g(v, a)));
    }
    for (std::size_t v = 0; v < n; ++v) right[v] += diagonal[v] * x[v];
    newton.factor({weight, tilt, rest, diagonal});
    newton.solve(right);
    for (std::size_t v = 0; v < n; ++v) EXPECT_NEAR(right[v], x[v], 1e-10) << K;
    for (std::size_t v = n; v < 16; ++v) EXPECT_EQ(right[v], 0.0) << K;
  }
}

}  // namespace
}  // namespace tasfg
