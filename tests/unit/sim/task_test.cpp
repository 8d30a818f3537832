#include "tasfg/sim/task.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(CellGrid, NumbersCellsCaseByCase) {
  const CellGrid grid{4, 3};
  EXPECT_EQ(grid.cells(), 12U);
  CellId next;
  for (CaseId c; c.value() < grid.cases; ++c)
    for (AlgorithmId a; a.value() < grid.algorithms; ++a, ++next) {
      EXPECT_EQ(grid.cell(c, a), next);
      EXPECT_EQ(grid.case_of(next), c);
      EXPECT_EQ(grid.algorithm_of(next), a);
    }
}

TEST(RunName, IsOrderedByCellThenSeed) {
  EXPECT_LT((RunName{CellId(1), 9}), (RunName{CellId(2), 0}));
  EXPECT_LT((RunName{CellId(1), 8}), (RunName{CellId(1), 9}));
}

}  // namespace
}  // namespace tasfg
