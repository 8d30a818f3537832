#include "tasfg/solve/enclosure.hpp"

#include <cmath>
#include <limits>

#include "solve/random_instances.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

constexpr double kRounding = 1e-15;

std::vector<double> matrix_of(const Instance& instance) {
  return {instance.graph().row_major().begin(), instance.graph().row_major().end()};
}

/// Another matrix for the same rewards, `size` away from the first at most, with some edges gone.
std::vector<double> neighbour(const std::vector<double>& graph, double size, PhiloxStream& stream) {
  std::vector<double> other = graph;
  for (double& entry : other) {
    const double moved = entry + size * (stream.uniform() - 0.5);
    if (entry > 0.0) entry = std::clamp(moved, stream.uniform() < 0.05 ? 0.0 : 0.5 * entry, 1.0);
  }
  return other;
}

/// Σ_c weight_c G_c.
std::vector<double> mixture(std::span<const PointSolution> corners, std::span<const double> weights) {
  std::vector<double> sum(corners.front().graph.size(), 0.0);
  for (std::size_t c = 0; c < corners.size(); ++c)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[c] * corners[c].graph[i];
  return sum;
}

/// Boxes with 1, 2 or 4 corners between random matrices: how often a point inside lies outside the bounds.
TEST(Enclosure, HoldsAtEveryPointOfABoxForEveryRewardFamily) {
  PhiloxStream stream(stream_key(0x656e636cULL));
  CharacteristicTimeSolver solver;
  int narrow = 0;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    const Instance instance = testing::random_instance(i, 2, 12);
    const ModelView model = view_of(instance);
    const double size = std::pow(10.0, -4.0 * stream.uniform());
    const std::size_t dimensions = i % 3;
    std::vector<PointSolution> corners;
    for (std::size_t c = 0; c < (std::size_t{1} << dimensions); ++c)
      corners.push_back(solve_point(
          model, c == 0 ? matrix_of(instance) : neighbour(corners.front().graph, size, stream), solver));
    std::vector<const PointSolution*> pointers;
    for (const PointSolution& corner : corners) pointers.push_back(&corner);
    const Enclosure time = enclose(model, pointers, kRounding);
    ASSERT_LE(time.low, time.high);
    narrow += time.high < 1.01 * time.low ? 1 : 0;
    for (int j = 0; j < 8; ++j) {
      const double s = dimensions > 0 ? stream.uniform() : 0.0;
      const double t = dimensions > 1 ? stream.uniform() : 0.0;
      const double weights[] = {(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t};
      const PointSolution inside = solve_point(model, mixture(corners, weights), solver);
      ASSERT_GE(inside.upper, time.low) << i;
      ASSERT_LE(inside.lower, time.high) << i;
    }
  }
  EXPECT_GT(narrow, 500);  // bounds that say something
}

TEST(Enclosure, TightensWithTheSquareOfTheSize) {
  CharacteristicTimeSolver solver;
  const RewardFamily reward = Gaussian{1.0};
  const std::vector<double> means = {0.0, 0.5, 1.0};
  const ModelView model{3, {}, means, 2, &reward};
  // The ring of three vertices about p = 0.3, where T* has a maximum of its bounds' difference.
  const auto ring = [](double p) { return std::vector<double>{0, p, 1 - p, 1 - p, 0, p, p, 1 - p, 0}; };
  const auto excess = [&](double h) {
    const PointSolution low = solve_point(model, ring(0.3), solver);
    const PointSolution high = solve_point(model, ring(0.3 + h), solver);
    const PointSolution* corners[] = {&low, &high};
    const Enclosure time = enclose(model, corners, kRounding);
    return std::max(time.high / std::max(low.upper, high.upper), std::min(low.lower, high.lower) / time.low) -
           1.0;
  };
  EXPECT_LT(excess(1e-3), 1e-5);
  EXPECT_LT(excess(1e-4), 1e-7);
}

TEST(Enclosure, IsInfiniteWhereAVertexCannotBeObserved) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CharacteristicTimeSolver solver;
  const RewardFamily reward = Bernoulli{};
  const std::vector<double> means = {0.2, 0.7};
  const ModelView model{2, {}, means, 1, &reward};
  const PointSolution blind = solve_point(model, {1.0, 0.0, 0.0, 0.0}, solver);
  const PointSolution other = solve_point(model, {0.0, 0.0, 0.0, 1.0}, solver);
  const PointSolution seen = solve_point(model, {1.0, 0.0, 0.0, 0.5}, solver);
  EXPECT_FALSE(blind.finite());
  EXPECT_EQ(blind.upper, kInfinity);
  const PointSolution* never[] = {&blind, &blind};
  EXPECT_EQ(enclose(model, never, kRounding).low, kInfinity);
  const PointSolution* ends[] = {&blind, &other};  // between them both vertices are observed
  EXPECT_EQ(enclose(model, ends, kRounding).low, 0.0);
  EXPECT_EQ(enclose(model, ends, kRounding).high, kInfinity);
  const PointSolution* half[] = {&blind, &seen};
  const Enclosure time = enclose(model, half, kRounding);
  EXPECT_EQ(time.high, kInfinity);
  EXPECT_GT(time.low, 0.9 * seen.lower);
  EXPECT_LE(time.low, seen.lower);
}

TEST(Enclosure, SupportIsWhatOptimalAllocationsUse) {
  CharacteristicTimeSolver solver;
  const RewardFamily reward = Gaussian{1.0};
  const std::vector<double> means = {0.0, 1.0, 0.0};
  const ModelView model{3, {}, means, 1, &reward};
  // The symmetric graph: either outer vertex will do, the middle one shows nothing.
  const PointSolution point = solve_point(model, {.5, 1, .5, 0, 0, 0, .5, 1, .5}, solver);
  EXPECT_EQ(point.support, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_TRUE(point.clear);
}

}  // namespace
}  // namespace tasfg
