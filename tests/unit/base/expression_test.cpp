#include "base/expression.hpp"

#include <bit>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

using Values = std::map<std::string, double, std::less<>>;

double value_of(const std::string& text, const Values& values = {}) {
  return Expression(text, "key")(values);
}

std::string expression_error(const std::string& text, const Values& values = {}) {
  try {
    static_cast<void>(value_of(text, values));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value_of("1+2*3"), 7.0);
  EXPECT_EQ(value_of("(1+2)*3"), 9.0);
  EXPECT_EQ(value_of("10-4-3"), 3.0);
  EXPECT_EQ(value_of("24/4/3"), 2.0);
  EXPECT_EQ(value_of("2^3^2"), 512.0);
  EXPECT_EQ(value_of("-2^2"), -4.0);
  EXPECT_EQ(value_of("2^-1"), 0.5);
  EXPECT_EQ(value_of("2*-3"), -6.0);
  EXPECT_EQ(value_of("+5 - +2"), 3.0);
  EXPECT_EQ(value_of("1-2^2*3"), -11.0);
  EXPECT_EQ(value_of("2^-2^2"), 0.0625);
  EXPECT_EQ(value_of("- -3 + min (2, 1)"), 4.0);
}

TEST(Expression, TheExampleOfTheJobFileIsTheFamilysOwnDefault) {
  for (const double K : {3.0, 5.0, 10.0, 15.0, 4096.0})
    EXPECT_EQ(value_of("0.25*(1-2*q)/(K-1)", {{"K", K}, {"q", 0.25}}), 0.25 * (1.0 - 2.0 * 0.25) / (K - 1.0));
}

TEST(Expression, ComputesAsWrittenBitForBit) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  Expression product_plus("a*b+c", "key");
  Expression polynomial("3*x*x - 2*x + 0.1", "key");
  Expression cube("x^3", "key");
  for (int i = 0; i < 1000; ++i) {
    const double a = uniform(random), b = uniform(random), c = uniform(random);
    EXPECT_EQ(product_plus({{"a", a}, {"b", b}, {"c", c}}), a * b + c);
    EXPECT_EQ(polynomial({{"x", a}}), 3.0 * a * a - 2.0 * a + 0.1);
    EXPECT_EQ(cube({{"x", a}}), a * (a * a));
  }
}

TEST(Expression, FunctionsAreTheProjectsOwn) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(0.01, 20.0);
  Expression exponential("exp(x)", "key");
  Expression logarithm("log(x)", "key");
  Expression power("x^y", "key");
  for (int i = 0; i < 1000; ++i) {
    const double x = uniform(random);
    const double y = uniform(random);
    EXPECT_EQ(exponential({{"x", x}}), tasfg::exp(x));
    EXPECT_EQ(logarithm({{"x", x}}), tasfg::log(x));
    EXPECT_EQ(power({{"x", x}, {"y", y}}), tasfg::exp(y * tasfg::log(x)));
    EXPECT_NEAR(power({{"x", x}, {"y", y}}) / std::pow(x, y), 1.0, 1e-13);
  }
  EXPECT_EQ(value_of("sqrt(2)"), std::sqrt(2.0));
  EXPECT_EQ(value_of("floor(-1.5)"), -2.0);
  EXPECT_EQ(value_of("ceil(-1.5)"), -1.0);
  EXPECT_EQ(value_of("abs(-1.5)"), 1.5);
  EXPECT_EQ(value_of("min(3, 1, 2)"), 1.0);
  EXPECT_EQ(value_of("max(3, 1, 2)"), 3.0);
  EXPECT_EQ(value_of("max(-7)"), -7.0);
}

TEST(Expression, ConstantsAreTheNearestDoubles) {
  EXPECT_EQ(value_of("pi"), 3.14159265358979323846);
  EXPECT_EQ(value_of("e"), 2.71828182845904523536);
  EXPECT_EQ(value_of("1e3"), 1000.0);
  EXPECT_EQ(value_of("2.5E-1"), 0.25);
  EXPECT_EQ(value_of("0.1"), 0.1);
}

TEST(Expression, WholePowersMultiplyAndCoverZeroAndNegatives) {
  EXPECT_EQ(value_of("(-2)^3"), -8.0);
  EXPECT_EQ(value_of("(-2)^-3"), -0.125);
  EXPECT_EQ(value_of("0^0"), 1.0);
  EXPECT_EQ(value_of("0^0.5"), 0.0);
  EXPECT_EQ(value_of("4^0.5"), tasfg::exp(0.5 * tasfg::log(4.0)));
  EXPECT_EQ(value_of("1^1e300"), 1.0);
}

TEST(Expression, NamesAreThoseUsedEachOnceWithoutConstants) {
  const std::vector<std::string> expected = {"K", "q", "r"};
  EXPECT_EQ(Expression("r*q + K/q - pi*e + max(K, 2)", "key").names(), expected);
  EXPECT_TRUE(Expression("1+1", "key").names().empty());
}

TEST(Expression, MayBeMovedAndEvaluatedAgain) {
  std::vector<Expression> expressions;
  for (int i = 0; i < 10; ++i) expressions.emplace_back("x+" + std::to_string(i), "key");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(expressions[static_cast<std::size_t>(i)]({{"x", 1.0}}), 1.0 + i);
    EXPECT_EQ(expressions[static_cast<std::size_t>(i)]({{"x", 2.0}}), 2.0 + i);
  }
}

TEST(Expression, NonFiniteValuesAreErrorsThatSayWhere) {
  EXPECT_EQ(expression_error("1/(K-5)", {{"K", 5.0}}),
            "key = \"1/(K-5)\" (is infinite at K=5; must be a finite number)");
  EXPECT_EQ(expression_error("log(p-q)", {{"p", 0.5}, {"q", 1.0}}),
            "key = \"log(p-q)\" (is not a number at p=0.5 q=1; must be a finite number)");
  EXPECT_EQ(expression_error("sqrt(-1)"), "key = \"sqrt(-1)\" (is not a number; must be a finite number)");
  EXPECT_EQ(expression_error("(-8)^(1/3)"),
            "key = \"(-8)^(1/3)\" (is not a number; must be a finite number)");
  EXPECT_EQ(expression_error("0^-1"), "key = \"0^-1\" (is infinite; must be a finite number)");
  EXPECT_EQ(expression_error("min(sqrt(-1), 1)"),
            "key = \"min(sqrt(-1), 1)\" (is not a number; must be a finite number)");
  EXPECT_EQ(expression_error("max(1, sqrt(-1), 2)"),
            "key = \"max(1, sqrt(-1), 2)\" (is not a number; must be a finite number)");
  EXPECT_EQ(expression_error("exp(1000)"), "key = \"exp(1000)\" (is infinite; must be a finite number)");
}

TEST(Expression, SyntaxErrorsNameKeyAndExpression) {
  EXPECT_EQ(expression_error("0.25*(1-q"), "key = \"0.25*(1-q\" (a bracket is not closed)");
  EXPECT_EQ(expression_error("1+q)"), "key = \"1+q)\" (a bracket is closed that was not opened)");
  EXPECT_EQ(expression_error("2 K"),
            "key = \"2 K\" (\"K\" at character 3 does not follow from what stands before it)");
  EXPECT_EQ(expression_error("2**K"),
            "key = \"2**K\" (\"*\" at character 3 does not follow from what stands before it)");
  EXPECT_EQ(expression_error("(1 2)"),
            "key = \"(1 2)\" (\"2\" at character 4 does not follow from what stands before it)");
  EXPECT_EQ(expression_error("."),
            "key = \".\" (\".\" at character 1 does not follow from what stands before it)");
  EXPECT_EQ(expression_error("1e999"), "key = \"1e999\" (holds a number that no double can be)");
  EXPECT_EQ(expression_error("sqrt()"), "key = \"sqrt()\" (sqrt takes one number, not 0)");
  EXPECT_EQ(expression_error("log(1, 2)"), "key = \"log(1, 2)\" (log takes one number, not 2)");
  EXPECT_EQ(expression_error("min()"), "key = \"min()\" (min takes one number or more, not 0)");
  EXPECT_EQ(expression_error("2*exp"), "key = \"2*exp\" (exp is a function; must be written exp(x))");
  EXPECT_EQ(expression_error("1,2"),
            "key = \"1,2\" (a comma outside the brackets of a function; must be one expression)");
  EXPECT_EQ(expression_error("+"), "key = \"+\" (a number or a name is missing at the end)");
  EXPECT_EQ(expression_error("   "), "key = \"   \" (must be a number or an expression)");
}

TEST(Expression, HasNoConditionsAssignmentsStringsOrForeignFunctions) {
  for (const char* text : {"a=1", "a<b", "1 ? 2 : 3", "\"text\"", "a&&b", "a;b", "a#b", "rnd!", "p'"})
    EXPECT_NE(expression_error(text, {{"a", 1.0}, {"b", 1.0}, {"p", 1.0}}).find("an expression holds"),
              std::string::npos)
        << text;
  for (const char* text : {"sin(1)", "rnd()", "sum(1,2)", "tanh(1)", "log10(2)", "rint(1)", "_pi()"})
    EXPECT_NE(expression_error(text).find("there is no function"), std::string::npos) << text;
}

TEST(Expression, LongTextIsRefused) {
  EXPECT_EQ(value_of(fmt::format("{}1{}", std::string(400, '('), std::string(400, ')'))), 1.0);
  std::string sum = "1";
  while (sum.size() <= 1000) sum += "+1";
  EXPECT_EQ(expression_error(sum),
            "key = \"1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+...\" (an expression of 1001 "
            "characters; must have at most 1000)");
}

}  // namespace
}  // namespace tasfg
