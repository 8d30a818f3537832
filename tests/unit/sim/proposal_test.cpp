#include "tasfg/sim/proposal.hpp"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

constexpr double kPi = 3.14159265358979323846;

Instance two_arms(const RewardFamily& reward, double mean) {
  return {FeedbackGraph(2, {1.0, 0.0, 0.0, 1.0}), {mean, 0.5 * mean}, reward};
}

/// ln of the density of the mean r of n rewards, or of its probability where rewards are whole numbers.
double log_law(const RewardFamily& reward, double mean, int n, double r) {
  const double sum = n * r;
  if (const auto* gaussian = std::get_if<Gaussian>(&reward))
    return 0.5 * std::log(n / (2.0 * kPi * gaussian->variance)) -
           n * (r - mean) * (r - mean) / (2.0 * gaussian->variance);
  if (std::holds_alternative<Bernoulli>(reward))
    return std::lgamma(n + 1.0) - std::lgamma(sum + 1.0) - std::lgamma(n - sum + 1.0) + sum * std::log(mean) +
           (n - sum) * std::log1p(-mean);
  if (std::holds_alternative<Poisson>(reward))
    return sum * std::log(n * mean) - n * mean - std::lgamma(sum + 1.0);
  return (n - 1.0) * std::log(sum) - sum / mean - n * std::log(mean) - std::lgamma(n) + std::log(n);
}

/// E of e to a function of the mean of n rewards.
double expectation(const RewardFamily& reward, double mean, int n,
                   const std::function<double(double)>& log_value) {
  const auto term = [&](double r) { return std::exp(log_law(reward, mean, n, r) + log_value(r)); };
  double total = 0.0;
  if (!is_continuous(reward)) {
    const int most = std::holds_alternative<Bernoulli>(reward) ? n : 2000;
    for (int sum = 0; sum <= most; ++sum) total += term(static_cast<double>(sum) / n);
    return total;
  }
  // Of positive rewards by their logarithm: the tails are heavy.
  const bool positive = std::holds_alternative<Exponential>(reward);
  const double low = -30.0, high = positive ? 25.0 : 30.0;
  constexpr int kSteps = 20'000;
  for (int i = 0; i < kSteps; ++i) {
    const double x = low + (high - low) * (i + 0.5) / kSteps;
    total += (positive ? term(std::exp(x)) * std::exp(x) : term(x)) * (high - low) / kSteps;
  }
  return total;
}

const std::vector<std::pair<RewardFamily, double>> kFamilies = {
    {Gaussian{1.0}, 0.4}, {Gaussian{2.5}, -1.0}, {Bernoulli{}, 0.3}, {Poisson{}, 1.7}, {Exponential{}, 0.8}};

TEST(Proposal, RatiosOfRewardsAreDensities) {
  for (const auto& [reward, mean] : kFamilies) {
    const Instance truth(FeedbackGraph(2, {1.0, 0.0, 0.0, 1.0}),
                         {mean, 0.5 * std::abs(mean) - 2.0 * (mean < 0)}, reward);
    for (const ArmTilt& arm : {ArmTilt{0.6, 0.7, 0.0}, ArmTilt{0.9, 12.0, 0.0}}) {
      const Proposal proposal(truth, 0.25, {{0.75, {arm, arm}}});
      for (const int n : {1, 5}) {
        const std::vector<double> seen = {static_cast<double>(n), 0.0}, pulls = {static_cast<double>(n), 0.0};
        const double total = expectation(reward, mean, n, [&](double r) {
          const std::vector<double> means = {r, 1.0};
          return proposal.log_ratio({seen, means, pulls});
        });
        EXPECT_NEAR(total, 1.0, 1e-6) << row_of(reward).name << ' ' << n << ' ' << arm.strength;
      }
    }
  }
}

TEST(Proposal, PinnedRewardsHaveTheLawOfTheirRatios) {
  // Runs of a component, weighted by one over its ratio, have the instance's expectations: here those of 1,
  // of the mean of n rewards, and of its square, for more and for fewer rewards than are pinned.
  const double variance = 1.5, mean = 0.4;
  const Instance truth = two_arms(Gaussian{variance}, mean);
  constexpr std::size_t kPinned = 3;
  const ArmTilt arm{0.9, 2.0, 0.0, kPinned};
  const Proposal proposal(truth, 0.0, {{1.0, {arm, {0.2, 1.0, 0.0}}}});
  PhiloxStream stream(stream_key(11));
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal(0.0, std::sqrt(variance));
  for (const int n : {1, 2, 3, 4, 7}) {
    constexpr int kRuns = 100'000;
    double sums[3] = {}, squares[3] = {}, pinned = 0.0, pinned_squares = 0.0;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> noise(2 * kMostPinned), means(kMostPinned);
      double sum = 0.0;
      for (std::size_t k = 0; k < kMostPinned; ++k) {
        sum += normal(random);
        noise[k] = means[k] = sum / static_cast<double>(k + 1);
      }
      const double drawn = proposal.draw(stream, noise).instance.mean(0);
      for (double& each : means) each += drawn;
      const double r = means[static_cast<std::size_t>(n) - 1];
      means.resize(2 * kMostPinned);
      const std::vector<double> seen = {static_cast<double>(n), 0.0}, shown = {r, 0.2};
      const double weight = std::exp(-proposal.log_ratio({seen, shown, seen, means}));
      const double values[] = {weight, weight * (r - mean), weight * (r - mean) * (r - mean) * n / variance};
      for (std::size_t i = 0; i < 3; ++i) {
        sums[i] += values[i];
        squares[i] += values[i] * values[i];
      }
      pinned += means[kPinned - 1] - arm.mean;
      pinned_squares += (means[kPinned - 1] - arm.mean) * (means[kPinned - 1] - arm.mean);
    }
    const double expected[] = {1.0, 0.0, 1.0};
    for (std::size_t i = 0; i < 3; ++i) {
      const double found = sums[i] / kRuns;
      const double error = std::sqrt((squares[i] / kRuns - found * found) / kRuns);
      EXPECT_NEAR(found, expected[i], 5.0 * error) << n << ' ' << i;  // a false alarm in 1.7 million
      EXPECT_LT(error, 0.02);
    }
    const double spread = variance / arm.strength;
    EXPECT_NEAR(pinned / kRuns, 0.0, 5.0 * std::sqrt(spread / kRuns));
    EXPECT_NEAR(pinned_squares / kRuns, spread, 5.0 * spread * std::sqrt(2.0 / kRuns));
  }
}

TEST(Proposal, RatiosOfActivationsAreProbabilities) {
  const std::vector<double> edges = {0.2, 1.0, 0.7};
  std::vector<double> matrix = edges;
  matrix.resize(9, 0.5);
  const Instance truth(FeedbackGraph(3, matrix), {0.0, 0.5, 1.0}, Gaussian{1.0});
  // Priors that stand still leave the rewards as they are.
  const Proposal proposal(truth, 0.1, {{0.9, {{0.0, 1e12, -1.3}, {0.5, 1e12, 0.8}, {1.0, 1e12, 2.1}}}});
  double total = 0.0;
  for (int fired = 0; fired < 8; ++fired) {
    double probability = 1.0;
    std::vector<double> seen(3);
    for (std::size_t u = 0; u < 3; ++u) {
      seen[u] = (fired >> u) & 1;
      probability *= seen[u] > 0.0 ? edges[u] : 1.0 - edges[u];
    }
    total +=
        probability * std::exp(proposal.log_ratio({seen, truth.means(), std::vector<double>{1.0, 0.0, 0.0}}));
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
}

TEST(Proposal, DrawsTheMeansOfItsPriorsAndTheOddsOfItsComponents) {
  for (const auto& [reward, mean] : kFamilies) {
    const Instance truth =
        std::holds_alternative<Gaussian>(reward) ? two_arms(reward, 1.0) : two_arms(reward, mean);
    const ArmTilt arm{0.6, 9.0, 0.0};
    const Proposal proposal(truth, 0.25, {{0.75, {arm, arm}}});
    const Posterior prior = posterior_of(reward, arm, 0.0, 0.0);
    PhiloxStream stream(stream_key(7));
    constexpr int kDraws = 40'000;
    int plain = 0;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const Proposal::Drawn drawn = proposal.draw(stream);
      if (drawn.component < 0) {
        ++plain;
        EXPECT_EQ(drawn.instance.means(), truth.means());
        continue;
      }
      sum += drawn.instance.mean(0);
      squares += (drawn.instance.mean(0) - prior.mean) * (drawn.instance.mean(0) - prior.mean);
    }
    const double n = kDraws - plain;
    // Six standard errors; the fourth moments of these priors are below six squared variances.
    EXPECT_NEAR(plain, 0.25 * kDraws, 6.0 * std::sqrt(0.25 * 0.75 * kDraws));
    EXPECT_NEAR(sum / n, prior.mean, 6.0 * std::sqrt(prior.variance / n)) << row_of(reward).name;
    EXPECT_NEAR(squares / n, prior.variance, 6.0 * prior.variance * std::sqrt(6.0 / n))
        << row_of(reward).name;
    EXPECT_NEAR(strength_of(reward, prior.mean, prior.variance), arm.strength, 1e-9);
  }
  const Instance half(FeedbackGraph(2, {0.5, 0.5, 1.0, 0.5}), {0.0, 1.0}, Gaussian{1.0});
  const Proposal tilted(half, 0.0, {{1.0, {{0.0, 1.0, std::log(3.0)}, {1.0, 1.0, 0.0}}}});
  PhiloxStream stream(stream_key(8));
  const Proposal::Drawn drawn = tilted.draw(stream);
  EXPECT_NEAR(drawn.instance.graph()(0, 0), 0.75, 1e-12);
  EXPECT_EQ(drawn.instance.graph()(0, 1), 0.5);
  EXPECT_EQ(drawn.instance.graph()(1, 0), 1.0);
}

}  // namespace
}  // namespace tasfg
