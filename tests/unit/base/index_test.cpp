#include "tasfg/base/index.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

using Row = Index<struct RowKind>;
using Column = Index<struct ColumnKind>;

TEST(Index, KindsDoNotMix) {
  static_assert(!std::is_convertible_v<Row, Column> && !std::is_constructible_v<Row, Column>);
  static_assert(!std::is_convertible_v<std::size_t, Row> && std::is_constructible_v<Row, std::size_t>);
  static_assert(!std::is_convertible_v<Row, std::size_t>);
}

TEST(Index, CountsAndCompares) {
  Row row;
  EXPECT_EQ(row.value(), 0U);
  ++row;
  EXPECT_EQ(row, Row(1));
  EXPECT_LT(row, Row(2));
  EXPECT_EQ(Row(7).number(), 7);
}

}  // namespace
}  // namespace tasfg
