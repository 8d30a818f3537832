#include "tasfg/sim/case_record.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tasfg/algo/thresholds.hpp"

namespace tasfg {
namespace {

TEST(CaseRecord, TheLowerBoundIsTStarTimesTheDivergence) {
  for (const double delta : {0.3, 0.1, 0.01, 1e-6, 1e-100}) {
    const double kl =
        delta * std::log(delta / (1.0 - delta)) + (1.0 - delta) * std::log((1.0 - delta) / delta);
    EXPECT_NEAR(lower_bound(64.0, -std::log(delta)) / (64.0 * kl), 1.0, 1e-12) << delta;
  }
  EXPECT_NEAR(lower_bound(2.0, 700.0), 1400.0, 1e-9);
}

TEST(CaseRecord, ThePracticalBoundIsAFixedPoint) {
  for (const ThresholdRow& row : threshold_rows())
    for (const double T_star : {6.0, 64.98, 1568.0, 1e6})
      for (const double x : {1.0, 7.0, 100.0}) {
        const double t = practical_bound(T_star, row.kind, x, 5);
        const double beta = threshold_base(row.kind, x, 5) + threshold_growth(row.kind, t);
        EXPECT_NEAR(t / (T_star * beta), 1.0, 1e-12) << row.name << ' ' << T_star << ' ' << x;
        EXPECT_GT(t, lower_bound(T_star, x));
      }
}

}  // namespace
}  // namespace tasfg
