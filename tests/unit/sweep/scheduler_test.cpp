#include "tasfg/sweep/scheduler.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// A run of the scheduler on `threads` threads without any delay; returns the makespan.
struct Simulated {
  double makespan = 0.0, total = 0.0, longest = 0.0;
  std::multiset<RunName> ran;
  std::vector<CellId> cells;  // in the order handed out
};

template <typename Cost>
Simulated simulate(Scheduler& scheduler, int threads, Cost cost, double predicted_case = 1e-3,
                   const std::vector<double>& predictions = {}) {
  Simulated result;
  struct Event {
    double time;
    Chunk chunk;
    bool operator<(const Event& other) const { return time > other.time; }
  };
  std::priority_queue<Event> events;
  double now = 0.0;
  int idle = threads;
  while (!scheduler.finished()) {
    while (idle > 0) {
      const auto chunk = scheduler.next(now, threads, kForever);
      if (!chunk) break;
      double seconds = 0.0;
      for (std::int64_t i = 0; i < chunk->count; ++i) {
        const double each = chunk->kind == TaskKind::solve ? predicted_case : cost(chunk->run(i));
        seconds += each;
        result.longest = std::max(result.longest, each);
        if (chunk->kind == TaskKind::run) {
          result.ran.insert(chunk->run(i));
          result.cells.push_back(chunk->cell);
        }
      }
      result.total += seconds;
      events.push({now + seconds, *chunk});
      --idle;
    }
    if (events.empty()) break;
    const Event event = events.top();
    events.pop();
    now = event.time;
    for (std::int64_t i = 0; i < event.chunk.count; ++i) {
      if (event.chunk.kind == TaskKind::solve)
        for (std::size_t cell = 0; cell < predictions.size(); ++cell)
          scheduler.open_cell(CellId(cell), predictions[cell]);
      else
        scheduler.learn(event.chunk.cell, cost(event.chunk.run(i)));
    }
    scheduler.finish(event.chunk.id, event.chunk.count);
    ++idle;
    result.makespan = now;
  }
  return result;
}

TEST(Scheduler, RunsEveryTaskOnce) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t cells = 1 + random() % 20;
    Scheduler scheduler({cells, 1});
    std::multiset<RunName> wanted;
    std::vector<double> price(cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      price[cell] = std::pow(10.0, -6.0 + static_cast<double>(random() % 7));
      scheduler.open_cell(CellId(cell), price[cell] * (0.1 + static_cast<double>(random() % 100)));
      for (std::int64_t first = 0; first < 200;) {
        const auto last = first + 1 + static_cast<std::int64_t>(random() % 60);
        if (random() % 3 != 0) {
          scheduler.add_runs(CellId(cell), first, last, random() % 4 == 0 ? Turn::last : Turn::by_cost);
          for (std::int64_t seed = first; seed < last; ++seed) wanted.insert({CellId(cell), seed});
        }
        first = last;
      }
    }
    const Simulated result = simulate(scheduler, 1 + static_cast<int>(random() % 8),
                                      [&](RunName run) { return price[run.cell.value()]; });
    EXPECT_EQ(result.ran, wanted);
    EXPECT_TRUE(scheduler.finished());
    EXPECT_EQ(scheduler.waiting(), 0);
  }
}

TEST(Scheduler, MakespanIsNearTheBestWhateverThePredictionsWere) {
  // Costs over five orders of magnitude with heavy tails inside a cell, predictions off by up to 100 either
  // way.
  std::mt19937 random(2);
  std::lognormal_distribution<double> spread(0.0, 0.7);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr std::size_t kCells = 40;
    constexpr std::int64_t kSeeds = 100;
    Scheduler scheduler({kCells, 5});
    std::vector<double> cost;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const double mean = std::pow(10.0, -4.0 + 5.0 * static_cast<double>(random() % 1000) / 1000.0);
      const double off = std::pow(10.0, -2.0 + 4.0 * static_cast<double>(random() % 1000) / 1000.0);
      for (std::int64_t seed = 0; seed < kSeeds; ++seed) cost.push_back(mean * spread(random));
      scheduler.open_cell(CellId(cell), mean * off);
      scheduler.add_runs(CellId(cell), 0, kSeeds);
    }
    for (const int threads : {2, 16}) {
      Scheduler copy = scheduler;
      const Simulated result = simulate(copy, threads, [&](RunName run) {
        return cost[run.cell.value() * kSeeds + static_cast<std::size_t>(run.seed)];
      });
      const double best = std::max(result.total / threads, result.longest);
      EXPECT_LE(result.makespan, 1.03 * best) << threads << " threads";
    }
  }
}

TEST(Scheduler, RareLongRunsOfACellThatBeganShortDoNotSetTheMakespan) {
  // As UCB-FG-V has it: most runs of some cells are over in no time, and one in ten takes as long as its
  // others' all do.
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr std::size_t kCells = 24;
    constexpr std::int64_t kSeeds = 20;
    Scheduler scheduler({kCells / 2, 2});
    std::vector<double> cost;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const bool slow =
          cell % 2 == 1;  // an algorithm whose runs take 10 s, or in half of its cells 1 ms or 10 s
      const bool mixed = slow && cell % 4 == 1;
      for (std::int64_t seed = 0; seed < kSeeds; ++seed)
        cost.push_back(!slow ? 0.05 : mixed && (seed == 0 || random() % 10 != 0) ? 1e-3 : 10.0);
      scheduler.open_cell(CellId(cell), slow ? 6.0 : 0.04);
      scheduler.add_runs(CellId(cell), 0, kSeeds);
    }
    const Simulated result = simulate(scheduler, 2, [&](RunName run) {
      return cost[run.cell.value() * kSeeds + static_cast<std::size_t>(run.seed)];
    });
    EXPECT_LE(result.makespan, 1.01 * std::max(result.total / 2, result.longest));
  }
}

TEST(Scheduler, TriesEveryCellBeforeItRepeatsOne) {
  Scheduler scheduler({6, 2});
  for (std::size_t cell = 0; cell < 12; ++cell) {
    scheduler.add_runs(CellId(cell), 0, 5);
    scheduler.open_cell(CellId(cell), 1.0 + static_cast<double>(cell));
  }
  const Simulated result = simulate(scheduler, 1, [](RunName) { return 1.0; });
  std::vector<CellId> first(result.cells.begin(), result.cells.begin() + 12);
  EXPECT_EQ(first.front(), CellId(11)) << "the dearest first";
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::unique(first.begin(), first.end()), first.end());
}

TEST(Scheduler, FarFromTheEndAllCellsAdvanceTogetherAndTheCheapOnesEndIt) {
  // Dearest first alone would leave nine tenths of the rows to the last tenth of the time.
  constexpr std::int64_t kSeeds = 20'000;
  Scheduler scheduler({2, 1});
  const double price[] = {1e-3, 1e-2};
  for (std::size_t cell = 0; cell < 2; ++cell) {
    scheduler.open_cell(CellId(cell), price[cell]);
    scheduler.add_runs(CellId(cell), 0, kSeeds);
  }
  const Simulated result = simulate(scheduler, 4, [&](RunName run) { return price[run.cell.value()]; });
  ASSERT_EQ(result.cells.size(), 2U * kSeeds);
  const auto half = result.cells.begin() + kSeeds;
  const auto cheap = static_cast<double>(std::count(result.cells.begin(), half, CellId(0)));
  EXPECT_NEAR(cheap / kSeeds, 0.5, 0.05);
  const auto dear_last = std::find(result.cells.rbegin(), result.cells.rend(), CellId(1));
  EXPECT_GE(dear_last - result.cells.rbegin(), 100) << "what runs last is short";
}

TEST(Scheduler, RunsWaitForTheirCaseAndSuspectsForAllOthers) {
  Scheduler scheduler({1, 2});
  scheduler.add_case(CaseId(0), 1e-3);
  scheduler.add_runs(CellId(0), 0, 3);
  scheduler.add_runs(CellId(1), 0, 2, Turn::last);
  scheduler.add_runs(CellId(1), 2, 4);
  const Simulated result = simulate(scheduler, 1, [](RunName) { return 0.5; }, 1e-3, {0.5, 0.5});
  ASSERT_EQ(result.cells.size(), 7U);
  EXPECT_TRUE(scheduler.finished());
  const std::vector<CellId> last(result.cells.end() - 2, result.cells.end());
  EXPECT_EQ(last, (std::vector<CellId>{CellId(1), CellId(1)}));
}

TEST(Scheduler, StartsNothingThatCannotEndInTime) {
  Scheduler scheduler({2, 1});
  scheduler.open_cell(CellId(0), 10.0);
  scheduler.open_cell(CellId(1), 0.5);
  scheduler.add_runs(CellId(0), 0, 4);
  scheduler.add_runs(CellId(1), 0, 4);
  int handed = 0;
  while (const auto chunk = scheduler.next(0.0, 1, 5.0)) {
    EXPECT_EQ(chunk->cell, CellId(1));
    ++handed;
  }
  EXPECT_EQ(handed, 4);
  EXPECT_EQ(scheduler.waiting(), 4);
}

TEST(Scheduler, WhatIsGivenBackIsHandedOutAgain) {
  Scheduler scheduler({1, 1});
  scheduler.open_cell(CellId(0), 1e-5);
  scheduler.add_runs(CellId(0), 0, 1000);
  const auto chunk = scheduler.next(0.0, 1, kForever);
  ASSERT_TRUE(chunk);
  ASSERT_GT(chunk->count, 3);
  scheduler.finish(chunk->id, chunk->count - 3);
  const std::int64_t middle = chunk->first + 1;  // the first and the last two are done, say
  EXPECT_EQ(scheduler.left(chunk->id), 3);
  EXPECT_EQ(scheduler.give_back(chunk->id, middle, 2).first, middle);
  EXPECT_EQ(scheduler.left(chunk->id), 1);
  scheduler.finish(chunk->id, 1);
  EXPECT_EQ(scheduler.left(chunk->id), 0);
  std::set<std::int64_t> rest;
  while (const auto next = scheduler.next(1.0, 1, kForever)) {
    for (std::int64_t i = 0; i < next->count; ++i) EXPECT_TRUE(rest.insert(next->first + i).second);
    scheduler.finish(next->id, next->count);
  }
  EXPECT_EQ(static_cast<std::int64_t>(rest.size()), 1000 - chunk->count + 2);
  EXPECT_TRUE(rest.contains(middle) && rest.contains(middle + 1));
  EXPECT_FALSE(rest.contains(chunk->first));
}

TEST(Scheduler, CheapTasksTravelTogetherAndDearOnesAlone) {
  Scheduler scheduler({2, 1});
  scheduler.open_cell(CellId(0), 1e-6);
  scheduler.open_cell(CellId(1), 3.0);
  scheduler.add_runs(CellId(0), 0, 20'000'000);
  scheduler.add_runs(CellId(1), 0, 100);
  std::int64_t cheap = 0, dear = 0;
  for (int i = 0; i < 200; ++i) {
    const auto chunk = scheduler.next(0.001 * i, 2, kForever);
    ASSERT_TRUE(chunk);
    for (std::int64_t k = 0; k < chunk->count; ++k)
      scheduler.learn(chunk->cell, chunk->cell == CellId(0) ? 1e-6 : 3.0);
    scheduler.finish(chunk->id, chunk->count);
    (chunk->cell == CellId(1) ? dear : cheap) =
        std::max(chunk->cell == CellId(1) ? dear : cheap, chunk->count);
  }
  EXPECT_EQ(dear, 1);
  EXPECT_GE(cheap, 1000);
}

TEST(Scheduler, ManyRanksGetAboutASecondOfWorkFarFromTheEnd) {
  const auto seconds = [](double ranks, std::int64_t runs) {
    Scheduler scheduler({1, 1});
    scheduler.open_cell(CellId(0), 0.01);
    scheduler.add_runs(CellId(0), 0, runs);
    const Chunk first = scheduler.next(0.0, Crew(ranks), 1e9).value();
    scheduler.learn(CellId(0), 0.01);
    scheduler.finish(first.id, first.count);
    (void)scheduler.next(1.0, Crew(ranks), 1e9);  // finds out how much there is
    return scheduler.chunk_seconds(Crew(ranks));
  };
  EXPECT_NEAR(seconds(256, 1'000'000), 1.0, 0.1)
      << "else the one coordinator has thousands of messages a second";
  EXPECT_NEAR(seconds(2, 1'000'000), 0.1, 0.02) << "few ranks report early";
  EXPECT_LT(seconds(256, 10'000), 0.06) << "near the end chunks are small";
  EXPECT_GT(seconds(10'000, 1'000'000'000), 2.0) << "thousands would send too many messages";
}

TEST(Scheduler, ManyRanksGetLittleWhileNobodyKnowsWhatMostOfTheWorkTakes) {
  Scheduler scheduler({2, 1});
  const Crew crew(64.0 * 1000, 1000);
  for (const CellId cell : {CellId(0), CellId(1)}) {
    scheduler.open_cell(cell, 0.01);
    scheduler.add_runs(cell, 0, cell == CellId(0) ? 100'000'000 : 1'000'000'000);
  }
  const auto seconds_at = [&](double now) {
    (void)scheduler.next(now, crew, 1e9);
    (void)scheduler.next(now + 0.5, crew, 1e9);
    return scheduler.chunk_seconds(crew);
  };
  EXPECT_LT(seconds_at(0.0), 0.3) << "they report soon what they have measured";
  scheduler.learn(CellId(0), 0.01);
  EXPECT_LT(seconds_at(1.0), 0.3) << "a tenth of the work";
  scheduler.learn(CellId(1), 0.01);
  EXPECT_GT(seconds_at(2.0), 1.9);
}

TEST(Scheduler, ACellOfWhichNothingIsKnownIsNotHandedOutInBulk) {
  // The first results are those of short runs; on them alone the other cells of the algorithm look cheap,
  // too.
  Scheduler scheduler({2, 1});
  scheduler.open_cell(CellId(0), 1.0);
  scheduler.open_cell(CellId(1), 1.0);
  scheduler.add_runs(CellId(0), 0, 1'000'000);
  scheduler.add_runs(CellId(1), 0, 1'000'000);
  const auto first = scheduler.next(0.0, 1000, kForever);
  const auto second = scheduler.next(0.0, 1000, kForever);
  ASSERT_TRUE(first && second);
  ASSERT_NE(first->cell, second->cell);
  scheduler.learn(first->cell, 1e-6);
  scheduler.finish(first->id, first->count);
  for (int i = 0; i < 20; ++i) {
    const auto chunk = scheduler.next(1.0 + 0.001 * i, 1000, kForever);
    ASSERT_TRUE(chunk);
    EXPECT_LE(chunk->count, 8);
  }
}

TEST(Scheduler, RunsThatAreNotNeededAnyMoreNeitherWaitNorComeBack) {
  Scheduler scheduler({1, 1});
  const CellId cell(0);
  scheduler.open_cell(cell, 1.0);
  scheduler.add_runs(cell, 0, 10);
  scheduler.add_runs(cell, 12, 14, Turn::last);
  const auto chunk = scheduler.next(0.0, 1, std::numeric_limits<double>::infinity());
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->first, 0);
  scheduler.end_runs(cell, 4);
  EXPECT_EQ(scheduler.waiting(), 4 - chunk->count);
  scheduler.add_runs(cell, 2, 8);  // given back: 2 and 3 are needed
  EXPECT_EQ(scheduler.waiting(), 4 - chunk->count + 2);
  scheduler.end_runs(cell, 0);
  EXPECT_EQ(scheduler.waiting(), 0);
  (void)scheduler.give_back(chunk->id, chunk->first, chunk->count);
  EXPECT_TRUE(scheduler.finished());
}

}  // namespace
}  // namespace tasfg
