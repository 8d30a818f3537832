#include "tasfg/sweep/rule_watch.hpp"

#include <gtest/gtest.h>

#include "tasfg/algo/rules/external.hpp"

namespace tasfg {
namespace {

using namespace std::chrono_literals;

TEST(RuleWatch, GivesUpAThreadWhoseRuleStandsStill) {
  std::atomic<int> given_up{0};
  pthread_t who{};
  RuleWatch watch(RuleWatch::Seconds(0.05), [&](pthread_t thread) {
    who = thread;
    ++given_up;
  });
  const RuleWatch::Guard guard(watch);
  while (given_up == 0) std::this_thread::sleep_for(5ms);
  EXPECT_NE(pthread_equal(who, pthread_self()), 0);
}

TEST(RuleWatch, LeavesAThreadAloneThatMovesOnOrIsNotWatched) {
  std::atomic<int> given_up{0};
  RuleWatch watch(RuleWatch::Seconds(2.0), [&](pthread_t) { ++given_up; });
  {
    const RuleWatch::Guard guard(watch);
    for (int i = 0; i < 60; ++i) {
      ++external_steps();
      std::this_thread::sleep_for(50ms);
    }
  }
  std::this_thread::sleep_for(2500ms);
  EXPECT_EQ(given_up, 0);
}

}  // namespace
}  // namespace tasfg
