#include "tasfg/sweep/chunk.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Chunk, NamesItsTasks) {
  const Chunk runs{ChunkId(1), TaskKind::run, CellId(4), 10, 5, 0.0};
  EXPECT_EQ(runs.task(2), TaskName(RunName{CellId(4), 12}));
  const Chunk cases{ChunkId(2), TaskKind::solve, {}, 3, 2, 0.0};
  EXPECT_EQ(cases.task(1), TaskName(CaseId(4)));
}

TEST(Chunk, APartCostsItsShare) {
  const Chunk part = Chunk{ChunkId(1), TaskKind::run, CellId(4), 10, 5, 10.0}.part(3, 2);
  EXPECT_EQ(part.id, ChunkId(1));
  EXPECT_EQ(part.count, 2);
  EXPECT_EQ(part.run(0), (RunName{CellId(4), 13}));
  EXPECT_EQ(part.expected, 4.0);
  EXPECT_EQ(part.part(2, 0).part(0, 0).expected, 0.0);
}

}  // namespace
}  // namespace tasfg
