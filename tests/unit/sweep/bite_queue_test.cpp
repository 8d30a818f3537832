#include "tasfg/sweep/bite_queue.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

Chunk runs(std::int64_t id, std::int64_t first, std::int64_t count, double each) {
  return {ChunkId(id), TaskKind::run, CellId(0), first, count, each * static_cast<double>(count)};
}

TEST(BiteQueue, BitesAreNeighboursInOrderAndAllOfIt) {
  BiteQueue queue(3);
  queue.push(std::vector{runs(1, 100, 1000, 1e-3), runs(2, 5, 7, 1e-4)});
  std::int64_t next = 100;
  for (Chunk bite = queue.bite(); bite.id == ChunkId(1); bite = queue.bite()) {
    EXPECT_EQ(bite.first, next);
    EXPECT_GE(bite.count, 1);
    next += bite.count;
    if (next < 1100) continue;
    EXPECT_EQ(next, 1100);
    break;
  }
  EXPECT_EQ(queue.bite().count, 7) << "as long as the shortest bite";
  EXPECT_TRUE(queue.empty());
}

TEST(BiteQueue, BitesGetSmallerTowardsTheEndWithinLimits) {
  BiteQueue queue(2);
  queue.push(std::vector{runs(1, 0, 100'000, 1e-5)});
  std::int64_t last = queue.bite().count;
  EXPECT_NEAR(static_cast<double>(last), 0.1 / 1e-5, 1.0);
  while (!queue.empty()) {
    const std::int64_t count = queue.bite().count;
    EXPECT_LE(count, last);
    last = count;
  }
  EXPECT_LE(last, 100);
}

TEST(BiteQueue, LongTasksAreTakenOneByOne) {
  BiteQueue queue(2);
  queue.push(std::vector{runs(1, 0, 3, 10.0)});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.bite().count, 1);
  EXPECT_TRUE(queue.empty());
}

TEST(BiteQueue, TasksOfNoLengthAreTakenTogether) {
  BiteQueue queue(2);
  queue.push(std::vector{runs(1, 0, 3, 0.0)});
  EXPECT_EQ(queue.bite().count, 3);
}

TEST(BiteQueue, KnowsWhenHalfIsTaken) {
  BiteQueue queue(1);
  EXPECT_TRUE(queue.half_taken());
  queue.push(std::vector{runs(1, 0, 1, 10.0), runs(2, 1, 1, 10.0), runs(3, 2, 1, 10.0)});
  EXPECT_FALSE(queue.half_taken());
  (void)queue.bite();
  EXPECT_FALSE(queue.half_taken());
  (void)queue.bite();
  EXPECT_TRUE(queue.half_taken());
  queue.mark();
  EXPECT_FALSE(queue.half_taken());
  (void)queue.whole();
  EXPECT_TRUE(queue.half_taken());
}

TEST(BiteQueue, HundredsOfRanksReportAboutOnceASecondThousandsLessOften) {
  EXPECT_NEAR(BiteQueue::report_interval(1), 0.2, 0.01);
  EXPECT_GE(BiteQueue::report_interval(256), 1.0);
  EXPECT_LE(BiteQueue::report_interval(500), 1.5);
  EXPECT_LT(10'000 / BiteQueue::report_interval(10'000), 600) << "reports a second to one coordinator";
}

}  // namespace
}  // namespace tasfg
