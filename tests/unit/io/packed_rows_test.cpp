#include "tasfg/io/packed_rows.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(PackedRows, ValuesOfAllRowsFollowEachOtherBehindWhatIsNotTheirs) {
  PackedRows rows;
  rows.stretches = {{2, 5, 3, 0}, {4, 0, 2, 3}};
  rows.room = 8;
  rows.bytes = "head" + std::string(8, 'a') + std::string(16, 'b');  // one byte of each row, then two
  rows.begin = 4;
  EXPECT_EQ(*rows.at(0), 'a');
  EXPECT_EQ(rows.at(1) - rows.at(0), 8);
  EXPECT_EQ(*rows.at(1), 'b');
  *rows.at(1) = 'c';
  EXPECT_EQ(rows.values(), std::string(8, 'a') + "c" + std::string(15, 'b'));
}

TEST(PackedRows, AStretchKnowsItsRowsAndMayLeaveSomeOut) {
  PackedRows rows;
  EXPECT_TRUE(rows.empty());
  rows.stretches = {{2, 5, 3, 0}, {4, 0, 2, 3}};
  EXPECT_FALSE(rows.empty());
  EXPECT_EQ(rows.size(), 5);
  EXPECT_EQ(rows.stretches[0].begin(), (RunName{CellId(2), 5}));
  EXPECT_EQ(rows.stretches[0].end(), (RunName{CellId(2), 8}));
  --rows.stretches[0].count;
  EXPECT_EQ(rows.size(), 4);
  EXPECT_EQ(rows.stretches[0].end(), (RunName{CellId(2), 7}));
}

}  // namespace
}  // namespace tasfg
