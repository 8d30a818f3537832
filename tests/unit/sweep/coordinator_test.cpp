#include "sweep/coordinator.hpp"

#include <csignal>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/interruption.hpp"

namespace tasfg {
namespace {

class CoordinatorTest : public SmallSweep {
 protected:
  CoordinatorTest() {
    options_.output = path("out.h5");
    options_.quiet = true;
  }
  int run(const Grid& grid) {
    ResultWriter results(file_, lock_, live_);
    Team team(link_, grid, 2);
    return Coordinator(options_, grid, results, team, progress_).run();
  }
  int run() { return run(grid_); }
  SweepOptions options_;
  Link link_;
  Progress progress_{Progress::Mode::quiet};
};

TEST_F(CoordinatorTest, RunsEveryTaskAndSaysSo) {
  EXPECT_EQ(run(), 0);
  for (std::size_t cell = 0; cell < 4; ++cell)
    EXPECT_EQ(file_.run_values(&RunRecord::status, CellId(cell)),
              std::vector<TaskStatus>(kSeeds, TaskStatus::done));
  EXPECT_EQ(file_.live().status, "complete");
  EXPECT_EQ(file_.live().threads, 2);
  EXPECT_EQ(file_.run_values(&RunRecord::attempts, CellId(2)), std::vector<std::int32_t>(kSeeds, 1));
}

TEST_F(CoordinatorTest, OfACompleteFileNothingIsLeft) {
  EXPECT_EQ(run(), 0);
  options_.quiet = false;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), 0);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("nothing left to do"), std::string::npos);
  EXPECT_EQ(file_.live().threads, 2);
}

TEST_F(CoordinatorTest, WhatCannotEndInTimeIsNotStarted) {
  options_.walltime = 10.0;
  EXPECT_EQ(run(), kExitInterrupted);
  EXPECT_EQ(file_.live().status, "interrupted");
  EXPECT_EQ(file_.run_values(&RunRecord::attempts, CellId(0)), std::vector<std::int32_t>(kSeeds, 0));
}

TEST_F(CoordinatorTest, ARankThatReadsAnotherJobEndsTheSweep) {
  const Grid other = expand_job(kJob, "test.toml", {"seed=2"}, nullptr);
  Team team(link_, other, 1);
  EXPECT_THROW((void)Coordinator(options_, grid_, results_, team, progress_).run(), InputError);
}

TEST_F(CoordinatorTest, AFileThatWasCutIsSaidToBeCutWhoeverMeetsItsEnd) {
  std::filesystem::resize_file(options_.output, 1000);
  Team team(link_, grid_, 1);
  try {
    (void)Coordinator(options_, grid_, results_, team, progress_).run();
    FAIL() << "ran on a file of 1000 bytes";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.complaint().found, "was truncated while the sweep wrote into it");
  }
}

TEST_F(CoordinatorTest, ASignalEndsItAndWhatRanIsLeftAsIfItHadNotBegun) {
  CaseBatch solutions;
  for (CaseId id; id.value() < cells_.cases; ++id)
    file_.case_format().append(solutions, name_of(id), file_.layout().K(id), solve_case(grid_, id));
  results_.write_cases(solutions);
  EXPECT_EXIT(
      {
        Grid endless = grid_;
        endless.options.max_steps = kMostDraws;
        endless.options.skip = false;
        endless.log_inv_delta = {1e300};
        catch_interruptions();
        std::raise(SIGTERM);
        std::raise(SIGTERM);
        const int status = run(endless);
        bool clean = true;
        for (CellId cell; cell.value() < cells_.cells(); ++cell)
          clean =
              clean && file_.run_values(&RunRecord::attempts, cell) == std::vector<std::int32_t>(kSeeds, 0);
        std::_Exit(clean && file_.live().status == "interrupted" ? status : 1);
      },
      testing::ExitedWithCode(kExitInterrupted), "interrupted \\(SIGTERM\\) with 2 of 42 tasks done");
}

}  // namespace
}  // namespace tasfg
