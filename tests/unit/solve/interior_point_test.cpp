#include "solve/interior_point.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "random_instances.hpp"
#include "solve/newton_terms.hpp"
#include <gtest/gtest.h>

#define TASFG_EACH_VERSION "solve/small_newton_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {
namespace {

TEST(InteriorPoint, EveryFormReachesTheSameValue) {
  const auto eight = make_interior_point(MatrixForm::small_8);
  const auto twelve = make_interior_point(MatrixForm::small_12);
  const auto sixteen = make_interior_point(MatrixForm::small_16);
  const auto dense = make_interior_point(MatrixForm::dense);
  const auto sparse = make_interior_point(MatrixForm::sparse);
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Instance instance = testing::random_instance(i, 2, 16);
    const ModelView model = view_of(instance);
    const auto value_by = [&](const auto& solver) { return solver->solve(model, Start::cold, {}).upper; };
    const double value = value_by(dense);
    std::vector<double> values{value_by(sixteen), value_by(sparse)};
    if (model.K <= 12) values.push_back(value_by(twelve));
    if (model.K <= 8) values.push_back(value_by(eight));
    for (const double other : values) ASSERT_NEAR(other / value, 1.0, 2e-8) << i;
  }
}

#ifdef __x86_64__
TEST(InteriorPoint, WiderInstructionsGiveTheSameBits) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "no AVX2 here";
  PhiloxStream stream(stream_key(10));
  for (std::uint64_t i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const Instance instance = testing::random_instance(i, 2, 24);
    const ModelView first = view_of(instance);
    const auto plain = make_interior_point(form_for(first), Version::plain);
    const auto wide = make_interior_point(form_for(first), Version::avx2);
    const auto expect_same = [&](const ModelView& model, Start start, double gap) {
      const SolveOptions options{gap, 1e-8, 200};
      const SolveInfo here = plain->solve(model, start, options);
      const SolveInfo there = wide->solve(model, start, options);
      ASSERT_EQ(here.upper, there.upper);
      ASSERT_EQ(here.lower, there.lower);
      ASSERT_EQ(here.iterations, there.iterations);
      ASSERT_TRUE(std::ranges::equal(plain->allocation(), wide->allocation()));
      ASSERT_TRUE(std::ranges::equal(plain->weights(), wide->weights()));
    };
    // From a cold start, and on from there as TaS-FG does.
    expect_same(first, Start::cold, 1e-10);
    std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
    for (const double change : {1e-6, 1e-3, 1e-1}) {
      for (double& p : G) p *= 1.0 + change * (stream.uniform() - 0.5);
      expect_same({instance.size(), G, instance.means(), instance.best(), &instance.reward()}, Start::warm,
                  1e-4);
    }
  }
}
#endif

TEST(SmallNewton, SolvesTheSystemOfItsTerms) {
  PhiloxStream stream(stream_key(9));
  for (const int K : {2, 3, 7, 8, 9, 12, 13, 15, 16}) {
    const auto n = static_cast<std::size_t>(K);
    std::vector<double> G(n * n), means(n, 0.0);
    for (double& p : G) p = stream.uniform() < 0.5 ? stream.uniform() : 0.0;
    const RewardFamily reward = Gaussian{1.0};
    const int best = static_cast<int>(stream.uniform() * K);
    const auto a = static_cast<std::size_t>(best);
    plain::SmallNewton<16> newton;
    newton.load({K, G, means, best, &reward});
    plain::SmallNewton<16>::Vector weight{}, tilt{}, diagonal{}, x{}, right{};
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
