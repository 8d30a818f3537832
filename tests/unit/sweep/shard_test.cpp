#include "tasfg/sweep/shard.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Shard, EveryTaskIsInExactlyOneShardAndShardsAreAlikeInSize) {
  for (const std::int64_t count : {1, 3, 7})
    for (const std::int64_t seeds : {1, 2, 10, 100}) {
      constexpr std::int64_t kCells = 21;
      std::int64_t total = 0;
      for (std::int64_t index = 0; index < count; ++index) {
        const Shard shard{index, count};
        std::int64_t held = 0;
        for (CellId cell; cell.number() < kCells; ++cell)
          for (std::int64_t seed = 0; seed < seeds; ++seed) held += shard.holds({cell, seed}, seeds) ? 1 : 0;
        EXPECT_EQ(held, kCells * seeds / count);
        total += held;
      }
      EXPECT_EQ(total, kCells * seeds);
    }
  EXPECT_TRUE((Shard{1, 3}.holds(CaseId(4))));
  EXPECT_FALSE((Shard{1, 3}.holds(CaseId(5))));
}

TEST(Shard, NeighbouringSeedsStayTogether) {
  const Shard shard{0, 4};
  int changes = 0;
  for (std::int64_t seed = 1; seed < 100; ++seed)
    changes += shard.holds({CellId(2), seed}, 100) != shard.holds({CellId(2), seed - 1}, 100) ? 1 : 0;
  EXPECT_LE(changes, 2);
}

}  // namespace
}  // namespace tasfg
