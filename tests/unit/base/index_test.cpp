#include "tasfg/base/index.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

using RowId = Index<struct RowKind>;
using Column = Index<struct ColumnKind>;

TEST(Index, KindsDoNotMix) {
  static_assert(!std::is_convertible_v<RowId, Column> && !std::is_constructible_v<RowId, Column>);
  static_assert(!std::is_convertible_v<std::size_t, RowId> && std::is_constructible_v<RowId, std::size_t>);
  static_assert(!std::is_convertible_v<RowId, std::size_t>);
}

TEST(Index, CountsAndCompares) {
  RowId row;
  EXPECT_EQ(row.value(), 0U);
  ++row;
  EXPECT_EQ(row, RowId(1));
  EXPECT_LT(row, RowId(2));
  EXPECT_EQ(RowId(7).number(), 7);
}

}  // namespace
}  // namespace tasfg
