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
        const Splitting splitting{{7, 3}, seeds};
        std::int64_t held = 0;
        for (CellId cell; cell.number() < kCells; ++cell)
          for (std::int64_t seed = 0; seed < seeds; ++seed)
            held += shard.holds({cell, seed}, splitting) ? 1 : 0;
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
  const Splitting splitting{{5, 1}, 100};
  int changes = 0;
  for (std::int64_t seed = 1; seed < 100; ++seed)
    changes +=
        shard.holds({CellId(2), seed}, splitting) != shard.holds({CellId(2), seed - 1}, splitting) ? 1 : 0;
  EXPECT_LE(changes, 2);
}

TEST(Shard, WhatIsDecidedTogetherStaysTogether) {
  ResultLayout layout;
  layout.cases.resize(6);
  layout.algorithms.resize(4);
  layout.replications = 10;
  EXPECT_EQ(splitting_of(layout).by, Splitting::By::seeds);
  for (const bool paired : {false, true}) {
    layout.precision = paired ? "ratio=0.1 minimum=32" : "mean=0.1 minimum=32";
    const Splitting splitting = splitting_of(layout);
    for (const std::int64_t count : {2, 3}) {
      std::vector<int> held(layout.algorithms.size());
      for (CellId cell; cell.value() < layout.cells(); ++cell)
        for (std::int64_t index = 0; index < count; ++index) {
          const Shard shard{index, count};
          const bool first = shard.holds({cell, 0}, splitting);
          for (std::int64_t seed = 0; seed < 10; ++seed)
            EXPECT_EQ(shard.holds({cell, seed}, splitting), first);
          const CellId base = layout.grid().cell(layout.grid().case_of(cell), AlgorithmId(0));
          EXPECT_TRUE(!paired || shard.holds({base, 0}, splitting) == first);
          if (index == 0 && first) ++held[layout.grid().algorithm_of(cell).value()];
        }
      for (const int each : held) EXPECT_EQ(each, 6 / count) << "its share of every algorithm";
    }
  }
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
