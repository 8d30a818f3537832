#include "job/condition.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

bool holds(const std::string& text, double p, double q) {
  return Condition(text, "key")({{"p", p}, {"q", q}});
}

std::string condition_error(const std::string& text) {
  try {
    static_cast<void>(Condition(text, "key"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Condition, ComparesTwoSides) {
  EXPECT_TRUE(holds("p + q <= 1", 0.5, 0.5));
  EXPECT_FALSE(holds("p + q <= 1", 0.5, 0.75));
  EXPECT_FALSE(holds("p < q", 0.5, 0.5));
  EXPECT_TRUE(holds("p>=q", 0.5, 0.5));
  EXPECT_FALSE(holds("p > q", 0.5, 0.5));
  EXPECT_TRUE(holds("p == 2*q", 0.5, 0.25));
  EXPECT_FALSE(holds("p != 2*q", 0.5, 0.25));
  EXPECT_TRUE(holds("p != q", 0.5, 0.25));
}

TEST(Condition, AChainHoldsWhereEveryPairDoes) {
  EXPECT_TRUE(holds("0.1 < p <= q < 1", 0.5, 0.5));
  EXPECT_FALSE(holds("0.1 < p <= q < 1", 0.05, 0.5));
  EXPECT_FALSE(holds("0.1 < p <= q < 1", 0.5, 1.0));
}

TEST(Condition, NamesWhatIsWrong) {
  EXPECT_EQ(condition_error("p + q"), "key = \"p + q\" (must compare, with one of <= >= < > == !=)");
  EXPECT_EQ(condition_error("p <"), "key = \"\" (must be a number or an expression)");
  EXPECT_NE(condition_error("p < q & 1").find("not \"&\""), std::string::npos);
}

}  // namespace
}  // namespace tasfg
