#include "sim/proposal_fit.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

const Instance& truth() {
  static const Instance instance(FeedbackGraph(3, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}),
                                 {0.0, 0.5, 1.0}, Gaussian{1.0});
  return instance;
}

/// Stops of equal weight at which arm 0 was seen to be high, and less often than the others.
std::vector<WrongStop> made_stops(std::size_t deltas) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<WrongStop> stops;
  for (std::size_t d = 0; d < deltas; ++d)
    for (int i = 0; i < 300; ++i)
      stops.push_back(
          {d, false, 5.0, {2.0, 10.0, 10.0}, {4.0 + 0.7 * normal(random), 0.5, 0.8}, {6.0, 6.0, 6.0}});
  return stops;
}

FittedMixture start() {
  const std::vector<ArmTilt> high = {{2.0, 0.5, 0.0}, {0.3, 1.0, 0.0}, {0.5, 1.0, 0.0}};
  const std::vector<ArmTilt> low = {{0.0, 0.5, 0.0}, {3.0, 1.0, 0.0}, {0.5, 1.0, 0.0}};
  return {0.1, {{0.3, high}, {0.6, low}}};
}

double objective(const FittedMixture& mixture, const std::vector<WrongStop>& stops) {
  const Proposal proposal(truth(), mixture.plain, mixture.components);
  double sum = 0.0;
  for (const WrongStop& stop : stops) sum += proposal.log_ratio(stop.counts());
  return sum / static_cast<double>(stops.size());
}

TEST(ProposalFit, MakesTheStopsLikelier) {
  const std::vector<WrongStop> stops = made_stops(2);
  const FittedMixture before = start();
  const FittedMixture weights = fitted(truth(), before, Fit::weights, stops, 2);
  const FittedMixture all = fitted(truth(), before, Fit::all, stops, 2);
  EXPECT_GT(objective(weights, stops), objective(before, stops) + 0.5);
  EXPECT_GT(objective(all, stops), objective(weights, stops) + 1.0);
  // The component of the rival that won is most of it, and has moved to where it was seen.
  EXPECT_EQ(weights.components[0].arms[0].mean, 2.0);
  EXPECT_GT(all.components[0].weight, 0.9);
  EXPECT_NEAR(all.components[0].arms[0].mean, 4.0, 0.3);
  // Seen 2 times in 18 pulls instead of 9, and 10 times.
  EXPECT_NEAR(tilted_probability(0.5, all.components[0].arms[0].log_odds), 2.0 / 18.0, 0.03);
  EXPECT_NEAR(tilted_probability(0.5, all.components[0].arms[1].log_odds), 10.0 / 18.0, 0.03);
  double sum = all.plain;
  for (const TiltComponent& each : all.components) sum += each.weight;
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(ProposalFit, PinsAsManyRewardsAsAreSeenOfAnArm) {
  std::vector<WrongStop> stops = made_stops(1);
  for (WrongStop& stop : stops)
    for (std::size_t u = 0; u < 3; ++u) stop.first_means.resize((u + 1) * kMostPinned, stop.means[u]);
  const std::vector<ArmTilt> arms = fitted(truth(), start(), Fit::all, stops, 1).components[0].arms;
  EXPECT_EQ(arms[0].pinned, 2);  // seen twice
  EXPECT_EQ(arms[1].pinned, 0);  // ten times
  EXPECT_NEAR(arms[0].mean, 4.0, 0.3);
  EXPECT_NEAR(1.0 / arms[0].strength, 0.49, 0.2);  // the variance that the means of the two have
  EXPECT_EQ(fitted(truth(), start(), Fit::weights, stops, 1).components[0].arms[0].pinned, 0);
}

TEST(ProposalFit, WidenedComponentsHaveTailsNoLighterThanTheInstances) {
  // ln dP_c/dP of two rewards of an arm, by their mean: where it bends down, no multiple of dP_c covers dP.
  const TiltComponent tight{1.0, {{2.0, 7.0, -4.0, 2}, {0.3, 0.5, 4.0, 1}, {0.5, 9.0, 0.3, 0}}};
  const TiltComponent wide = widened(tight);
  const auto log_ratio = [](const TiltComponent& component, double r) {
    const std::vector<double> seen = {2.0, 0.0, 0.0}, means = {r, 0.0, 0.0}, pulls = {9.0, 9.0, 9.0};
    const std::vector<double> first_means(3 * kMostPinned, r);
    double ratio = 0.0;
    Proposal(truth(), 0.0, {component}).log_ratios({seen, means, pulls, first_means}, {&ratio, 1});
    return ratio;
  };
  const auto bend = [&](const TiltComponent& component) {
    return log_ratio(component, 22.0) - 2.0 * log_ratio(component, 2.0) + log_ratio(component, -18.0);
  };
  EXPECT_LT(bend(tight), -100.0);
  EXPECT_GE(bend(wide), -1e-9);
  for (std::size_t u = 0; u < 3; ++u) {
    EXPECT_EQ(wide.arms[u].mean, tight.arms[u].mean);
    EXPECT_EQ(wide.arms[u].pinned, tight.arms[u].pinned);
    EXPECT_LE(std::abs(wide.arms[u].log_odds), 1.0);
  }
  EXPECT_EQ(wide.arms[0].log_odds, -1.0);
  // What is wide stays as it is.
  EXPECT_EQ(wide.arms[1].strength, 0.5);
  EXPECT_EQ(wide.arms[2].strength, 9.0);
  EXPECT_EQ(wide.arms[2].log_odds, 0.3);
}

TEST(ProposalFit, ChangesNothingWithoutStops) {
  const FittedMixture mixture = fitted(truth(), start(), Fit::all, {}, 2);
  EXPECT_EQ(mixture.plain, 0.1);
  EXPECT_EQ(mixture.components.size(), 2U);
  EXPECT_EQ(mixture.components[1].arms[1].mean, 3.0);
}

TEST(ProposalFit, EndsAtTheFirstStopOnceCancelled) {
  const std::atomic<bool> cancel{true};
  const std::vector<WrongStop> stops = made_stops(2);
  const FittedMixture mixture = fitted(truth(), start(), Fit::all, stops, 2, &cancel);
  EXPECT_EQ(mixture.components.size(), 2U);
  EXPECT_EQ(mixture.components[0].weight, 0.3);
  EXPECT_EQ(mixture.components[0].arms[0].mean, 2.0);
}

TEST(ProposalFit, GivesPlainRunsWhatComesAfterTheHorizon) {
  std::vector<WrongStop> stops = made_stops(1);
  for (WrongStop& stop : stops) stop.late = true;
  EXPECT_GT(fitted(truth(), start(), Fit::all, stops, 1).plain, 0.95);
}

}  // namespace
}  // namespace tasfg
