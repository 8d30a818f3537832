#include "tasfg/algo/thresholds.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(Thresholds, CExpMatchesTheDesignsTable) {
  const std::pair<double, double> rows[] = {{0.5, 8.0148}, {1, 9.1045},   {2, 10.8685}, {5, 15.1914},
                                            {10, 21.4468}, {20, 32.9148}, {50, 65.1335}};
  for (const auto& [x, expected] : rows) EXPECT_NEAR(c_exp(x), expected, 5.1e-5) << x;
}

TEST(Thresholds, FollowTheirFormulas) {
  const double x = 7.0, t = 1234.0;
  EXPECT_DOUBLE_EQ(
      threshold_base(ThresholdKind::practical, x, 5) + threshold_growth(ThresholdKind::practical, t),
      7.0 + 3.0 * std::log(1.0 + 2.0 * std::log(t)));
  EXPECT_DOUBLE_EQ(threshold_base(ThresholdKind::simple, x, 5) + threshold_growth(ThresholdKind::simple, t),
                   7.0 + std::log(1.0 + std::log(t)));
  EXPECT_NEAR(threshold_base(ThresholdKind::proven, x, 5) + threshold_growth(ThresholdKind::proven, t),
              2.0 * c_exp(0.5 * (std::log(4.0) + 7.0)) + 6.0 * std::log(1.0 + std::log(t)), 1e-12);
}

TEST(Thresholds, EveryRowHasABaseThatRisesWithConfidence) {
  for (const ThresholdRow& row : threshold_rows()) {
    EXPECT_EQ(threshold_named(row.name, "test"), row.kind);
    EXPECT_EQ(&row_of(row.kind), &row);
    double last = 0.0;
    for (const double x : {0.5, 1.0, 3.0, 7.0, 50.0}) {
      EXPECT_GE(threshold_base(row.kind, x, 5), x) << row.name;
      EXPECT_GT(threshold_base(row.kind, x, 5), last) << row.name;
      last = threshold_base(row.kind, x, 5);
    }
  }
}

TEST(Thresholds, NeverFallWithTime) {
  // The stopping rule leans on this: a threshold at an earlier time is a lower bound.
  for (const ThresholdRow& row : threshold_rows()) {
    double last = threshold_growth(row.kind, 1.0);
    for (double t = 2.0; t < 1e15; t = std::floor(t * 1.01) + 1.0) {
      const double now = threshold_growth(row.kind, t);
      ASSERT_GE(now, last) << row.name << ' ' << t;
      last = now;
    }
  }
}

TEST(Thresholds, CExpIsContinuousAndRising) {
  double last = c_exp(0.04);
  for (double x = 0.05; x < 100; x += 0.01) {
    const double now = c_exp(x);
    ASSERT_GT(now, last);
    ASSERT_LT(now - last, 0.2);
    last = now;
  }
}

TEST(Thresholds, UnknownNamesAreRefused) {
  EXPECT_THROW((void)threshold_named("practicle", "test"), InputError);
}

}  // namespace
}  // namespace tasfg
