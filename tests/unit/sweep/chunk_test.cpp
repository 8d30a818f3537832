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

TEST(Chunk, ItsTailIsWhatComesLast) {
  const Chunk tail = Chunk{ChunkId(1), TaskKind::run, CellId(4), 10, 5, 0.0}.tail(2);
  EXPECT_EQ(tail.count, 2);
  EXPECT_EQ(tail.run(0), (RunName{CellId(4), 13}));
}

}  // namespace
}  // namespace tasfg
