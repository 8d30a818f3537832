#include "tasfg/algo/information_scores.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

#include "tasfg/solve/allocations.hpp"

namespace tasfg {
namespace {

TEST(InformationScores, OfTheTruthAreTheModels) {
  const Instance instance = instance_of("random", {{"K", 8.0}});
  const std::vector<double> expected = information_scores(view_of(instance));
  std::vector<double> scores(8);
  ASSERT_TRUE(InformationScores(instance).compute(exact_estimate(instance), scores));
  for (std::size_t v = 0; v < 8; ++v) EXPECT_NEAR(scores[v], expected[v], 1e-12 * expected[v]) << v;
}

TEST(InformationScores, AreUnknownWhereTheBestVertexIsNotUnique) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  InformationScores scores(instance);
  std::vector<double> out(3);
  Estimate e(instance, Setting::informed, {});
  EXPECT_FALSE(scores.compute(e, out));
  for (int u = 0; u < 3; ++u) {
    e.pull(u);
    e.observe(u, u, u == 0 ? 0.0 : 0.5);
  }
  EXPECT_FALSE(scores.compute(e, out));
  e.pull(2);
  e.observe(2, 2, 0.75);
  EXPECT_TRUE(scores.compute(e, out));
}

}  // namespace
}  // namespace tasfg
