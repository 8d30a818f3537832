#include "io/row_packing.hpp"

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

PackedRows packed_rows(const std::vector<BatchBytes>& batches, const Column& column) {
  std::vector<const BatchBytes*> all;
  for (const BatchBytes& batch : batches) all.push_back(&batch);
  return packed(std::span(&column, 1), all);
}

std::vector<int> values_in(const RowGroup& group, std::size_t before, std::size_t bytes) {
  std::vector<iovec> places;
  group.find(before, bytes, places);
  std::vector<int> values;
  for (const iovec& place : places)
    for (std::size_t i = 0; i < place.iov_len; ++i)
      values.push_back(static_cast<const unsigned char*>(place.iov_base)[i]);
  return values;
}

TEST(RowPacking, NeighboursStandTogetherWhateverBatchesTheyCameIn) {
  const std::vector<BatchBytes> batches = {rows_of({{0, 4}, {0, 5}, {0, 1}, {1, 2}}),
                                           rows_of({{0, 2}, {0, 3}, {0, 8}})};
  const PackedRows rows = packed_rows(batches, column_with(2, 1));
  ASSERT_EQ(rows.stretches.size(), 3U);
  EXPECT_EQ(rows.stretches[0].begin(), (RunName{CellId(0), 1}));
  EXPECT_EQ(rows.stretches[0].end(), (RunName{CellId(0), 6}));
  EXPECT_EQ(rows.stretches[1].begin(), (RunName{CellId(0), 8}));
  EXPECT_EQ(rows.stretches[1].row, 5);
  EXPECT_EQ(rows.stretches[2].begin(), (RunName{CellId(1), 2}));
  EXPECT_EQ(rows.size(), 7);
  EXPECT_EQ(rows.room, 8);
  const auto values = [&](std::size_t before) {
    return std::vector<int>(rows.at(before), rows.at(before) + rows.size());
  };
  EXPECT_EQ(values(0), (std::vector{10, 20, 30, 40, 50, 80, 20}));
  EXPECT_EQ(values(1), (std::vector{11, 21, 31, 41, 51, 81, 21}));
  const PackedRows wide = packed_rows(batches, column_with(1, 2));
  EXPECT_EQ(std::vector<int>(wide.at(0), wide.at(0) + 4), (std::vector{10, 11, 20, 21}));
}

TEST(RowPacking, PacksAreJoinedLikeBatchesAndWhatWasLeftOutStaysOut) {
  for (const Column& column : {column_with(2, 1), column_with(1, 2)}) {
    const std::vector<BatchBytes> batches = {rows_of({{0, 4}, {0, 5}, {0, 6}}),
                                             rows_of({{0, 2}, {0, 3}, {1, 8}})};
    std::vector<PackedRows> packs;
    for (const BatchBytes& batch : batches) packs.push_back(packed_rows({batch}, column));
    --packs[0].stretches[0].count;
    const PackedRows all = joined(std::span(&column, 1), packs);
    const PackedRows expected = packed_rows({rows_of({{0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 8}})}, column);
    ASSERT_EQ(all.stretches.size(), 2U);
    EXPECT_EQ(all.stretches[0].end(), (RunName{CellId(0), 6}));
    EXPECT_EQ(all.stretches[1].row, 4);
    EXPECT_EQ(all.values(), expected.values());
  }
}

TEST(RowPacking, NeighboursAreOneGroupWhateverPacksTheyCameIn) {
  const PackedRows a = packed_rows({rows_of({{0, 1}, {0, 2}, {1, 0}})}, column_with(2, 1)),
                   b = packed_rows({rows_of({{0, 3}, {0, 4}, {1, 5}})}, column_with(2, 1));
  const PackedRows* both[] = {&b, &a};
  const std::vector<RowGroup> groups = groups_of(both);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].first(), (RunName{CellId(0), 1}));
  EXPECT_EQ(groups[0].size(), 4);
  EXPECT_EQ(values_in(groups[0], 1, 1), (std::vector{11, 21, 31, 41}));
  EXPECT_EQ(groups[1].first(), (RunName{CellId(1), 0}));
  EXPECT_EQ(values_in(groups[2], 0, 1), (std::vector{50}));
}

TEST(RowPacking, RowsThatAStretchHasLeftOutAreNotWritten) {
  PackedRows rows = packed_rows({rows_of({{0, 1}, {0, 2}, {1, 0}})}, column_with(2, 1));
  rows.stretches[0].count = 1;
  rows.stretches[1].count = 0;
  const PackedRows* one[] = {&rows};
  const std::vector<RowGroup> groups = groups_of(one);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(values_in(groups[0], 0, 1), (std::vector{10}));
}

TEST(RowPacking, TheLastCellsEndIsNoNeighbourOfTheNextOnesBegin) {
  EXPECT_EQ(packed_rows({rows_of({{0, 2}, {1, 3}})}, column_with(2, 1)).stretches.size(), 2U);
}

TEST(RowPacking, OfTwoRowsWithOneNameTheLaterComesLast) {
  const PackedRows a = packed_rows({rows_of({{0, 2}}, 0), rows_of({{0, 2}}, 5)}, column_with(2, 1)),
                   b = packed_rows({rows_of({{0, 2}}, 7)}, column_with(2, 1));
  const PackedRows* both[] = {&a, &b};
  const std::vector<RowGroup> groups = groups_of(both);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(values_in(groups[1], 0, 1), (std::vector{25}));
  EXPECT_EQ(values_in(groups[2], 0, 1), (std::vector{27}));
}

TEST(RowPacking, NothingIsNoGroup) {
  const PackedRows none = packed_rows({BatchBytes{}}, column_with(2, 1));
  EXPECT_TRUE(none.empty());
  const PackedRows* one[] = {&none};
  EXPECT_TRUE(groups_of(one).empty());
}

}  // namespace
}  // namespace tasfg
