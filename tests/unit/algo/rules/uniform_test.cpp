#include "tasfg/algo/rules/uniform.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(UniformRule, TakesAllVerticesInTurn) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  Estimate e(instance, Setting::informed, {});
  PhiloxStream stream(stream_key(1));
  UniformRule rule;
  for (int t = 0; t < 12; ++t) {
    const int v = rule.choose(e, stream);
    EXPECT_EQ(v, t % 3);
    e.pull(v);
  }
}

}  // namespace
}  // namespace tasfg
