#include "tasfg/algo/rules/exp3_g.hpp"

#include <cmath>

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {

/// Keeps the probabilities that it is asked to draw from, and draws vertex 0.
struct Probe {
  std::vector<double> p;
};
inline int draw_index(Probe& probe, std::span<const double> p) {
  probe.p.assign(p.begin(), p.end());
  return 0;
}

namespace {

/// The probabilities after one draw of vertex 0 that showed the reward 1 at itself.
std::vector<double> after_one_reward(const Instance& instance, Setting setting, Exp3Variant variant) {
  Conventions conventions;
  conventions.exp3 = variant;
  Exp3Rule rule(instance, conventions);
  Estimate e(instance, setting, conventions);
  Probe probe;
  e.pull(rule.choose(e, probe));
  for (const double p : probe.p) EXPECT_DOUBLE_EQ(p, 1.0 / instance.size());
  e.observe(0, 0, 1.0);
  rule.shown(e, 0, 1.0);
  rule.finish(e, 0);
  static_cast<void>(rule.choose(e, probe));
  return probe.p;
}

double first_probability(double exponent, int K) {
  const double q = std::exp(exponent) / (std::exp(exponent) + K - 1);
  return 0.7 * q + 0.3 / K;
}

TEST(Exp3Rule, GainsAreWeightedByTheProbabilityOfSeeingThem) {
  // Bandit feedback: only vertex 0 shows vertex 0, and it was drawn with probability 1/2.
  const Instance bandit = instance_of("bandit", {{"K", 2.0}});
  EXPECT_NEAR(after_one_reward(bandit, Setting::known_graph, Exp3Variant::paper)[0],
              first_probability(0.3 / 0.5, 2), 1e-14);
  // Full feedback: every vertex shows it.
  const Instance full = instance_of("full", {{"K", 4.0}});
  EXPECT_NEAR(after_one_reward(full, Setting::known_graph, Exp3Variant::paper)[0], first_probability(0.3, 4),
              1e-14);
  // Unknown graph: vertex 1, never pulled, may show it too.
  EXPECT_NEAR(after_one_reward(bandit, Setting::informed, Exp3Variant::paper)[0], first_probability(0.3, 2),
              1e-14);
  // The same where edges are counted.
  const Instance large = instance_of("bandit", {{"K", 5000.0}});
  EXPECT_NEAR(after_one_reward(large, Setting::informed, Exp3Variant::paper)[0], first_probability(0.3, 5000),
              1e-14);
}

TEST(Exp3Rule, TheReferenceHasRateOneOverKAndNoWeights) {
  const Instance bandit = instance_of("bandit", {{"K", 4.0}});
  EXPECT_NEAR(after_one_reward(bandit, Setting::known_graph, Exp3Variant::reference)[0],
              first_probability(1.0 / 4.0, 4), 1e-14);
}

TEST(Exp3Rule, ARewardThatOverflowsTakesAllTheWeight) {
  const Instance bandit = instance_of("bandit", {{"K", 3.0}});
  Exp3Rule rule(bandit, {});
  Estimate e(bandit, Setting::known_graph, {});
  Probe probe;
  e.pull(rule.choose(e, probe));
  rule.shown(e, 0, 1e6);
  rule.finish(e, 0);
  static_cast<void>(rule.choose(e, probe));
  EXPECT_NEAR(probe.p[0], 0.7 + 0.1, 1e-14);
  EXPECT_NEAR(probe.p[1], 0.1, 1e-14);
}

}  // namespace
}  // namespace tasfg
