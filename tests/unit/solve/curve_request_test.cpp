#include "tasfg/solve/curve_request.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

CurveRequest request(const std::string& family, const std::vector<CurveRange>& over,
                     const std::map<std::string, std::string>& parameters = {}) {
  CurveRequest result;
  result.family = family;
  result.over = over;
  result.parameters = parameters;
  result.reward = Gaussian{1.0};
  result.options = {.tolerance = 0.05, .divergent_width = 1e-2};
  return result;
}

std::string request_error(const CurveRequest& asked) {
  try {
    static_cast<void>(plan_curve(asked));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Every end of a start box.
std::vector<double> ends_of(const CurveSlice& slice) {
  std::vector<double> ends;
  for (const Box& box : slice.starts) ends.push_back(box.low[0]);
  return ends;
}

bool has(const std::vector<double>& values, double value) {
  for (const double each : values)
    if (std::abs(each - value) < 1e-15) return true;
  return false;
}

TEST(CurveRequest, CutsAtTheKinksOfTheFamilyAndOfExpressions) {
  const CurvePlan plain = plan_curve(request("loopy-star", {{"p", 0.0, 0.97}}));
  ASSERT_EQ(plain.slices.size(), 1U);
  EXPECT_TRUE(plain.axes[0].certified());
  EXPECT_TRUE(has(ends_of(plain.slices[0]), 0.5));
  // p = 3q/2 passes 1/2 at q = 1/3, and max(q, 0.4) bends at 0.4.
  const CurvePlan bent =
      plan_curve(request("loopy-star", {{"q", 0.0, 0.6}}, {{"p", "3*q/2"}, {"r", "max(q, 0.4)"}}));
  EXPECT_TRUE(bent.axes[0].certified());
  EXPECT_TRUE(has(ends_of(bent.slices[0]), 1.0 / 3.0));
  EXPECT_TRUE(has(ends_of(bent.slices[0]), 0.4));
}

TEST(CurveRequest, SamplesWhatIsNotAffineAndSaysWhy) {
  const CurvePlan square = plan_curve(request("symmetric", {{"p", 0.1, 1.0}}, {{"r", "p*p"}}));
  EXPECT_EQ(square.axes[0].sampled_because, "p*p multiplies terms that both depend on p");
  EXPECT_EQ(square.slices.size(), 101U);
  const CurvePlan density = plan_curve(request("random", {{"p", 0.1, 1.0}}));
  EXPECT_EQ(density.axes[0].sampled_because, "the graph of family random is not affine in p");
  const CurvePlan sizes = plan_curve(request("ring", {{"p", 0.0, 1.0}, {"K", 3.0, 7.0}}));
  EXPECT_TRUE(sizes.axes[0].certified());
  EXPECT_EQ(sizes.axes[1].sampled_because, "it is a whole number");
  ASSERT_EQ(sizes.slices.size(), 5U);
  EXPECT_EQ(sizes.slices[2].models.means.size(), 5U);
  // Bent along p = q: p stays certified, at values of q, each with a kink of its own.
  const CurvePlan oblique =
      plan_curve(request("symmetric", {{"p", 0.1, 1.0}, {"q", 0.1, 1.0}}, {{"r", "max(p, q)"}}));
  EXPECT_TRUE(oblique.axes[0].certified());
  EXPECT_FALSE(oblique.axes[1].certified());
  EXPECT_TRUE(has(ends_of(oblique.slices[50]), oblique.slices[50].sampled[1]));
}

TEST(CurveRequest, BoundsHoldForExpressionsOfTwoParameters) {
  const CurvePlan plan = plan_curve(request("symmetric", {{"p", 0.2, 1.0}, {"q", 0.2, 1.0}}, {{"r", "p*q"}}));
  EXPECT_TRUE(plan.axes[0].certified() && plan.axes[1].certified());
  const Curve curve = compute_curve(plan);
  CharacteristicTimeSolver solver;
  const ModelFamily& models = plan.slices[0].models;
  for (const Cell& cell : curve.cells) {
    const ParameterPoint at{0.3 * cell.box.low[0] + 0.7 * cell.box.high[0],
                            0.6 * cell.box.low[1] + 0.4 * cell.box.high[1]};
    const PointSolution point = solve_point(models.view(), models.matrix(at), solver);
    ASSERT_GE(point.upper, cell.time.low);
    ASSERT_LE(point.lower, cell.time.high);
  }
}

TEST(CurveRequest, AMeanIsSampledAndInfiniteWhereItTies) {
  CurveRequest asked = request("bandit", {{"means[1]", 0.0, 1.0}}, {{"K", "3"}});
  asked.samples = 5;
  const CurvePlan plan = plan_curve(asked);
  EXPECT_EQ(plan.axes[0].sampled_because, "it is a mean");
  const Curve curve = compute_curve(plan);
  ASSERT_EQ(curve.points.size(), 5U);
  EXPECT_EQ(curve.points[2].at[0], 0.5);
  EXPECT_TRUE(std::isfinite(curve.points[3].upper));
  EXPECT_LT(curve.points[2].upper, curve.points[3].upper);
  EXPECT_TRUE(std::isinf(curve.points[4].upper));  // means 0, 1, 1
  EXPECT_EQ(curve.cells[2].box.low, curve.cells[2].box.high);
}

TEST(CurveRequest, DescribesWhatIsFixed) {
  EXPECT_EQ(plan_curve(request("loopy-star", {{"p", 0.0, 1.0}}, {{"r", "p/2"}})).description,
            "loopy-star, K=5, q=0.25, r=p/2; gaussian rewards, variance=1");
  EXPECT_EQ(plan_curve(request("loopy-star-alt", {{"q", 0.1, 1.0}})).description,
            "loopy-star-alt, K=5, p=0, r=(1-2q)/(4(K-1)); gaussian rewards, variance=1");
}

TEST(CurveRequest, RefusesWhatIsWrongBeforeAnyWork) {
  const auto star = [](const std::vector<CurveRange>& over,
                       const std::map<std::string, std::string>& given = {}) {
    return request_error(request("loopy-star", over, given));
  };
  EXPECT_EQ(star({}), "--over is given 0 times (must be given once for a curve, twice for a map)");
  EXPECT_EQ(star({{"p", 0, 1}, {"q", 0, 1}, {"r", 0, 1}}),
            "--over is given 3 times (must be given once for a curve, twice for a map)");
  EXPECT_EQ(star({{"p", 0, 1}, {"p", 0, 1}}), "--over gives p twice (must give two parameters)");
  EXPECT_EQ(star({{"p", 0, 2}}), "--over p = 2 (must lie in [0, 1])");
  EXPECT_EQ(star({{"p", 0.5, 0.5}}), "--over p goes from 0.5 to 0.5 (must go up)");
  EXPECT_EQ(star({{"speed", 0, 1}}),
            "--over speed: loopy-star has no such number to vary (known: K, p, q, r, means[0])");
  EXPECT_EQ(star({{"p", 0, 1}}, {{"p", "0.3"}}), "--over and -P both give p (give one)");
  EXPECT_EQ(star({{"p", 0, 1}}, {{"r", "2*p"}}), "-P: r = 2 (must lie in [0, 1])");
  EXPECT_EQ(star({{"p", 0, 1}}, {{"r", "z"}}),
            "-P: r: unknown name \"z\" in an expression (known: K, p, q, r)");
  EXPECT_EQ(star({{"p", 0, 1}}, {{"q", "r"}, {"r", "q"}}), "-P: q = \"r\" (must not depend on itself)");
  EXPECT_EQ(star({{"K", 3, 20000}}), "--over K = 20000 (must be a whole number from 3 to 4096)");
  EXPECT_EQ(star({{"means[7]", 0, 1}}),
            "--over means[7]: there is no such vertex (must be means[0] to means[4])");
  EXPECT_EQ(request_error(request("random", {{"q", 0.0, 1.0}}, {{"r", "0.5"}})),
            "-P: q = 1 (must not exceed r = 0.5: they bound the edge probabilities)");
  CurveRequest bad = request("ring", {{"p", 0.0, 1.0}});
  bad.options.tolerance = 0.0;
  EXPECT_EQ(request_error(bad), "--tolerance = 0 (must lie in [1e-08, 10])");
  bad.options.tolerance = 0.1;
  bad.means = {0.1, 0.2};
  EXPECT_EQ(request_error(bad), "--graph ring: 2 means (must be one per vertex, K = 5)");
  bad.means = {0.1, 0.2, 0.3, 0.4, 1.5};
  bad.reward = Bernoulli{};
  EXPECT_EQ(request_error(bad),
            "--graph ring: means[4] = 1.5 (bernoulli means must lie in the open interval (0, 1))");
}

TEST(CurveRequest, ReadsRanges) {
  const CurveRange range = parse_curve_range("p=0.1:0.9", "--over");
  EXPECT_EQ(range.name, "p");
  EXPECT_EQ(range.low, 0.1);
  EXPECT_EQ(range.high, 0.9);
  for (const char* text : {"p", "=0:1", "p=0", "p=a:1", "p=0:"})
    EXPECT_THROW(static_cast<void>(parse_curve_range(text, "--over")), InputError) << text;
}

TEST(CurveRequest, GlancesWhilePlanningAndComputingAndEndsWithWhatThatThrows) {
  struct Enough {};
  int calls = 0, most = 1'000'000;
  CurveRequest asked = request("ring", {{"p", 0.1, 1.0}, {"K", 3.0, 5.0}});
  asked.glance = [&] {
    if (++calls > most) throw Enough{};
  };
  const CurvePlan plan = plan_curve(asked);
  EXPECT_GE(calls, 3);
  calls = 0;
  const Curve curve = compute_curve(plan);
  EXPECT_GE(calls, static_cast<int>(curve.points.size()));
  calls = 0;
  most = 5;
  EXPECT_THROW(static_cast<void>(compute_curve(plan)), Enough);
  calls = 0;
  most = 1;
  EXPECT_THROW(static_cast<void>(plan_curve(asked)), Enough);
}

}  // namespace
}  // namespace tasfg
