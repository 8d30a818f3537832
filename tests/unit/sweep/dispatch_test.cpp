#include "tasfg/sweep/dispatch.hpp"

#include <limits>
#include <map>

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

/// The rank of every task that is handed out.
std::vector<int> ranks_of(const std::vector<Order>& orders) {
  std::vector<int> ranks;
  for (const Order& order : orders)
    for (const Chunk& chunk : order.chunks)
      ranks.insert(ranks.end(), static_cast<std::size_t>(chunk.count), order.rank);
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
  Scheduler scheduler = one_cell(100'000, 0.01);
  scheduler.learn(CellId(0), {1000, 10.0, 0.01});
  Dispatch dispatch(scheduler, 2);
  dispatch.add_rank(0, 1);
  dispatch.add_rank(1, 2);
  (void)dispatch.hand_out(1.0, kForever);  // one to learn from, and then some
  const std::vector<Order> orders = dispatch.hand_out(1.0, kForever);
  EXPECT_TRUE(orders.empty()) << "they have enough";
  EXPECT_EQ(dispatch.busy_threads(), 3);
  std::map<int, double> seconds;
  for (const auto& [id, rank] : dispatch.out()) seconds[rank] += scheduler.chunk(id).expected;
  EXPECT_GE(seconds[0], 0.15);
  EXPECT_LE(seconds[0], 0.3);
  EXPECT_NEAR(seconds[1], 2 * seconds[0], 0.05) << "twice the threads";
}

TEST(Dispatch, ARankThatHasDoneHalfOfItsWorkGetsMoreAndOthersNothing) {
  Scheduler scheduler = one_cell(100'000, 0.01);
  scheduler.learn(CellId(0), {1000, 10.0, 0.01});
  Dispatch dispatch(scheduler, 2);
  dispatch.add_rank(0, 4);
  dispatch.add_rank(1, 4);
  std::map<ChunkId, Chunk> of_one;
  for (const Order& order : dispatch.hand_out(1.0, kForever))
    for (const Chunk& chunk : order.chunks)
      if (order.rank == 1) of_one[chunk.id] = chunk;
  for (const auto& [id, chunk] : of_one)
    if (chunk.count > 1) (void)dispatch.take_back({id, chunk.first, chunk.count - chunk.count / 4, 0});
  const std::vector<Order> more = dispatch.hand_out(1.1, kForever);
  ASSERT_EQ(more.size(), 1U) << "one message";
  EXPECT_EQ(more[0].rank, 1);
}

TEST(Dispatch, WhatIsUndoneGoesToWhoeverIsIdle) {
  Scheduler scheduler = one_cell(1, 1.0);
  Dispatch dispatch(scheduler, 2);
  dispatch.add_rank(1, 1);
  const std::vector<Order> first = dispatch.hand_out(0.0, kForever);
  ASSERT_EQ(ranks_of(first), std::vector{1});
  const Chunk chunk = first[0].chunks[0];
  EXPECT_EQ(dispatch.out().at(chunk.id), 1);
  const Chunk rest = dispatch.take_back({chunk.id, chunk.first, 0, 1});
  EXPECT_EQ(rest.count, 1);
  EXPECT_TRUE(dispatch.out().empty());
  EXPECT_EQ(dispatch.busy_threads(), 0);
  EXPECT_FALSE(scheduler.finished());
  dispatch.add_rank(0, 1);
  const std::vector<Order> second = dispatch.hand_out(1.0, kForever);
  ASSERT_EQ(ranks_of(second), std::vector{0});
  EXPECT_EQ(second[0].chunks[0].run(0), chunk.run(0));
  EXPECT_EQ(dispatch.take_back({second[0].chunks[0].id, chunk.first, 1, 0}).count, 0);
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
