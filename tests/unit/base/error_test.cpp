#include "tasfg/base/error.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Suggest, NamesTheNearestWord) {
  constexpr std::string_view known[] = {"ring", "full", "loopy-star"};
  EXPECT_EQ(suggest("rnig", known), "did you mean \"ring\"?");
  EXPECT_EQ(suggest("loopystar", known), "did you mean \"loopy-star\"?");
}

TEST(Suggest, ListsTheKnownWordsWhenNoneIsNear) {
  constexpr std::string_view known[] = {"ring", "full"};
  EXPECT_EQ(suggest("bicycle", known), "known: ring, full");
}

TEST(ParseNumber, TakesFiniteNumbersOnly) {
  EXPECT_EQ(parse_number("0.25", "x"), 0.25);
  EXPECT_EQ(parse_number("+1e-6", "x"), 1e-6);
  for (const char* bad :
       {"", "abc", "1.0x", "nan", "inf", "-inf", "1e999", "0x10", " 1", "1,2", "--1", "+-1"})
    EXPECT_THROW((void)parse_number(bad, "x"), InputError) << bad;
}

TEST(ParseNumber, SaysWhereTheBadTextStood) {
  try {
    (void)parse_number("abc", "G.csv: line 2, column 3");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "G.csv: line 2, column 3 = \"abc\" (must be a finite number)");
  }
}

TEST(Quotable, KeepsMessagesOnOneShortLine) {
  EXPECT_EQ(quotable("a\nb\x01"), "a?b?");
  EXPECT_EQ(quotable(std::string(100, 'x')), std::string(40, 'x') + "...");
}

TEST(ToText, ReadsBackAsTheSameNumber) {
  for (const double x : {0.1, 1.0 / 3.0, 1e-300, 5.0}) EXPECT_EQ(parse_number(to_text(x), "x"), x);
}

}  // namespace
}  // namespace tasfg
