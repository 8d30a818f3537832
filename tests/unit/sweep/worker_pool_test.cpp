#include "tasfg/sweep/worker_pool.hpp"

#include <algorithm>
#include <vector>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/dyadic.hpp"

namespace tasfg {
namespace {

class WorkerPoolTest : public SmallStudy {
 protected:
  /// All that a pool reports until so many tasks are done or given back.
  static std::vector<Report> reports_of(WorkerPool& pool, std::int64_t tasks) {
    std::vector<Report> all;
    while (tasks > 0) {
      pool.wait(std::chrono::milliseconds(10));
      Report report = pool.take();
      for (const Part& part : report.parts) tasks -= part.done + part.undone;
      if (!report.empty()) all.push_back(std::move(report));
    }
    EXPECT_EQ(tasks, 0);
    return all;
  }
};

TEST_F(WorkerPoolTest, SolvesCases) {
  WorkerPool pool(grid_, 1, 1);
  pool.push({{{ChunkId(1), TaskKind::solve, {}, 0, 2, 0.0}}});
  const std::vector<Report> reports = reports_of(pool, 2);
  ASSERT_EQ(reports.size(), 1U);
  const Report& report = reports[0];
  ASSERT_EQ(report.solutions.size(), 2U);
  EXPECT_EQ(report.solutions.name(1), name_of(CaseId(1)));
  const CaseFormat format(shape_of(grid_));
  EXPECT_EQ(format.values(report.solutions, &CaseSolution::status)[1], TaskStatus::done);
  EXPECT_TRUE(report.failures.empty());
}

TEST_F(WorkerPoolTest, EveryRunOfEveryChunkComesBackOnce) {
  for (const double expected : {0.0, 10.0}) {  // seconds: the smaller, the more a thread takes at a time
    WorkerPool pool(grid_, 3, 1);
    std::vector<Chunk> chunks;
    for (std::int64_t cell = 0; cell < 4; ++cell)
      chunks.push_back({ChunkId(10 + cell), TaskKind::run, CellId(cell), 0, kSeeds, expected});
    pool.push(chunks);
    std::vector<RunName> parts, runs;
    const RunFormat format(shape_of(grid_));
    double seconds = 0.0;
    for (Report& report : reports_of(pool, 4 * kSeeds)) {
      if (expected > 0.0) pool.join_runs(report);
      EXPECT_TRUE(expected == 0.0 || report.runs.size() <= 1);
      seconds += report.seconds;
      for (const Part& part : report.parts)
        for (std::int64_t i = 0; i < part.done; ++i)
          parts.push_back({CellId(part.chunk.number() - 10), part.first + i});
      for (const PackedRows& rows : report.runs)
        for (const Stretch& each : rows.stretches)
          for (std::int64_t i = 0; i < each.count; ++i) {
            EXPECT_EQ(format.values(rows, &RunRecord::status)[static_cast<std::size_t>(each.row + i)],
                      TaskStatus::done);
            runs.push_back({CellId(each.cell), each.first + i});
          }
    }
    EXPECT_GT(seconds, 0.0);
    std::sort(parts.begin(), parts.end());
    std::sort(runs.begin(), runs.end());
    EXPECT_EQ(runs.size(), 4U * kSeeds);
    EXPECT_EQ(std::adjacent_find(runs.begin(), runs.end()), runs.end());
    EXPECT_EQ(parts, runs);
  }
}

TEST_F(WorkerPoolTest, ReportsWhenHalfOfItsWorkIsDoneAndWhenThereIsNoMore) {
  WorkerPool pool(grid_, 1, 1'000'000);  // no report is due by time
  EXPECT_FALSE(pool.supplied());
  std::vector<Chunk> chunks;
  for (std::int64_t seed = 0; seed < kSeeds; ++seed)
    chunks.push_back({ChunkId(seed), TaskKind::run, CellId(0), seed, 1, 1.0});
  pool.push(chunks);
  std::vector<std::size_t> reports;
  for (std::size_t done = 0; done < kSeeds;) {
    pool.wait(std::chrono::seconds(1));
    const Report report = pool.take();
    if (report.empty()) continue;
    reports.push_back(report.parts.size());
    done += report.parts.size();
  }
  EXPECT_LE(reports.size(), 6U);
  EXPECT_GE(reports.front(), 4U);
}

TEST_F(WorkerPoolTest, CancelledItGivesBackTheRunThatIsUnderWayAndAllAfterIt) {
  Grid endless = expand_job(kJob, "test.toml", {"delta=[1e-300]", "max_steps=1000000000"}, nullptr);
  endless.options.max_steps = kMostDraws;
  endless.options.skip = false;  // else it is at its end in no time
  endless.log_inv_delta = {1e300};
  WorkerPool pool(endless, 1, 1);
  pool.push({{{ChunkId(1), TaskKind::run, CellId(0), 0, 3, 0.0},
              {ChunkId(2), TaskKind::run, CellId(0), 3, 2, 0.0}}});
  pool.wait(std::chrono::milliseconds(20));
  EXPECT_TRUE(pool.take().empty());
  pool.cancel();
  std::vector<std::int64_t> undone;
  for (const Report& report : reports_of(pool, 5)) {
    for (const Part& part : report.parts) undone.push_back(part.undone);
    EXPECT_TRUE(report.runs.empty());
  }
  EXPECT_EQ(undone, (std::vector<std::int64_t>{3, 2}));
}

}  // namespace
}  // namespace tasfg
