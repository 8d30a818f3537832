#include "tasfg/sweep/early_end.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(EarlyEnd, WhatRunsGetsFourSecondsAndThenThreeToGiveUp) {
  EarlyEnd end;
  EXPECT_FALSE(end.advance(100.0, true, true)) << "it has not begun";
  EXPECT_TRUE(end.begin(100.0, "SIGTERM", false));
  EXPECT_FALSE(end.advance(103.9, false, false));
  EXPECT_TRUE(end.advance(104.1, false, false));
  EXPECT_EQ(end.phase(), Phase::cancelled);
  EXPECT_FALSE(end.advance(106.9, false, true)) << "there is nothing to hurry any more";
  EXPECT_TRUE(end.advance(107.1, false, false));
  EXPECT_EQ(end.phase(), Phase::given_up);
}

TEST(EarlyEnd, ASecondSignalCancelsAtOnceAndNobodyWaitsForTheSilent) {
  EarlyEnd end;
  (void)end.begin(0.0, "SIGTERM", false);
  EXPECT_TRUE(end.advance(0.1, false, true));
  EXPECT_EQ(end.phase(), Phase::cancelled);
  EXPECT_TRUE(end.advance(0.2, true, false));
  EXPECT_EQ(end.phase(), Phase::given_up);
}

TEST(EarlyEnd, TheFirstReasonStands) {
  EarlyEnd end;
  EXPECT_TRUE(end.begin(0.0, "the walltime is nearly over", true));
  EXPECT_FALSE(end.begin(3.0, "SIGTERM", false));
  end.add_reason("; no answer from rank 1 on n1");
  EXPECT_EQ(end.why(), "the walltime is nearly over; no answer from rank 1 on n1");
  EXPECT_TRUE(end.out_of_time());
  EXPECT_TRUE(end.advance(4.1, false, false)) << "counted from the first";
}

}  // namespace
}  // namespace tasfg
