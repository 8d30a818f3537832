#include "tasfg/sweep/harvest.hpp"

#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

Chunk bite(std::int64_t chunk, std::int64_t first, std::int64_t count, TaskKind kind = TaskKind::run) {
  return {ChunkId(chunk), kind, CellId(0), first, count, 1.0};
}

/// As (chunk, first, done, undone).
using Numbers = std::vector<std::vector<std::int64_t>>;
Numbers numbers(const std::vector<Part>& parts) {
  Numbers all;
  for (const Part& each : parts) all.push_back({each.chunk.number(), each.first, each.done, each.undone});
  return all;
}

TEST(Harvest, NeighbouringPartsOfAChunkAreOne) {
  Harvest<int> harvest;
  for (const std::int64_t first : {10, 15, 20}) harvest.begin(bite(1, first, 5));
  harvest.begin(bite(2, 25, 5));
  harvest.add({ChunkId(1), 20, 2, 3}, 3);
  harvest.add({ChunkId(2), 25, 5, 0}, 4);
  harvest.add({ChunkId(1), 10, 5, 0}, 1);
  harvest.add({ChunkId(1), 15, 5, 0}, 2);
  const auto [parts, rows] = harvest.take();
  EXPECT_EQ(numbers(parts), (Numbers{{1, 10, 12, 3}, {2, 25, 5, 0}}));
  EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), 0), 10);
  EXPECT_TRUE(harvest.empty());
}

TEST(Harvest, WhatIsDoneBehindATaskUnderWayWaitsForOneReport) {
  Harvest<int> harvest;
  for (const std::int64_t first : {0, 5, 10}) harvest.begin(bite(1, first, 5));
  harvest.begin(bite(2, 0, 5));
  harvest.add({ChunkId(1), 0, 5, 0}, 0);
  harvest.add({ChunkId(1), 10, 5, 0}, 0);
  harvest.add({ChunkId(2), 0, 1, 0}, 0);  // the rest of it is under way
  EXPECT_EQ(numbers(harvest.take().first), (Numbers{{1, 0, 5, 0}, {2, 0, 1, 0}}));
  EXPECT_FALSE(harvest.empty());
  harvest.add({ChunkId(2), 1, 4, 0}, 0);
  EXPECT_EQ(numbers(harvest.take().first), (Numbers{{1, 10, 5, 0}, {2, 1, 4, 0}})) << "but no longer";
  EXPECT_TRUE(harvest.empty());
  EXPECT_TRUE(harvest.take().first.empty());
  harvest.add({ChunkId(1), 5, 5, 0}, 0);
  EXPECT_EQ(numbers(harvest.take().first), (Numbers{{1, 5, 5, 0}}));
}

TEST(Harvest, WhatIsGivenBackEndsAPart) {
  Harvest<int> harvest;
  for (const std::int64_t first : {0, 5}) harvest.begin(bite(1, first, 5));
  harvest.add({ChunkId(1), 0, 3, 2}, 0);
  harvest.add({ChunkId(1), 5, 5, 0}, 0);
  EXPECT_EQ(numbers(harvest.take().first), (Numbers{{1, 0, 3, 2}, {1, 5, 5, 0}}));
}

TEST(Harvest, SolutionsWaitForNothing) {
  Harvest<int> harvest;
  for (const std::int64_t first : {0, 1}) harvest.begin(bite(1, first, 1, TaskKind::solve));
  harvest.add({ChunkId(1), 1, 1, 0}, 0);
  EXPECT_EQ(numbers(harvest.take().first), (Numbers{{1, 1, 1, 0}}));
}

TEST(Harvest, AReportIsDueSoonWhenHalfIsTakenAtOnceWhenAllIsDoneAndSeldomOtherwise) {
  Harvest<int> harvest;
  BiteQueue queue(1);
  queue.push(std::vector{bite(1, 0, 1), bite(2, 0, 1), bite(3, 0, 1)});
  EXPECT_EQ(harvest.due_in(queue, 100.0, 0.8), kInfinity) << "nothing to report";
  harvest.begin(queue.bite());
  harvest.add({ChunkId(1), 0, 1, 0}, 0);
  EXPECT_NEAR(harvest.due_in(queue, 0.05, 0.8), 0.75, 1e-9);
  EXPECT_EQ(harvest.due_in(queue, 0.9, 0.8), 0.0);
  harvest.begin(queue.bite());
  EXPECT_NEAR(harvest.due_in(queue, 0.05, 0.8), 0.05, 1e-9);
  harvest.add({ChunkId(2), 0, 1, 0}, 0);
  harvest.begin(queue.bite());
  EXPECT_NEAR(harvest.due_in(queue, 0.05, 0.8), 0.05, 1e-9) << "one is under way";
  harvest.add({ChunkId(3), 0, 1, 0}, 0);
  EXPECT_EQ(harvest.due_in(queue, 0.05, 0.8), 0.0);
}

TEST(Harvest, EveryTaskIsReportedOnceWhateverTheOrder) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    Harvest<int> harvest;
    std::vector<Part> under_way;
    std::multiset<std::pair<std::int64_t, std::int64_t>> reported;
    std::int64_t next = 0;
    while (reported.size() < 60) {
      if (next < 60 && random() % 2 == 0) {
        const auto count = static_cast<std::int64_t>(1 + random() % 3);
        const std::int64_t chunk = next / 20, last = std::min(next + count, 20 * (chunk + 1));
        harvest.begin(bite(chunk, next, last - next));
        under_way.push_back({ChunkId(chunk), next, last - next, 0});
        next = last;
      } else if (!under_way.empty()) {
        std::swap(under_way[random() % under_way.size()], under_way.back());
        harvest.add(under_way.back(), 0);
        under_way.pop_back();
      }
      if (random() % 4 != 0) continue;
      for (const Part& part : harvest.take().first)
        for (std::int64_t i = 0; i < part.done; ++i) reported.emplace(part.chunk.number(), part.first + i);
    }
    std::multiset<std::pair<std::int64_t, std::int64_t>> all;
    for (std::int64_t i = 0; i < 60; ++i) all.emplace(i / 20, i);
    ASSERT_EQ(reported, all);
  }
}

}  // namespace
}  // namespace tasfg
