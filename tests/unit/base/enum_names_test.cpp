#include "tasfg/base/enum_names.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

enum class Colour { red, dark_green, blue };
constexpr EnumNames<Colour> kColours = {"red", "dark-green", "blue"};

enum class Single : unsigned char { only };
enum class Gap { first, third = 2 };

TEST(EnumNames, EnumeratorsAreCountedByTheCompiler) {
  static_assert(enumerator_count<Colour>() == 3);
  static_assert(enumerator_count<Single>() == 1);
  static_assert(enumerator_count<Gap>() == 1);  // counts up from 0 without holes
  static_assert(is_enumerator<Colour::blue>() && !is_enumerator<static_cast<Colour>(3)>());
}

TEST(EnumNames, GoBothWays) {
  EXPECT_STREQ(kColours[Colour::dark_green], "dark-green");
  EXPECT_EQ(kColours.find("dark-green"), Colour::dark_green);
  EXPECT_EQ(kColours.find("dark_green"), std::nullopt);
  ASSERT_EQ(kColours.all().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(kColours.find(kColours.all()[i]), kColours.at(i));
}

}  // namespace
}  // namespace tasfg
