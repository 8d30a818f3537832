#include "sim/error_ladder.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// f_u of the two arms' priors taken as observations, ten to one.
double evidence_between(const RewardFamily& reward, const ArmTilt& a, const ArmTilt& b) {
  const double x = (a.strength * a.mean + b.strength * b.mean) / (a.strength + b.strength);
  return 10.0 * (a.strength * divergence(reward, a.mean, x) + b.strength * divergence(reward, b.mean, x));
}

TEST(ErrorLadder, EveryComponentTellsARivalFromAllOthersInEveryFamily) {
  const std::vector<std::pair<RewardFamily, std::vector<double>>> instances = {
      {Gaussian{1.0}, {0.0, 0.5, 1.0, 0.9}},
      {Gaussian{4.0}, {-3.0, 0.5, 10.0, 9.0}},
      {Bernoulli{}, {0.1, 0.5, 0.7, 0.65}},
      {Poisson{}, {0.2, 3.0, 2.0, 1.0}},
      {Exponential{}, {0.2, 3.0, 2.0, 1.0}}};
  constexpr double kEvidence = 12.0;
  for (const auto& [reward, means] : instances) {
    const Instance truth(FeedbackGraph(4, std::vector<double>(16, 0.5)), means, reward);
    const std::vector<TiltComponent> ladder = error_ladder(truth, kEvidence, Pins::no);
    std::vector<bool> rivals(4);
    double sum = 0.0;
    for (const TiltComponent& component : ladder) {
      sum += component.weight;
      const auto top = std::max_element(component.arms.begin(), component.arms.end(),
                                        [](const ArmTilt& a, const ArmTilt& b) { return a.mean < b.mean; });
      rivals[static_cast<std::size_t>(top - component.arms.begin())] = true;
      for (const ArmTilt& arm : component.arms) {
        EXPECT_TRUE(admits(reward, arm.mean));
        EXPECT_GT(arm.strength, 0.0);
        if (&arm != &*top) {
          EXPECT_GE(evidence_between(reward, *top, arm), kEvidence * (1.0 - 1e-6)) << row_of(reward).name;
        }
      }
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    for (int u = 0; u < 4; ++u)
      EXPECT_EQ(rivals[static_cast<std::size_t>(u)], u != truth.best()) << row_of(reward).name << ' ' << u;
  }
}

TEST(ErrorLadder, PinsTheFirstRewardsOfArmsThatAreSeenAFewTimes) {
  const Instance truth(FeedbackGraph(3, std::vector<double>(9, 0.5)), {0.0, 0.5, 1.0}, Gaussian{1.0});
  const std::vector<TiltComponent> ladder = error_ladder(truth, 12.0, Pins::yes);
  int pinned = 0, free = 0;
  for (const TiltComponent& component : ladder) {
    for (const ArmTilt& arm : component.arms) {
      const double seen = 10.0 * arm.strength;
      EXPECT_EQ(arm.pinned, pinned_of(seen));
      (arm.pinned > 0 ? pinned : free) += 1;
    }
  }
  EXPECT_GT(pinned, 10);
  EXPECT_GT(free, 10);
  EXPECT_EQ(pinned_of(0.2), 1);
  EXPECT_EQ(pinned_of(2.6), 3);
  EXPECT_EQ(pinned_of(8.4), 8);
  EXPECT_EQ(pinned_of(8.6), 0);
}

TEST(ErrorLadder, OfManyRivalsTheNearestArePartOfIt) {
  constexpr int K = 40;
  std::vector<double> means;
  for (int u = 0; u < K; ++u) means.push_back(0.1 * u);
  const Instance truth(FeedbackGraph(K, std::vector<double>(K * K, 0.5)), means, Gaussian{1.0});
  const std::vector<TiltComponent> ladder = error_ladder(truth, 5.0, Pins::no);
  EXPECT_LT(ladder.size(), 600U);
  const bool nearest = std::any_of(ladder.begin(), ladder.end(), [](const TiltComponent& each) {
    return each.arms[K - 2].mean > each.arms[K - 1].mean;
  });
  EXPECT_TRUE(nearest);
}

}  // namespace
}  // namespace tasfg
