#include "tasfg/sweep/liveness.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Liveness, SilenceCountsFromTheLastSignOfLife) {
  Liveness liveness;
  liveness.watch(2, "rank 2 on n7", 5.0);
  EXPECT_EQ(liveness.silence(2, 8.0), 3.0);
  liveness.heard(2, 8.0);
  EXPECT_EQ(liveness.silence(2, 8.5), 0.5);
  EXPECT_EQ(liveness.name(2), "rank 2 on n7");
}

TEST(Liveness, WhoIsNotWatchedIsNeverSilent) {
  Liveness liveness;
  liveness.heard(0, 1.0);
  EXPECT_EQ(liveness.silence(0, 1000.0), 0.0);
  EXPECT_EQ(liveness.silent_ranks(1000.0, 60.0), "");
}

TEST(Liveness, AnOwnPauseIsNobodysSilence) {
  Liveness liveness;
  liveness.watch(1, "rank 1 on n1", 0.0);
  (void)liveness.beat_due(1.0);
  (void)liveness.beat_due(101.0);  // this process was stopped for 100 s
  EXPECT_EQ(liveness.silence(1, 101.0), 1.0);
  (void)liveness.beat_due(102.0);
  EXPECT_EQ(liveness.silence(1, 102.0), 2.0);
}

TEST(Liveness, BeatsEveryTwoSeconds) {
  Liveness liveness;
  int beats = 0;
  for (int i = 1; i <= 1000; ++i) beats += liveness.beat_due(0.01 * i) ? 1 : 0;
  EXPECT_EQ(beats, 4);
  liveness.sent(10.5);  // what else was sent is a sign of life, too
  EXPECT_FALSE(liveness.beat_due(12.4));
  EXPECT_TRUE(liveness.beat_due(12.6));
}

TEST(Liveness, NamesTheFirstOfManySilentRanks) {
  Liveness liveness;
  for (int rank = 1; rank <= 7; ++rank) liveness.watch(rank, "r" + std::to_string(rank), 0.0);
  liveness.heard(2, 50.0);
  EXPECT_EQ(liveness.silent_ranks(70.0, 60.0), "r1, r3, r4, r5 and 2 more");
  EXPECT_EQ(liveness.silent_ranks(50.0, 60.0), "");
}

TEST(BackOff, SleepsLongerAndLongerUntilSomethingHappens) {
  using std::chrono::microseconds;
  BackOff back_off(microseconds(300));
  EXPECT_EQ(back_off.after_round(true), microseconds(100));
  EXPECT_EQ(back_off.after_round(true), microseconds(200));
  EXPECT_EQ(back_off.after_round(true), microseconds(300));
  EXPECT_EQ(back_off.after_round(true), microseconds(300));
  EXPECT_EQ(back_off.after_round(false), BackOff::kShortest);
}

TEST(BackOff, RanksByTheHundredLookSeldomAndStillSoonEnough) {
  const auto seconds = [](std::chrono::microseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  EXPECT_LT(256 / seconds(BackOff::longest_supplied(256)), 2000) << "looks a second, on one host";
  EXPECT_LE(seconds(BackOff::longest_supplied(2)), 0.025);
  EXPECT_LE(seconds(BackOff::longest_of(2)), 0.004);
  EXPECT_LT(seconds(BackOff::longest_supplied(100'000)), 0.25 * kBeat);
  EXPECT_LT(seconds(BackOff::longest_of(100'000)), 0.05);
}

}  // namespace
}  // namespace tasfg
