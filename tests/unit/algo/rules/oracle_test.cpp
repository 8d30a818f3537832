#include "tasfg/algo/rules/oracle.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(OracleRule, CountsStayWithinOneOfTheAllocation) {
  const Instance instance = instance_of("bandit", {{"K", 4.0}});
  const std::vector<double> omega = {0.55, 0.0, 0.25, 0.2};
  Estimate e(instance, Setting::informed, {});
  PhiloxStream stream(stream_key(1));
  OracleRule rule(omega);
  for (int t = 1; t <= 5000; ++t) {
    e.pull(rule.choose(e, stream));
    for (std::size_t v = 0; v < 4; ++v) ASSERT_NEAR(e.pulls()[v], t * omega[v], 1.5) << t;
  }
  EXPECT_EQ(e.pulls()[1], 0.0);
}

}  // namespace
}  // namespace tasfg
