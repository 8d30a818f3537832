#include "tasfg/sweep/task_runner.hpp"

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

using TaskRunnerTest = SmallStudy;

TEST_F(TaskRunnerTest, RunsEachTaskOnItsOwnCaseWithItsOwnAlgorithm) {
  ErrorSamplers samplers(grid_);
  TaskRunner runner(grid_, samplers);
  const std::atomic<bool> cancel{false};
  for (const std::size_t cell : {0, 3, 1, 2, 0}) {  // from case to case and back
    const RunName name{CellId(cell), 4};
    const RunRecord record = runner.run(name, cancel);
    const Instance instance = grid_.instance(cells_.case_of(name.cell));
    const RunRecord expected =
        Simulation(instance, grid_.options)
            .run(grid_.at(cells_.algorithm_of(name.cell)).algorithm, grid_.log_inv_delta, 4);
    EXPECT_EQ(record.status, TaskStatus::done);
    EXPECT_EQ(record.tau, expected.tau);
    EXPECT_EQ(record.pulls, expected.pulls);
    EXPECT_GE(record.seconds, 0.0);
  }
}

TEST_F(TaskRunnerTest, CancelledARunStaysPending) {
  grid_.log_inv_delta = {1e300};  // it would never stop
  ErrorSamplers samplers(grid_);
  TaskRunner runner(grid_, samplers);
  const std::atomic<bool> cancel{true};
  EXPECT_EQ(runner.run({CellId(0), 0}, cancel).status, TaskStatus::pending);
}

TEST_F(TaskRunnerTest, SolvesTheCaseThatItIsAskedFor) {
  EXPECT_EQ(solve_case(grid_, CaseId(0)).omega.size(), 3U);
  EXPECT_EQ(solve_case(grid_, CaseId(1)).omega.size(), 4U);
}

}  // namespace
}  // namespace tasfg
