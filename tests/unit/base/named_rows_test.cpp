#include "tasfg/base/named_rows.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

enum class Fruit { apple, pear };
struct Row {
  Fruit fruit;
  std::string_view name;
};
constexpr Row kRows[] = {{Fruit::apple, "apple"}, {Fruit::pear, "pear"}};
constexpr Row kSwapped[] = {{Fruit::pear, "pear"}, {Fruit::apple, "apple"}};
constexpr Row kTooFew[] = {{Fruit::apple, "apple"}};

TEST(NamedRows, AreFoundByName) {
  const std::span<const Row> rows(kRows);
  EXPECT_EQ(find_row(rows, "pear"), &kRows[1]);
  EXPECT_EQ(find_row(rows, "plum"), nullptr);
  EXPECT_EQ(names_of(rows), (std::vector<std::string_view>{"apple", "pear"}));
}

TEST(NamedRows, TheCompilerSeesThatEveryValueHasItsRow) {
  static_assert(one_row_each(kRows, &Row::fruit));
  static_assert(!one_row_each(kSwapped, &Row::fruit));
  static_assert(!one_row_each(kTooFew, &Row::fruit));
}

}  // namespace
}  // namespace tasfg
