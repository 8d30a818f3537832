#include "tasfg/sweep/early_end.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(EarlyEnd, WhatRunsGetsFourSecondsAndThenThreeToGiveUp) {
  EarlyEnd end;
  EXPECT_FALSE(end.advance(100.0, Haste::nobody_answers)) << "it has not begun";
  EXPECT_TRUE(end.begin(100.0, "SIGTERM", Cause::other));
  EXPECT_FALSE(end.advance(103.9, Haste::none));
  EXPECT_TRUE(end.advance(104.1, Haste::none));
  EXPECT_EQ(end.phase(), Phase::cancelled);
  EXPECT_FALSE(end.advance(106.9, Haste::cancel_now)) << "there is nothing to hurry any more";
  EXPECT_TRUE(end.advance(107.1, Haste::none));
  EXPECT_EQ(end.phase(), Phase::given_up);
}

TEST(EarlyEnd, ASecondSignalCancelsAtOnceAndNobodyWaitsForTheSilent) {
  EarlyEnd end;
  (void)end.begin(0.0, "SIGTERM", Cause::other);
  EXPECT_TRUE(end.advance(0.1, Haste::cancel_now));
  EXPECT_EQ(end.phase(), Phase::cancelled);
  EXPECT_TRUE(end.advance(0.2, Haste::nobody_answers));
  EXPECT_EQ(end.phase(), Phase::given_up);
}

TEST(EarlyEnd, TheFirstReasonStands) {
  EarlyEnd end;
  EXPECT_TRUE(end.begin(0.0, "the walltime is nearly over", Cause::out_of_time));
  EXPECT_FALSE(end.begin(3.0, "SIGTERM", Cause::other));
  end.add_reason("; no answer from rank 1 on n1");
  EXPECT_EQ(end.why(), "the walltime is nearly over; no answer from rank 1 on n1");
  EXPECT_EQ(end.cause(), Cause::out_of_time);
  EXPECT_TRUE(end.advance(4.1, Haste::none)) << "counted from the first";
}

}  // namespace
}  // namespace tasfg
