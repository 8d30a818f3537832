#include "tasfg/solve/curve.hpp"

#include <algorithm>

#include "solve/family_curves.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// The ring of three and of four vertices over p: one axis certified, one sampled, in either order.
CurvePlan rings(bool sampled_first) {
  CurvePlan plan;
  const CurveAxis p{"p", 0.0, 1.0, {}};
  const CurveAxis K{"K", 3.0, 4.0, "it is a whole number"};
  plan.axes = sampled_first ? std::vector{K, p} : std::vector{p, K};
  plan.options.tolerance = 0.05;
  for (const double size : {3.0, 4.0}) {
    CurveSlice slice;
    slice.sampled[sampled_first ? 0 : 1] = size;
    slice.models = testing::models_of("ring", {"p"}, {{"K", size}});
    slice.whole = {{0.0, 0.0}, {1.0, 0.0}};
    slice.starts = start_boxes(slice.whole, 1, {});
    plan.slices.push_back(std::move(slice));
  }
  return plan;
}

TEST(Curve, JoinsSlicesByAxis) {
  for (const bool sampled_first : {false, true}) {
    const CurvePlan plan = rings(sampled_first);
    const Curve curve = compute_curve(plan);
    const std::size_t p = sampled_first ? 1 : 0, K = 1 - p;
    EXPECT_EQ(curve.vertices, 4U);
    double length = 0.0;
    for (const Cell& cell : curve.cells) {
      EXPECT_EQ(cell.box.low[K], cell.box.high[K]);
      EXPECT_TRUE(cell.box.low[K] == 3.0 || cell.box.low[K] == 4.0);
      length += cell.box.width(p);
    }
    EXPECT_NEAR(length, 2.0, 1e-12);
    EXPECT_EQ(curve.count(CellOutcome::certified), curve.cells.size());
    for (std::size_t i = 1; i < curve.points.size(); ++i)
      EXPECT_LT(curve.points[i - 1].at, curve.points[i].at);
    for (const CurveRegime& regime : curve.regimes) EXPECT_GE(regime.sampled[K], 3.0);
  }
}

TEST(Curve, PartsAreComputedInAnyOrder) {
  const CurvePlan plan = rings(false);
  std::vector<CertifiedMap> parts(plan.parts());
  for (std::size_t i = plan.parts(); i-- > 0;) parts[i] = plan.compute(i);
  const Curve other = join(plan, std::move(parts));
  const Curve curve = compute_curve(plan);
  ASSERT_EQ(curve.points.size(), other.points.size());
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    EXPECT_EQ(curve.points[i].upper, other.points[i].upper);
    EXPECT_TRUE(std::ranges::equal(curve.points[i].allocation, other.points[i].allocation));
  }
}

}  // namespace
}  // namespace tasfg
