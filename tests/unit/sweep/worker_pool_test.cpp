#include "tasfg/sweep/worker_pool.hpp"

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/dyadic.hpp"

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
  EXPECT_EQ(reports[0].solutions.name(1), name_of(CaseId(1)));
  const CaseFormat format(shape_of(grid_));
  EXPECT_EQ(format.values(reports[0].solutions, &CaseSolution::status)[1], TaskStatus::done);
  EXPECT_TRUE(reports[0].failures.empty());
}

TEST_F(WorkerPoolTest, ChunksComeBackUnderTheirNamesWithEveryRun) {
  WorkerPool pool(grid_, 3);
  for (std::int64_t cell = 0; cell < 4; ++cell)
    pool.push({ChunkId(10 + cell), TaskKind::run, CellId(cell), 0, kSeeds, 0.0});
  const std::vector<Report> reports = reports_of(pool, 4);
  ASSERT_EQ(reports.size(), 4U);
  const RunFormat format(shape_of(grid_));
  for (const Report& report : reports) {
    ASSERT_EQ(report.runs.size(), static_cast<std::size_t>(kSeeds));
    EXPECT_EQ(report.undone, 0);
    EXPECT_GT(report.seconds, 0.0);
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
      EXPECT_EQ(report.runs.name(i).cell.number() + 10, report.chunk.number());
      EXPECT_EQ(report.runs.name(i).seed, static_cast<std::int64_t>(i));
      EXPECT_EQ(format.values(report.runs, &RunRecord::status)[i], TaskStatus::done);
    }
  }
}

TEST_F(WorkerPoolTest, CancelledItGivesBackTheRunThatIsUnderWayAndAllAfterIt) {
  Grid endless = expand_job(kJob, "test.toml", {"delta=[1e-300]", "max_steps=1000000000"}, nullptr);
  endless.options.max_steps = kMostDraws;
  endless.options.skip = false;  // else it is at its end in no time
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
  EXPECT_TRUE(reports[0].runs.empty());
}

}  // namespace
}  // namespace tasfg
