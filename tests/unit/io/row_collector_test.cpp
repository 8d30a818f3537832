#include "tasfg/io/row_collector.hpp"

#include <iterator>

#include "io/made_results.hpp"

namespace tasfg {
namespace {

TEST(RunCollector, LaysRowsOutAsABatchOfThemIsPackedHoweverTheyAreTaken) {
  for (const ResultLayout& layout : {a_layout(), a_full_layout()}) {
    const RunFormat format(layout.shape());
    constexpr std::int64_t kFirst = 100, kRows = 3000;
    RunCollector collector(format, {CellId(2), kFirst}, kRows, 3);
    RunBatch batch;
    std::vector<PackedRows> packs;
    std::mt19937_64 random(7);
    RunRecord failed;
    failed.status = TaskStatus::failed;
    const auto take = [&] { std::ranges::move(collector.take(), std::back_inserter(packs)); };
    for (std::int64_t i = 0; i < kRows; ++i) {
      const RunRecord record = i == 5 ? failed : a_run(layout, CellId(2), TaskStatus::done, random);
      format.append(batch, {CellId(2), kFirst + i}, 3, record);
      collector.add(record);
      if (i == 0 || i == 1200) take();
    }
    take();
    EXPECT_TRUE(collector.take().empty());
    EXPECT_GT(packs.size(), 3U) << "packs are to fit a cache";
    const PackedRows expected = format.pack(std::span(&batch, 1)), rows = format.join(packs);
    ASSERT_EQ(rows.stretches.size(), 1U);
    EXPECT_EQ(rows.stretches[0].begin(), (RunName{CellId(2), kFirst}));
    EXPECT_EQ(rows.size(), kRows);
    EXPECT_EQ(rows.values(), expected.values());
  }
}

TEST(RunCollector, TakesNoMoreRoomThanItsRowsNeed) {
  const RunFormat format(a_layout().shape());
  RunCollector collector(format, {CellId(1), 4}, 1, 3);
  std::mt19937_64 random(7);
  collector.add(a_run(a_layout(), CellId(1), TaskStatus::done, random));
  const std::vector<PackedRows> packs = collector.take();
  ASSERT_EQ(packs.size(), 1U);
  EXPECT_EQ(packs[0].room, 8);
}

}  // namespace
}  // namespace tasfg
