#include "tasfg/base/error.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Errors, AreWordedFromTheirParts) {
  EXPECT_STREQ(InputError("a.toml: p", bad_value(1.3, "must lie in [0, 1]")).what(),
               "a.toml: p = 1.3 (must lie in [0, 1])");
  EXPECT_STREQ(InputError("a.toml: K", bad_value(1, "must be at least 2")).what(),
               "a.toml: K = 1 (must be at least 2)");
  EXPECT_STREQ(InputError("--means", bad_text("x\n", "must be a number")).what(),
               "--means = \"x?\" (must be a number)");
  EXPECT_STREQ(InputError("a.toml", remark("unknown key q", "did you mean \"p\"?")).what(),
               "a.toml: unknown key q (did you mean \"p\"?)");
  EXPECT_STREQ(InputError("a.toml: K", bad_state("is empty", "must hold a value")).what(),
               "a.toml: K is empty (must hold a value)");
  EXPECT_STREQ(InputError("a.csv", remark("no such file")).what(), "a.csv: no such file");
  EXPECT_STREQ(InputError("merge: nothing to merge").what(), "merge: nothing to merge");
}

TEST(Errors, AreOneLineWithoutControlCharacters) {
  const std::string odd =
      "a\x1b[31m\nb\x7f\xC2\x9B"
      "c \xCE\xB4\xC2\xB5";
  EXPECT_EQ(std::string(InputError(odd, remark(odd, odd)).what()),
            "a?[31m?b?\xC2?c \xCE\xB4\xC2\xB5: a?[31m?b?\xC2?c \xCE\xB4\xC2\xB5 "
            "(a?[31m?b?\xC2?c \xCE\xB4\xC2\xB5)");
}

TEST(Errors, GainTheirPlaceOnTheWayUp) {
  const auto check = [](double x) {
    if (x > 1) throw InputError(bad_value(x, "must be at most 1"));
    return x;
  };
  EXPECT_EQ(placed("p", [&] { return check(0.5); }), 0.5);
  try {
    placed("a.toml", [&] { return placed("p", [&] { return check(2); }); });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a.toml: p = 2 (must be at most 1)");
    EXPECT_EQ(error.where(), "a.toml: p");
    EXPECT_EQ(error.complaint().found, "2");
    EXPECT_EQ(error.complaint().must, "must be at most 1");
  }
  EXPECT_THROW(placed("a.toml", [] { throw SystemError("a.h5", remark("cannot be read")); }), SystemError);
}

TEST(Errors, OfTheSystemAreNotTheUsers) {
  const SystemError error("a.h5", remark("cannot be written", "No space left on device"));
  EXPECT_STREQ(error.what(), "a.h5: cannot be written (No space left on device)");
  EXPECT_EQ(dynamic_cast<const InputError*>(static_cast<const Error*>(&error)), nullptr);
}

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
