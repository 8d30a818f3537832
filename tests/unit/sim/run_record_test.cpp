#include "tasfg/sim/run_record.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(RunRecord, StatusesAreTheNumbersOfTheFile) {
  EXPECT_EQ(static_cast<int>(TaskStatus::pending), 0);
  EXPECT_EQ(static_cast<int>(TaskStatus::done), 1);
  EXPECT_EQ(static_cast<int>(TaskStatus::capped), 2);
  EXPECT_EQ(static_cast<int>(TaskStatus::failed), 3);
  EXPECT_EQ(static_cast<int>(TaskStatus::not_needed), 4);
  EXPECT_EQ(kTaskStatuses, 5);
}

TEST(RunRecord, OfANewRunNothingIsKnown) {
  const RunRecord record;
  EXPECT_EQ(record.status, TaskStatus::pending);
  EXPECT_EQ(record.steps, -1);
  EXPECT_EQ(record.attempts, 0);
  EXPECT_TRUE(std::isnan(record.seconds));
  EXPECT_TRUE(record.tau.empty() && record.pulls.empty());
}

}  // namespace
}  // namespace tasfg
