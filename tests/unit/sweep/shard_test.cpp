#include "tasfg/sweep/shard.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

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

TEST(Shard, IsReadAsItIsWritten) {
  const Shard shard = parse_shard("3/10", "--shard");
  EXPECT_EQ(shard.index, 3);
  EXPECT_EQ(shard.count, 10);
  EXPECT_EQ(shard.text(), "3/10");
  EXPECT_EQ(Shard{}.text(), "");
  for (const char* bad : {"", "3", "10/10", "-1/3", "0.5/2", "1/0", "a/b", "1/2/3"})
    EXPECT_THROW((void)parse_shard(bad, "--shard"), InputError) << bad;
}

}  // namespace
}  // namespace tasfg
