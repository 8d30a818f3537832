#include "tasfg/sweep/report.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Report, AFailureNamesItsTask) {
  const CellGrid grid{3, 4};
  const Failure run = failure_of(grid, RunName{CellId(6), 9}, "why");
  EXPECT_EQ(run.case_index, 1);
  EXPECT_EQ(run.algorithm, 2);
  EXPECT_EQ(run.seed, 9);
  EXPECT_EQ(run.message, "why");
  const Failure solution = failure_of(grid, CaseId(2), "why");
  EXPECT_EQ(solution.case_index, 2);
  EXPECT_EQ(solution.algorithm, -1);
  EXPECT_EQ(solution.seed, -1);
}

}  // namespace
}  // namespace tasfg
