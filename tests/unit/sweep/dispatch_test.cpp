#include "tasfg/sweep/dispatch.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "tasfg/sweep/bite_queue.hpp"

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

TEST(Dispatch, ARankIsNotSentThousandsOfSmallChunks) {
  Scheduler scheduler = one_cell(1'000'000, 1e-6);  // nothing is measured: a chunk has few tasks
  Dispatch dispatch(scheduler, 1);
  dispatch.add_rank(0, 2);
  (void)dispatch.hand_out(1.0, kForever);
  EXPECT_LE(dispatch.chunks(), 2 * 4 + 1);
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

/// Ranks whose threads take bites and report as a WorkerPool does; messages take no time.
class Ranks {
 public:
  Ranks(Scheduler& scheduler, int ranks, int threads)
      : scheduler_(scheduler),
        dispatch_(scheduler, ranks),
        ranks_(static_cast<std::size_t>(ranks), Rank(threads)) {
    for (int rank = 0; rank < ranks; ++rank) dispatch_.add_rank(rank, threads);
  }
  /// The time at which the last of all tasks ends.
  double run(const std::function<double(RunName)>& cost) {
    double now = 0.0;
    hand_out(now, cost);
    while (!ends_.empty()) {
      const End end = ends_.top();
      ends_.pop();
      now = end.time;
      Rank& rank = ranks_[end.rank];
      ++rank.idle;
      rank.done.push_back(end.bite);
      begin(end.rank, now, cost);
      if (!rank.queue.half_taken()) continue;
      rank.queue.mark();
      for (const Chunk& bite : std::exchange(rank.done, {})) {
        for (std::int64_t i = 0; i < bite.count; ++i) scheduler_.learn(bite.cell, cost(bite.run(i)));
        (void)dispatch_.take_back({bite.id, bite.first, bite.count, 0});
      }
      hand_out(now, cost);
    }
    return now;
  }

 private:
  struct Rank {
    BiteQueue queue;
    int idle;
    std::vector<Chunk> done{};
    explicit Rank(int threads) : queue(threads), idle(threads) {}
  };
  struct End {
    double time;
    std::size_t rank;
    Chunk bite;
    bool operator<(const End& other) const { return time > other.time; }
  };
  void hand_out(double now, const std::function<double(RunName)>& cost) {
    for (const Order& order : dispatch_.hand_out(now, kForever)) {
      const auto rank = static_cast<std::size_t>(order.rank);
      ranks_[rank].queue.push(order.chunks);
      begin(rank, now, cost);
    }
  }
  void begin(std::size_t number, double now, const std::function<double(RunName)>& cost) {
    Rank& rank = ranks_[number];
    for (; rank.idle > 0 && !rank.queue.empty(); --rank.idle) {
      const Chunk bite = rank.queue.bite();
      double seconds = 0.0;
      for (std::int64_t i = 0; i < bite.count; ++i) seconds += cost(bite.run(i));
      ends_.push({now + seconds, number, bite});
    }
  }
  Scheduler& scheduler_;
  Dispatch dispatch_;
  std::vector<Rank> ranks_;
  std::priority_queue<End> ends_;
};

TEST(Dispatch, MakespanIsNearTheBestForRanksOfAnyNumberOfThreads) {
  // As Scheduler.MakespanIsNearTheBestWhateverThePredictionsWere has it.
  std::mt19937 random(2);
  std::lognormal_distribution<double> spread(0.0, 0.7);
  for (int trial = 0; trial < 10; ++trial) {
    constexpr std::size_t kCells = 40;
    constexpr std::int64_t kSeeds = 100;
    Scheduler scheduler({kCells, 5});
    std::vector<double> cost;
    double total = 0.0, longest = 0.0;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const double mean = std::pow(10.0, -4.0 + 5.0 * static_cast<double>(random() % 1000) / 1000.0);
      const double off = std::pow(10.0, -2.0 + 4.0 * static_cast<double>(random() % 1000) / 1000.0);
      for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
        cost.push_back(mean * spread(random));
        total += cost.back();
        longest = std::max(longest, cost.back());
      }
      scheduler.open_cell(CellId(cell), mean * off);
      scheduler.add_runs(CellId(cell), 0, kSeeds);
    }
    for (const auto& [ranks, threads] : {std::pair{1, 2}, {2, 1}, {2, 8}, {16, 1}, {1, 16}}) {
      Scheduler copy = scheduler;
      const double makespan = Ranks(copy, ranks, threads).run([&](RunName run) {
        return cost[run.cell.value() * kSeeds + static_cast<std::size_t>(run.seed)];
      });
      EXPECT_TRUE(copy.finished());
      EXPECT_LE(makespan, 1.03 * std::max(total / (ranks * threads), longest)) << ranks << " x " << threads;
    }
  }
}

}  // namespace
}  // namespace tasfg
