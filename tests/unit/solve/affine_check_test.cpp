#include "solve/affine_check.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

using Forms = std::map<std::string, AffineForm, std::less<>>;

VariableBox box_of(double p_low, double p_high, double q_low, double q_high) {
  return {{p_low, q_low}, {p_high, q_high}, {"p", "q"}};
}

Forms names_in(const VariableBox& box) {
  const AffineForm p{{true, false}, {box.low[0], box.high[0], box.low[0], box.high[0]}, box.high[0]};
  const AffineForm q{{false, true}, {box.low[1], box.low[1], box.high[1], box.high[1]}, box.high[1]};
  return {{"p", p}, {"q", q}, {"K", {{}, {5, 5, 5, 5}, 5}}};
}

AffineCheck check(const std::string& text, const VariableBox& box = box_of(0, 1, 0, 1)) {
  return check_affine(Expression(text, "key"), box, names_in(box));
}

std::string why(const std::string& text) {
  const AffineCheck result = check(text);
  if (result.kink) return "kink";
  return result.failed ? result.failed->why : "affine";
}

/// An expression of p, q and K at random, `depth` deep.
std::string random_expression(PhiloxStream& stream, int depth) {
  const auto pick = [&](int count) { return static_cast<int>(stream.uniform() * count); };
  if (depth == 0) {
    const char* leaves[] = {"p", "q", "K", "0.25", "2", "1e-1", "pi", "(1-p)", "-q"};
    return leaves[pick(9)];
  }
  const std::string a = random_expression(stream, depth - 1);
  const std::string b = random_expression(stream, pick(depth));
  switch (pick(12)) {
    case 0:
    case 1:
      return a + " + " + b;
    case 2:
    case 3:
      return a + "-" + b;
    case 4:
    case 5:
      return a + "*" + b;
    case 6:
      return "(" + a + ")/(" + b + ")";
    case 7:
      return "(" + a + ")*(" + b + ")";
    case 8:
      return "(" + a + ")^1";
    case 9:
      return "max(" + a + "," + b + ")";
    case 10:
      return "abs(" + a + ")";
    default:
      return "-(" + a + ")";
  }
}

/// What is called affine agrees with its interpolation between the corners everywhere in the box; and what
/// bends is affine on both sides.
TEST(AffineCheck, WhatIsCalledAffineIs) {
  PhiloxStream stream(stream_key(0x61666669ULL));
  int affine = 0, bent = 0, failed = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random_expression(stream, 1 + i % 4);
    const VariableBox box = box_of(0.1 * stream.uniform(), 0.6 + 0.3 * stream.uniform(), 0.2, 0.9);
    AffineCheck result;
    try {
      result = check(text, box);
    } catch (const InputError&) {  // divides by 0
      continue;
    }
    if (result.kink) {
      ++bent;
      EXPECT_GT(result.kink->at, box.low[result.kink->variable]) << text;
      EXPECT_LT(result.kink->at, box.high[result.kink->variable]) << text;
      continue;
    }
    if (result.failed) {
      ++failed;
      continue;
    }
    ++affine;
    const Expression expression(text, "key");
    for (int j = 0; j < 10; ++j) {
      const double s = stream.uniform(), t = stream.uniform();
      const double p = box.low[0] + s * (box.high[0] - box.low[0]);
      const double q = box.low[1] + t * (box.high[1] - box.low[1]);
      const auto& c = result.form.corners;
      const double mixed = (1 - t) * ((1 - s) * c[0] + s * c[1]) + t * ((1 - s) * c[2] + s * c[3]);
      ASSERT_NEAR(expression({{"p", p}, {"q", q}, {"K", 5.0}}), mixed, 1e-14 * (1.0 + result.form.magnitude))
          << text;
    }
  }
  EXPECT_GT(affine, 1000);
  EXPECT_GT(bent, 50);
  EXPECT_GT(failed, 500);
}

TEST(AffineCheck, FindsWhereAnExpressionBends) {
  const AffineCheck result = check("max(0, 1-4*p)");
  ASSERT_TRUE(result.kink);
  EXPECT_EQ(result.kink->variable, 0U);
  EXPECT_DOUBLE_EQ(result.kink->at, 0.25);
  EXPECT_FALSE(check("max(0, 1-4*p)", box_of(0, 0.25, 0, 1)).kink);
  EXPECT_FALSE(check("max(0, 1-4*p)", box_of(0.25, 1, 0, 1)).kink);
  EXPECT_DOUBLE_EQ(check("2*min(q, 1/K)").kink->at, 0.2);
  EXPECT_DOUBLE_EQ(check("abs(3*q-1)").kink->at, 1.0 / 3.0);
}

TEST(AffineCheck, NotesHowLargePartsGetThatCancel) {
  EXPECT_GE(check("p + 1e6 - 1e6").form.magnitude, 1e6);
  EXPECT_LE(check("p/2").form.magnitude, 1.0);
}

TEST(AffineCheck, SaysWhatIsNotAffine) {
  EXPECT_EQ(why("0.25*(1-2*q)/(K-1)"), "affine");
  EXPECT_EQ(why("p*q"), "affine");
  EXPECT_EQ(why("K^2*p"), "affine");
  EXPECT_EQ(why("p*p"), "p*p multiplies terms that both depend on p");
  EXPECT_EQ(why("p*(1-p*q)"), "p*(1-p*q) multiplies terms that both depend on p");
  EXPECT_EQ(why("p^2"), "p^2 raises what depends on p to a power");
  EXPECT_EQ(why("2^q"), "2^q raises what depends on q to a power");
  EXPECT_EQ(why("1/(1+p)"), "1/(1+p) divides by what depends on p");
  EXPECT_EQ(why("sqrt(p+q)"), "sqrt(p+q) takes sqrt of what depends on p and q");
  EXPECT_EQ(why("floor(q)"), "floor(q) takes floor of what depends on q");
  EXPECT_EQ(why("max(p, q)"), "max(p, q): its max bends along a line between the parameters");
  EXPECT_EQ(why("sqrt(K)*p"), "affine");
}

}  // namespace
}  // namespace tasfg
