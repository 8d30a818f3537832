#include "tasfg/sweep/inventory.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

class InventoryTest : public SmallSweep {
 protected:
  /// Reads the file anew, as the next sitting would.
  void collect(const CrashCounts& crashes = {}, const Shard& shard = {}) {
    said_.clear();
    scheduler_ = Scheduler(cells_);
    inventory_.emplace(grid_, *writer_, scheduler_, [this](const std::string& text) { said_ += text; });
    inventory_->collect(shard, crashes);
  }
  /// Everything that is left, in the order in which it would be handed out to one thread.
  std::vector<TaskName> left() {
    std::vector<TaskName> tasks;
    while (const auto chunk = scheduler_.next(0.0, 1, std::numeric_limits<double>::infinity()))
      for (std::int64_t i = 0; i < chunk->count; ++i) tasks.push_back(chunk->task(i));
    return tasks;
  }
  /// What a worker would report of these runs, which took a second each.
  Report report_of(const std::vector<RunName>& runs, TaskStatus status = TaskStatus::done) {
    RunBatch batch;
    for (const RunName& run : runs) {
      RunRecord record;
      record.status = status;
      record.seconds = 1.0;
      record.steps = 100;
      file_.run_format().append(batch, run, file_.layout().K(cells_.case_of(run.cell)), record);
    }
    Report report;
    report.runs = {file_.run_format().pack(std::span(&batch, 1))};
    report.seconds = 1.5;
    return report;
  }
  void solve_all() {
    Report report;
    for (CaseId id; id.value() < cells_.cases; ++id)
      file_.case_format().append(report.solutions, name_of(id), file_.layout().K(id), solve_case(grid_, id));
    inventory_->take(std::move(report));
    inventory_->flush();
    writer_->finish_writing();
  }

  ResultWriter* writer_ = &results_;
  std::string said_;
  Scheduler scheduler_{cells_};
  std::optional<Inventory> inventory_;
};

TEST_F(InventoryTest, OfANewFileEverythingIsLeftAndRunsWaitForTheirCases) {
  collect();
  EXPECT_EQ(inventory_->counts().total, 2 + 4 * kSeeds);
  EXPECT_EQ(inventory_->counts().done, 0);
  EXPECT_EQ(left(), (std::vector<TaskName>{CaseId(0), CaseId(1)}));
  solve_all();
  EXPECT_EQ(inventory_->counts().done, 2);
  const std::vector<TaskName> runs = left();
  EXPECT_EQ(std::set<TaskName>(runs.begin(), runs.end()).size(), static_cast<std::size_t>(4 * kSeeds));
}

TEST_F(InventoryTest, WhatWasTakenInIsNotLeftInTheNextSitting) {
  collect();
  solve_all();
  Report report = report_of({{CellId(1), 4}, {CellId(1), 5}});
  inventory_->take(std::move(report));
  inventory_->flush();
  writer_->finish_writing();
  EXPECT_EQ(inventory_->counts().done, 4);
  EXPECT_EQ(inventory_->steps(), 200.0);
  EXPECT_EQ(inventory_->busy_seconds(), 1.5);
  EXPECT_EQ(scheduler_.expected(CellId(1)), 1.0) << "the scheduler learnt from them";
  collect();
  EXPECT_EQ(inventory_->counts().done, 4);
  const std::vector<TaskName> runs = left();
  const std::set<TaskName> tasks(runs.begin(), runs.end());
  EXPECT_EQ(tasks.size(), static_cast<std::size_t>(4 * kSeeds - 2));
  EXPECT_FALSE(tasks.contains(RunName{CellId(1), 4}));
  EXPECT_TRUE(tasks.contains(RunName{CellId(1), 6}));
  EXPECT_TRUE(tasks.contains(RunName{CellId(2), 4}));
}

TEST_F(InventoryTest, CountsStartsOverSittingsAndForgetsThoseGivenBack) {
  const Chunk chunk{ChunkId(1), TaskKind::run, CellId(3), 2, 3, 0.0};
  collect();
  inventory_->start(chunk);
  EXPECT_EQ(file_.run_values(&RunRecord::attempts, CellId(3)),
            (std::vector<std::int32_t>{0, 0, 1, 1, 1, 0, 0, 0, 0, 0}));
  collect();
  inventory_->start(chunk);
  inventory_->undo_start(chunk.part(1, 2));
  EXPECT_EQ(file_.run_values(&RunRecord::attempts, CellId(3)),
            (std::vector<std::int32_t>{0, 0, 2, 1, 1, 0, 0, 0, 0, 0}));
  Report report = report_of({{CellId(3), 2}});
  inventory_->take(std::move(report));
  inventory_->flush();
  writer_->finish_writing();
  EXPECT_EQ(file_.run_values(&RunRecord::attempts, CellId(3))[2], 2);
}

TEST_F(InventoryTest, RunsThatNeverEndedComeLast) {
  collect();
  solve_all();
  for (int sitting = 0; sitting < 3; ++sitting) {
    inventory_->start({ChunkId(1), TaskKind::run, CellId(0), 0, 1, 0.0});
    collect();
  }
  EXPECT_EQ(left().back(), TaskName(RunName{CellId(0), 0}));
}

TEST_F(InventoryTest, WhatCrashedTooOftenIsFailedAndSaid) {
  collect();
  inventory_->start({ChunkId(1), TaskKind::run, CellId(2), 0, 2, 0.0});
  const CrashCounts crashes{{RunName{CellId(2), 0}, 3}, {RunName{CellId(2), 1}, 2}, {CaseId(0), 3}};
  collect(crashes);
  EXPECT_EQ(inventory_->counts().done, 2);
  EXPECT_EQ(inventory_->counts().failed, 2);
  EXPECT_EQ(file_.run_values(&RunRecord::status, CellId(2))[0], TaskStatus::failed);
  EXPECT_EQ(file_.run_values(&RunRecord::status, CellId(2))[1], TaskStatus::pending);
  EXPECT_EQ(file_.case_values(&CaseSolution::status)[0], TaskStatus::failed);
  ASSERT_EQ(file_.failures().size(), 2U);
  EXPECT_EQ(file_.failures()[1].message, "crashed its process 3 times");
  EXPECT_NE(said_.find("failed: the solution of ring K=3"), std::string::npos) << said_;
  EXPECT_NE(said_.find("uniform seed 0: crashed its process 3 times\n  replay: tasfg simulate"),
            std::string::npos)
      << said_;
  collect();
  EXPECT_EQ(inventory_->counts().done, 2) << "failed ones are not run again";
  EXPECT_EQ(inventory_->counts().failed, 2);
}

TEST_F(InventoryTest, AFailureOfAWorkerIsWrittenDown) {
  collect();
  Report report = report_of({{CellId(1), 7}}, TaskStatus::failed);
  report.failures.push_back(failure_of(cells_, RunName{CellId(1), 7}, "no luck"));
  inventory_->take(std::move(report));
  inventory_->flush();
  writer_->finish_writing();
  EXPECT_EQ(inventory_->counts().failed, 1);
  EXPECT_EQ(inventory_->counts().done, 1);
  EXPECT_EQ(inventory_->steps(), 0.0);
  ASSERT_EQ(file_.failures().size(), 1U);
  EXPECT_EQ(file_.failures()[0].message, "no luck");
}

TEST_F(InventoryTest, AShardHasItsRunsAndEveryCase) {
  collect({}, Shard{1, 2});
  EXPECT_EQ(inventory_->counts().total, 2 + 4 * kSeeds / 2);
}

/// The same study, to be precise.
class PreciseInventoryTest : public InventoryTest {
 protected:
  static constexpr std::int64_t kMost = 200;
  PreciseInventoryTest() {
    grid_ = expand_job(kJob, "test.toml", {"replications=200", "precision.mean=0.15"}, nullptr);
    file_ = ResultFile::create(path("precise.h5"), layout_of(grid_, {}, ""), graphs_of(grid_), live_,
                               precise_lock_);
    writer_ = &precise_results_.emplace(file_, precise_lock_, live_);
  }
  WriterLock precise_lock_{path("precise.h5"), nullptr};
  std::optional<ResultWriter> precise_results_;

  /// Runs that alternate between two stopping times.
  Report report_of(const std::vector<RunName>& runs, std::int64_t spread) {
    RunBatch batch;
    for (const RunName& run : runs) {
      RunRecord record;
      record.status = TaskStatus::done;
      record.steps = 100;
      record.seconds = 1.0;
      record.tau = {100 + (run.seed % 2 == 0 ? spread : -spread)};
      record.stopped = {1};
      file_.run_format().append(batch, run, file_.layout().K(cells_.case_of(run.cell)), record);
    }
    Report report;
    report.runs = {file_.run_format().pack(std::span(&batch, 1))};
    return report;
  }
  std::vector<std::int64_t> seeds_left(CellId cell) {
    std::vector<std::int64_t> seeds;
    for (const TaskName& task : left())
      if (const auto* run = std::get_if<RunName>(&task); run != nullptr && run->cell == cell)
        seeds.push_back(run->seed);
    std::sort(seeds.begin(), seeds.end());
    return seeds;
  }
  void take(CellId cell, std::int64_t first, std::int64_t last, std::int64_t spread) {
    std::vector<RunName> runs;
    for (std::int64_t seed = first; seed < last; ++seed) runs.push_back({cell, seed});
    Report report = report_of(runs, spread);
    inventory_->take(std::move(report));
    inventory_->flush();
    writer_->finish_writing();
  }
  std::int64_t settled(CellId cell, TaskStatus wanted) {
    const auto status = file_.run_values(&RunRecord::status, cell);
    return std::count(status.begin(), status.end(), wanted);
  }
};

TEST_F(PreciseInventoryTest, RunsAreHandedOutUpToTheNextLookAndEndWithADecision) {
  collect();
  solve_all();
  EXPECT_EQ(inventory_->counts().total, 2 + 4 * kMost);
  EXPECT_EQ(seeds_left(CellId(0)).size(), 32U);
  take(CellId(0), 0, 31, 30);
  EXPECT_EQ(seeds_left(CellId(0)).size(), 0U) << "one of them is under way";
  take(CellId(0), 31, 32, 30);
  EXPECT_EQ(settled(CellId(0), TaskStatus::not_needed), kMost - 32);
  EXPECT_EQ(inventory_->counts().total, 2 + 4 * kMost - (kMost - 32));
  EXPECT_EQ(inventory_->counts().done, 2 + 32);
  // What comes later is not written.
  take(CellId(0), 32, 34, 30);
  EXPECT_EQ(settled(CellId(0), TaskStatus::done), 32);
  EXPECT_EQ(inventory_->counts().done, 2 + 32);
  // Another varies more.
  take(CellId(1), 0, 32, 60);
  const std::vector<std::int64_t> next = seeds_left(CellId(1));
  ASSERT_GE(next.size(), 8U);
  EXPECT_EQ(next.front(), 32);
  EXPECT_GT(inventory_->seconds_to_come(), 0.0);
  take(CellId(1), 32, 98, 60);
  EXPECT_EQ(settled(CellId(1), TaskStatus::not_needed), kMost - 98);
  // And a third never is.
  take(CellId(2), 0, 32, 99);
  take(CellId(2), 32, kMost, 99);
  EXPECT_EQ(settled(CellId(2), TaskStatus::done), kMost);
  const Inventory::Counts before = inventory_->counts();
  collect();
  EXPECT_EQ(inventory_->counts().total, before.total);
  EXPECT_EQ(inventory_->counts().done, before.done);
  EXPECT_EQ(seeds_left(CellId(3)).size(), 32U);
}

TEST_F(PreciseInventoryTest, ASittingGoesOnWhereOneWasKilled) {
  collect();
  solve_all();
  take(CellId(0), 0, 30, 30);
  take(CellId(0), 32, 45, 30);  // run ahead, and then killed
  collect();
  EXPECT_EQ(seeds_left(CellId(0)), (std::vector<std::int64_t>{30, 31}));
  take(CellId(0), 30, 32, 30);
  EXPECT_EQ(settled(CellId(0), TaskStatus::done), 32);
  EXPECT_EQ(settled(CellId(0), TaskStatus::not_needed), kMost - 32);
  EXPECT_EQ(inventory_->counts().done, 2 + 32);
}

}  // namespace
}  // namespace tasfg
