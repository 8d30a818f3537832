#include "tasfg/algo/tracker.hpp"

#include <cmath>

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

Algorithm tracking(Tracking kind) {
  Algorithm algorithm;
  algorithm.tracking = kind;
  return algorithm;
}

TEST(Tracker, CountsFollowAConstantAllocation) {
  const Instance instance = instance_of("bandit", {{"K", 4.0}});
  const std::vector<double> omega = {0.1, 0.2, 0.3, 0.4};
  for (const Tracking kind : {Tracking::averaged_d, Tracking::d, Tracking::c, Tracking::exponential}) {
    Tracker tracker(instance, tracking(kind), {});
    Estimate e(instance, Setting::informed, {});
    for (int t = 0; t < 20000; ++t) {
      tracker.add(e, omega, true);
      e.pull(tracker.choose(e));
    }
    // C-tracking mixes in ε_t = 1/(2√(K² + t)), whose sum is √t.
    const double slack = kind == Tracking::c ? std::sqrt(20000.0) + 4 : 4.0;
    for (std::size_t v = 0; v < 4; ++v)
      EXPECT_NEAR(e.pulls()[v], 20000 * omega[v], slack) << static_cast<int>(kind) << ' ' << v;
  }
}

TEST(Tracker, StarvedVerticesAreForced) {
  const Instance instance = instance_of("bandit", {{"K", 4.0}});
  const std::vector<double> omega = {1.0, 0.0, 0.0, 0.0};
  for (const ForcedExploration forced : {ForcedExploration::least_pulled, ForcedExploration::lowest_index}) {
    Conventions conventions;
    conventions.forced_exploration = forced;
    Tracker tracker(instance, Algorithm{}, conventions);
    Estimate e(instance, Setting::informed, {});
    for (int t = 0; t < 5000; ++t) {
      tracker.add(e, omega, true);
      const int v = tracker.choose(e);
      const double least = std::sqrt(t + 1.0) - 2.0;
      int lowest = 0;
      while (lowest < 4 && e.pulls()[static_cast<std::size_t>(lowest)] >= least) ++lowest;
      if (lowest < 4) {
        const auto fewest = std::min_element(e.pulls().begin(), e.pulls().end()) - e.pulls().begin();
        ASSERT_EQ(v, forced == ForcedExploration::lowest_index ? lowest : fewest) << t;
      }
      e.pull(v);
    }
    for (const double n : e.pulls()) EXPECT_GE(n, std::sqrt(5000.0) - 3.0);
  }
}

TEST(Tracker, CTrackingNeedsNoForcing) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  const std::vector<double> omega = {1.0, 0.0, 0.0};
  Tracker tracker(instance, tracking(Tracking::c), {});
  Estimate e(instance, Setting::informed, {});
  for (int t = 0; t < 10000; ++t) {
    tracker.add(e, omega, true);
    e.pull(tracker.choose(e));
  }
  // Σ 1/(2√(9 + t)) = √10009 − √9.
  for (const std::size_t v : {1U, 2U}) EXPECT_NEAR(e.pulls()[v], std::sqrt(10009.0) - 3.0, 3.0);
}

TEST(Tracker, AllocationsAreDueEveryPeriodOrEvery5K) {
  const Instance instance = instance_of("bandit", {{"K", 3.0}});
  Algorithm algorithm;
  algorithm.period = 4;
  Conventions every_5K;
  every_5K.allocation_update = AllocationUpdate::every_5K;
  const Tracker periodic(instance, algorithm, {});
  const Tracker published(instance, algorithm, every_5K);
  Estimate e(instance, Setting::informed, {});
  for (int t = 0; t < 40; ++t) {
    EXPECT_EQ(periodic.due(e), t % 4 == 0);
    EXPECT_EQ(published.due(e), t % 15 == 0);
    e.pull(0);
  }
}

TEST(Tracker, WithoutAnAllocationAllVerticesShare) {
  const Instance instance = instance_of("bandit", {{"K", 4.0}});
  Tracker tracker(instance, Algorithm{}, {});
  Estimate e(instance, Setting::informed, {});
  for (int t = 0; t < 400; ++t) {
    tracker.add(e, {9, 9, 9, 9}, false);
    e.pull(tracker.choose(e));
  }
  for (const double n : e.pulls()) EXPECT_EQ(n, 100.0);
}

}  // namespace
}  // namespace tasfg
