#include "tasfg/sweep/dispatch.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// One cell of `runs` runs that take `seconds` each.
Scheduler one_cell(std::int64_t runs, double seconds) {
  Scheduler scheduler({1, 1});
  scheduler.open_cell(CellId(0), seconds);
  scheduler.add_runs(CellId(0), 0, runs);
  return scheduler;
}

std::vector<int> ranks_of(const std::vector<Order>& orders) {
  std::vector<int> ranks;
  for (const Order& order : orders) ranks.push_back(order.rank);
  return ranks;
}

TEST(Dispatch, EveryThreadOfEveryRankThatHasComeGetsWork) {
  Scheduler scheduler = one_cell(100, 10.0);
  Dispatch dispatch(scheduler, 3);
  dispatch.add_rank(0, 2);
  dispatch.add_rank(2, 3);  // rank 1 has not come yet
  EXPECT_EQ(dispatch.threads(), 5);
  EXPECT_EQ(ranks_of(dispatch.hand_out(1.0, kForever)), (std::vector{0, 0, 2, 2, 2}));
  EXPECT_EQ(dispatch.busy_threads(), 5);
}

TEST(Dispatch, NothingIsPutBehindALongTaskNearTheEnd) {
  Scheduler scheduler = one_cell(12, 10.0);
  Dispatch dispatch(scheduler, 2);
  dispatch.add_rank(0, 2);
  dispatch.add_rank(1, 2);
  EXPECT_EQ(ranks_of(dispatch.hand_out(1.0, kForever)), (std::vector{0, 0, 1, 1}));
  EXPECT_TRUE(dispatch.hand_out(1.1, kForever).empty());
}

TEST(Dispatch, NoLongTaskIsPutBehindAShortOneNearTheEnd) {
  Scheduler scheduler({2, 1});
  scheduler.open_cell(CellId(0), 0.01);
  scheduler.add_runs(CellId(0), 0, 1);
  Dispatch dispatch(scheduler, 1);
  dispatch.add_rank(0, 1);
  EXPECT_EQ(dispatch.hand_out(1.0, kForever).size(), 1U);
  scheduler.open_cell(CellId(1), 10.0);
  scheduler.add_runs(CellId(1), 0, 2);
  EXPECT_TRUE(
      dispatch.hand_out(2.0, 0.0).empty());  // there is no time, but the scheduler has seen the new cell
  EXPECT_TRUE(dispatch.hand_out(2.01, kForever).empty());
}

TEST(Dispatch, ShortTasksHaveAReserveWhichComesAfterEveryIdleThread) {
  Scheduler scheduler = one_cell(1000, 0.01);
  Dispatch dispatch(scheduler, 2);
  dispatch.add_rank(0, 1);
  dispatch.add_rank(1, 2);
  EXPECT_EQ(ranks_of(dispatch.hand_out(1.0, kForever)), (std::vector{0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(dispatch.busy_threads(), 3);
  EXPECT_EQ(dispatch.chunks(), 6);
}

TEST(Dispatch, WhatIsUndoneGoesToWhoeverIsIdle) {
  Scheduler scheduler = one_cell(1, 1.0);
  Dispatch dispatch(scheduler, 2);
  dispatch.add_rank(1, 1);
  const std::vector<Order> first = dispatch.hand_out(0.0, kForever);
  ASSERT_EQ(ranks_of(first), std::vector{1});
  const ChunkId id = first[0].chunk.id;
  EXPECT_TRUE(dispatch.is_out(id));
  EXPECT_EQ(dispatch.out().at(id), 1);
  const Chunk rest = dispatch.close(id, 1);
  EXPECT_EQ(rest.count, 1);
  EXPECT_FALSE(dispatch.is_out(id));
  EXPECT_EQ(dispatch.busy_threads(), 0);
  EXPECT_FALSE(scheduler.finished());
  dispatch.add_rank(0, 1);
  const std::vector<Order> second = dispatch.hand_out(1.0, kForever);
  ASSERT_EQ(ranks_of(second), std::vector{0});
  EXPECT_EQ(second[0].chunk.run(0), first[0].chunk.run(0));
  EXPECT_EQ(dispatch.close(second[0].chunk.id, 0).count, 0);
  EXPECT_TRUE(scheduler.finished());
}

TEST(Dispatch, HandsOutNothingThatCannotEndInTime) {
  Scheduler scheduler = one_cell(10, 10.0);
  Dispatch dispatch(scheduler, 1);
  dispatch.add_rank(0, 1);
  EXPECT_TRUE(dispatch.hand_out(0.0, 12.0).empty());
  EXPECT_FALSE(dispatch.hand_out(0.0, 20.0).empty());
}

}  // namespace
}  // namespace tasfg
