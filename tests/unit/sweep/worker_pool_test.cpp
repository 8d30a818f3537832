#include "tasfg/sweep/worker_pool.hpp"

#include <limits>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

class WorkerPoolTest : public SmallStudy {
 protected:
  /// The reports of a pool until `closed` chunks are closed.
  static std::vector<Report> reports_of(WorkerPool& pool, int closed) {
    std::vector<Report> reports;
    while (closed > 0) {
      pool.wait(std::chrono::milliseconds(10));
      for (Report& report : pool.take()) {
        closed -= report.closed ? 1 : 0;
        reports.push_back(std::move(report));
      }
    }
    return reports;
  }
};

TEST_F(WorkerPoolTest, SolvesCases) {
  WorkerPool pool(grid_, 1);
  pool.push({ChunkId(1), TaskKind::solve, {}, 0, 2, 0.0});
  const std::vector<Report> reports = reports_of(pool, 1);
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].solutions.size(), 2U);
  EXPECT_EQ(reports[0].solutions[1].id, CaseId(1));
  EXPECT_EQ(reports[0].solutions[1].solution.status, TaskStatus::done);
  EXPECT_TRUE(reports[0].failures.empty());
}

TEST_F(WorkerPoolTest, ChunksComeBackUnderTheirNamesWithEveryRun) {
  WorkerPool pool(grid_, 3);
  for (std::int64_t cell = 0; cell < 4; ++cell)
    pool.push({ChunkId(10 + cell), TaskKind::run, CellId(cell), 0, kSeeds, 0.0});
  const std::vector<Report> reports = reports_of(pool, 4);
  ASSERT_EQ(reports.size(), 4U);
  const RowShape shape{1, 4};
  for (const Report& report : reports) {
    ASSERT_EQ(report.rows.size(), static_cast<std::size_t>(kSeeds) * shape.words());
    EXPECT_EQ(report.undone, 0);
    EXPECT_GT(report.seconds, 0.0);
    for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
      const ConstRunRow row(report.rows.data() + static_cast<std::size_t>(seed) * shape.words(), shape);
      EXPECT_EQ(row.cell() + 10, report.chunk.number());
      EXPECT_EQ(row.seed(), seed);
      EXPECT_EQ(row.status(), TaskStatus::done);
    }
  }
}

TEST_F(WorkerPoolTest, CancelledItGivesBackTheRunThatIsUnderWayAndAllAfterIt) {
  Grid endless = expand_job(kJob, "test.toml", {"delta=[1e-300]", "max_steps=1000000000"}, nullptr);
  endless.options.max_steps = std::numeric_limits<std::int64_t>::max();
  endless.log_inv_delta = {1e300};
  WorkerPool pool(endless, 1);
  pool.push({ChunkId(1), TaskKind::run, CellId(0), 0, 3, 0.0});
  pool.push({ChunkId(2), TaskKind::run, CellId(0), 3, 2, 0.0});
  pool.wait(std::chrono::milliseconds(20));
  EXPECT_TRUE(pool.take().empty());
  pool.cancel();
  const std::vector<Report> reports = reports_of(pool, 2);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].undone, 3);
  EXPECT_EQ(reports[1].undone, 2);
  EXPECT_TRUE(reports[0].rows.empty());
}

}  // namespace
}  // namespace tasfg
