#include "tasfg/algo/rules/tas_fg.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// Known from draw `from` on.
struct Fixed {
  int* asked;
  int from;
  bool allocate(const Estimate& e, std::vector<double>& out) const {
    ++*asked;
    out = {0.5, 0.3, 0.2};
    return e.draws() >= from;
  }
};

std::vector<double> pulls_after(int draws, int period, int from, int& asked) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  Algorithm algorithm;
  algorithm.period = period;
  TasRule rule(Fixed{&asked, from}, Tracker(instance, algorithm, {}), 3);
  Estimate e(instance, Setting::informed, {});
  PhiloxStream stream(stream_key(1));
  for (int t = 0; t < draws; ++t) e.pull(rule.choose(e, stream));
  return e.pulls();
}

TEST(TasRule, CountsFollowTheAllocation) {
  int asked = 0;
  const std::vector<double> pulls = pulls_after(1000, 1, 0, asked);
  EXPECT_EQ(asked, 1000);
  EXPECT_NEAR(pulls[0], 500, 2);
  EXPECT_NEAR(pulls[1], 300, 2);
  EXPECT_NEAR(pulls[2], 200, 2);
}

TEST(TasRule, TheAllocationIsComputedOncePerPeriodAndKept) {
  int asked = 0;
  const std::vector<double> pulls = pulls_after(1000, 10, 0, asked);
  EXPECT_EQ(asked, 100);
  EXPECT_NEAR(pulls[0], 500, 2);
}

TEST(TasRule, BeforeThereIsAnAllocationAllVerticesShare) {
  int asked = 0;
  const std::vector<double> pulls = pulls_after(300, 1, 1000, asked);
  for (const double n : pulls) EXPECT_EQ(n, 100);
}

}  // namespace
}  // namespace tasfg
