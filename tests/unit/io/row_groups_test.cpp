#include "io/row_groups.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// Rows (cell, seed) with one column of two values before the seed and one after; each value names its row.
BatchBytes rows_of(const std::vector<std::pair<int, int>>& names, int salt = 0) {
  BatchBytes batch;
  batch.columns.resize(1);
  for (const auto& [cell, seed] : names) {
    batch.cells.push_back(cell);
    batch.seeds.push_back(seed);
    for (const int value : {10 * seed + salt, 10 * seed + salt + 1})
      batch.columns[0].push_back(static_cast<unsigned char>(value));
  }
  return batch;
}

Column column_with(std::size_t before, std::size_t after) {
  Column column;
  column.before = before;
  column.after = after;
  return column;
}

std::vector<int> values_in(const RowGroup& group, const Column& column, std::size_t b) {
  std::vector<unsigned char> room;
  const auto bytes = group.bytes(column, 0, b, room);
  return {bytes.begin(), bytes.end()};
}

TEST(RowGroups, NeighboursAreOneGroupWhateverBatchesTheyCameIn) {
  const BatchBytes a = rows_of({{0, 4}, {0, 5}, {0, 1}, {1, 2}}), b = rows_of({{0, 2}, {0, 3}, {0, 8}});
  const BatchBytes* both[] = {&a, &b};
  const std::vector<RowGroup> groups = groups_of(both);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].first(), (RunName{CellId(0), 1}));
  EXPECT_EQ(groups[0].size(), 5U);
  EXPECT_EQ(values_in(groups[0], column_with(1, 2), 0),
            (std::vector{10, 11, 20, 21, 30, 31, 40, 41, 50, 51}));
  EXPECT_EQ(values_in(groups[0], column_with(2, 1), 0), (std::vector{10, 20, 30, 40, 50}));
  EXPECT_EQ(values_in(groups[0], column_with(2, 1), 1), (std::vector{11, 21, 31, 41, 51}));
  EXPECT_EQ(groups[1].first(), (RunName{CellId(0), 8}));
  EXPECT_EQ(groups[2].first(), (RunName{CellId(1), 2}));
}

TEST(RowGroups, TheLastCellsEndIsNoNeighbourOfTheNextOnesBegin) {
  const BatchBytes a = rows_of({{0, 2}, {1, 3}});
  const BatchBytes* one[] = {&a};
  EXPECT_EQ(groups_of(one).size(), 2U);
}

TEST(RowGroups, OfTwoRowsWithOneNameTheLaterComesLast) {
  const BatchBytes a = rows_of({{0, 2}}, 0), b = rows_of({{0, 2}}, 5);
  const BatchBytes* both[] = {&a, &b};
  const std::vector<RowGroup> groups = groups_of(both);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(values_in(groups[1], column_with(1, 2), 0), (std::vector{25, 26}));
}

TEST(RowGroups, NothingIsNoGroup) {
  const BatchBytes none;
  const BatchBytes* one[] = {&none};
  EXPECT_TRUE(groups_of(one).empty());
}

}  // namespace
}  // namespace tasfg
