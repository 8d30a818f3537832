#include "solve/interior_point.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "random_instances.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(InteriorPoint, EveryFormReachesTheSameValue) {
  const auto eight = make_interior_point(MatrixForm::small_8);
  const auto twelve = make_interior_point(MatrixForm::small_12);
  const auto sixteen = make_interior_point(MatrixForm::small_16);
  const auto dense = make_interior_point(MatrixForm::dense);
  const auto sparse = make_interior_point(MatrixForm::sparse);
  const auto restricted = make_interior_point(MatrixForm::restricted);
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Instance instance = testing::random_instance(i, 2, 16);
    const ModelView model = view_of(instance);
    const auto value_by = [&](const auto& solver) { return solver->solve(model, Start::cold, {}).upper; };
    const double value = value_by(dense);
    std::vector<double> values{value_by(sixteen), value_by(sparse), value_by(restricted)};
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
    const Instance instance = testing::random_instance(i, 2, i % 20 == 0 ? 80 : 24);
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

}  // namespace
}  // namespace tasfg
