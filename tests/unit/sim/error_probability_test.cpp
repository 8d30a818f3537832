#include "tasfg/sim/error_probability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "tasfg/model/graph_families.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kPilot = 1000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Nodes and weights of Gauss and Legendre on [−1, 1].
std::pair<std::vector<double>, std::vector<double>> gauss_legendre(int n) {
  std::vector<double> nodes, weights;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 0.0;
    for (int newton = 0; newton < 100; ++newton) {
      double before = 0.0, value = 1.0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1.0);
      x -= value / slope;
      if (std::abs(value) < 1e-14) break;
    }
    nodes.push_back(x);
    weights.push_back(2.0 / ((1.0 - x * x) * slope * slope));
  }
  return {nodes, weights};
}

/// On the full graph of two vertices every draw shows both: the sum of the differences of their rewards is a
/// random walk with steps N(gap, 2σ²), and a run stops where it leaves ±2σ√(t β(t)). The probability that it
/// leaves below, by integrating its density from step to step: exact to many digits, however small.
double exact_error(double gap, double variance, ThresholdKind threshold, double log_inv_delta) {
  const auto [nodes, weights] = gauss_legendre(60);
  const double deviation = std::sqrt(2.0 * variance);
  const auto density = [&](double x) {
    const double z = (x - gap) / deviation;
    return std::exp(-0.5 * z * z) / (deviation * std::sqrt(2.0 * std::numbers::pi));
  };
  const auto below = [&](double x) {
    return 0.5 * std::erfc(-(x - gap) / (deviation * std::numbers::sqrt2));
  };
  const auto edge = [&](int t) {
    const double beta = threshold_base(threshold, log_inv_delta, 2) + threshold_growth(threshold, t);
    return std::sqrt(4.0 * variance * t * beta);
  };
  double bound = edge(1), error = below(-bound);
  std::vector<double> mass;  // density at the nodes, times their weights
  for (std::size_t i = 0; i < nodes.size(); ++i)
    mass.push_back(weights[i] * bound * density(bound * nodes[i]));
  for (int t = 2; t < 3000; ++t) {
    const double next = edge(t);
    double leaves = 0.0, stays = 0.0;
    for (std::size_t i = 0; i < nodes.size(); ++i) leaves += mass[i] * below(-next - bound * nodes[i]);
    std::vector<double> moved;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        sum += mass[i] * density(next * nodes[j] - bound * nodes[i]);
      moved.push_back(sum * weights[j] * next);
      stays += moved.back();
    }
    error += leaves;
    mass = moved;
    bound = next;
    if (leaves < 1e-9 * error && stays < 1e-3 * error) break;
    if (leaves < 1e-12 * error && t > 50) break;
  }
  return error;
}

Instance two_vertices(double gap, const RewardFamily& reward = Gaussian{1.0}) {
  return {FeedbackGraph(2, {1.0, 1.0, 1.0, 1.0}), {1.0, 1.0 - gap}, reward};
}

std::vector<double> logs(const std::vector<double>& deltas) {
  std::vector<double> values;
  for (const double delta : deltas) values.push_back(-std::log(delta));
  return values;
}

TEST(ErrorProbability, IsTheExactOneOnTwoVerticesDownTo1e12) {
  const std::vector<double> log_inv_delta = logs({1e-12, 0.1, 1e-6});
  for (const ThresholdKind threshold : {ThresholdKind::practical, ThresholdKind::simple}) {
    SimulationOptions options;
    options.threshold = threshold;
    const Instance instance = two_vertices(0.8);
    const Simulation simulation(instance, options);
    const auto found = measured_error(simulation, algorithm_named("uniform", "test"), log_inv_delta, 10'000,
                                      ErrorMethod::weighted, 1, kPilot);
    for (std::size_t d = 0; d < log_inv_delta.size(); ++d) {
      const double exact = exact_error(0.8, 1.0, threshold, log_inv_delta[d]);
      // Four standard errors, six times: a false alarm in 2600.
      EXPECT_NEAR(found[d].error, exact, 4.0 * found[d].std_error) << log_inv_delta[d];
      EXPECT_LT(found[d].std_error, 0.15 * exact) << log_inv_delta[d];
      EXPECT_GT(found[d].ess, 50.0);
      EXPECT_LT(found[d].lower, found[d].error);
      EXPECT_GT(found[d].upper, found[d].error);
    }
  }
}

TEST(ErrorProbability, AgreesWithPlainRunsInEveryFamilyAndSetting) {
  struct Study {
    RewardFamily reward;
    std::vector<double> means;
    Setting setting;
    double variance = 1.0;
  };
  const std::vector<Study> studies = {{Gaussian{1.0}, {0.0, 0.6, 1.0}, Setting::uninformed},
                                      {Bernoulli{}, {0.4, 0.6, 0.8}, Setting::informed},
                                      {Poisson{}, {0.5, 1.0, 2.0}, Setting::known_graph},
                                      {Exponential{}, {0.5, 1.0, 2.0}, Setting::uninformed}};
  const std::vector<double> log_inv_delta = logs({0.5, 0.1});
  for (const Study& study : studies) {
    const Instance instance(FeedbackGraph(3, {1.0, 0.5, 0.3, 0.2, 0.6, 1.0, 0.4, 0.4, 0.9}), study.means,
                            study.reward);
    SimulationOptions options;
    options.setting = study.setting;
    options.threshold = ThresholdKind::simple;
    const Simulation simulation(instance, options);
    const Algorithm algorithm = algorithm_named("tas-fg-heur", "test");
    const auto weighted =
        measured_error(simulation, algorithm, log_inv_delta, 3'000, ErrorMethod::weighted, 1, kPilot / 2);
    const auto plain = measured_error(simulation, algorithm, log_inv_delta, 6'000, ErrorMethod::plain);
    for (std::size_t d = 0; d < log_inv_delta.size(); ++d) {
      // Four standard errors, eight times: a false alarm in 2000.
      EXPECT_NEAR(weighted[d].error, plain[d].error,
                  4.0 * std::hypot(weighted[d].std_error, plain[d].std_error))
          << row_of(study.reward).name << ' ' << log_inv_delta[d];
      EXPECT_GT(plain[d].error, 1e-4) << "else the comparison says nothing";
    }
  }
}

TEST(ErrorProbability, HasNoIntervalWhereAPilotMissedAWayToErr) {
  // Pilots of a hundred runs a round are far too small for the ring at 1e-12: most find one rival of several.
  constexpr double kTruth = 2.8e-20;  // 1e5 runs: 2.7e-20 to 3e-20
  constexpr std::size_t kTooSmall = 100, kRuns = 4000;
  auto [graph, means] = make_graph(graph_family("ring", "test"), {{"K", 5.0}}, "test");
  const Instance instance(std::move(graph), std::move(means), Gaussian{1.0});
  const Algorithm algorithm = algorithm_named("uniform", "test");
  int confident = 0;
  for (const std::uint64_t seed : {60, 78, 119}) {
    SimulationOptions options;
    options.master_seed = seed;
    const Simulation simulation(instance, options);
    const std::vector<double> log_inv_delta = logs({1e-12});
    const ErrorSampler sampler(simulation, algorithm, log_inv_delta, 1, nullptr, kTooSmall);
    std::vector<double> log_weights;
    for (std::uint64_t run = 0; run < kRuns; ++run) log_weights.push_back(sampler.run(run).log_weight[0]);
    // The weights by themselves look well.
    const ErrorEstimate found = error_estimate(log_weights, 10.0);
    if (!found.has_interval() || found.upper > 0.5 * kTruth) continue;
    ++confident;
    EXPECT_FALSE(sampler.trusted(0, &found)) << "seed " << seed;
    const auto measured =
        measured_error(simulation, algorithm, log_inv_delta, kRuns, ErrorMethod::weighted, 1, kTooSmall);
    EXPECT_FALSE(measured[0].has_interval()) << "seed " << seed;
    EXPECT_EQ(measured[0].error, found.error);
  }
  EXPECT_GT(confident, 0) << "look for seeds at which the weights deceive, else this shows nothing";
}

TEST(ErrorProbability, HasAWideComponentBesideEachThatIsTight) {
  const Instance instance = two_vertices(1.0);
  const Simulation simulation(instance, {});
  const ErrorSampler sampler(simulation, algorithm_named("uniform", "test"), logs({0.1, 1e-6}), 1, nullptr,
                             kPilot);
  const auto tight = [](const TiltComponent& component) {
    return std::any_of(component.arms.begin(), component.arms.end(), [](const ArmTilt& arm) {
      return arm.pinned > 0 && arm.strength > static_cast<double>(arm.pinned);
    });
  };
  const auto same_means = [](const TiltComponent& one, const TiltComponent& other) {
    return std::equal(one.arms.begin(), one.arms.end(), other.arms.begin(),
                      [](const ArmTilt& a, const ArmTilt& b) { return a.mean == b.mean; });
  };
  const std::vector<TiltComponent>& all = sampler.proposal().components();
  int found = 0;
  for (const TiltComponent& component : all) {
    if (!tight(component)) continue;
    ++found;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const TiltComponent& other) {
      return !tight(other) && same_means(component, other) && other.weight > 0.4 * component.weight;
    }));
  }
  EXPECT_GT(found, 0) << "else this shows nothing";
}

TEST(ErrorProbability, DoesNotDependOnTheNumberOfThreads) {
  const Instance instance = two_vertices(1.0);
  const Simulation simulation(instance, {});
  const Algorithm algorithm = algorithm_named("uniform", "test");
  const std::vector<double> log_inv_delta = logs({0.1});
  const auto one =
      measured_error(simulation, algorithm, log_inv_delta, 500, ErrorMethod::weighted, 1, kPilot);
  const auto three =
      measured_error(simulation, algorithm, log_inv_delta, 500, ErrorMethod::weighted, 3, kPilot);
  EXPECT_EQ(one[0].error, three[0].error);
  EXPECT_EQ(one[0].std_error, three[0].std_error);
}

TEST(ErrorProbability, OfARuleThatCannotStopIsZeroUpToABound) {
  // One draw shows one vertex.
  const Instance instance(FeedbackGraph(2, {1.0, 0.0, 0.0, 1.0}), {0.0, 1.0}, Gaussian{1.0});
  SimulationOptions options;
  options.max_steps = 1;
  const Simulation simulation(instance, options);
  const auto found = measured_error(simulation, algorithm_named("uniform", "test"), logs({0.5}), 1000,
                                    ErrorMethod::weighted, 1, kPilot);
  EXPECT_EQ(found[0].error, 0.0);
  EXPECT_EQ(found[0].lower, 0.0);
  EXPECT_GT(found[0].upper, 0.001);
  EXPECT_LT(found[0].upper, 0.1);
}

TEST(ErrorProbability, OfARuleThatIsOftenWrongIsThatOfPlainRuns) {
  // Nearly equal means and δ = 0.99: a coin.
  const Instance instance = two_vertices(0.01);
  SimulationOptions options;
  options.threshold = ThresholdKind::simple;
  const Simulation simulation(instance, options);
  const auto found = measured_error(simulation, algorithm_named("uniform", "test"), logs({0.99}), 10'000,
                                    ErrorMethod::weighted, 1, kPilot);
  const auto plain = measured_error(simulation, algorithm_named("uniform", "test"), logs({0.99}), 10'000,
                                    ErrorMethod::plain);
  EXPECT_GT(plain[0].error, 0.4);
  EXPECT_NEAR(found[0].error, plain[0].error, 4.0 * std::hypot(found[0].std_error, plain[0].std_error));
  EXPECT_LT(found[0].std_error, 0.02);
}

TEST(ErrorEstimate, IsTheMeanWithItsStandardErrorWhateverTheScale) {
  for (const double scale : {0.0, -600.0}) {
    std::vector<double> log_weights(1000, -kInfinity);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 200; ++i) {
      const double weight = 1.0 + 0.01 * i;
      log_weights[static_cast<std::size_t>(5 * i)] = std::log(weight) + scale;
      sum += weight;
      squares += weight * weight;
    }
    const ErrorEstimate found = error_estimate(log_weights, 10.0);
    const double unit = std::exp(scale);
    EXPECT_NEAR(found.error / unit, sum / 1000, 1e-9);
    EXPECT_NEAR(found.std_error / unit, std::sqrt((squares / 1000 - sum * sum / 1e6) / 999), 1e-9);
    EXPECT_NEAR(found.ess, sum * sum / squares, 1e-9);
    EXPECT_NEAR(found.largest_share, 2.99 / sum, 1e-12);
    EXPECT_TRUE(found.has_interval());
    EXPECT_EQ(found.runs, 1000);
  }
}

TEST(ErrorEstimate, RefusesAnIntervalWhereFewRunsDecide) {
  std::vector<double> few(1000, -kInfinity);
  for (std::size_t i = 0; i < 19; ++i) few[i] = 0.0;
  EXPECT_FALSE(error_estimate(few, 10.0).has_interval());
  few[19] = 0.0;
  EXPECT_TRUE(error_estimate(few, 10.0).has_interval());
  std::vector<double> one_large(1000, 0.0);
  one_large[3] = std::log(400.0);
  EXPECT_FALSE(error_estimate(one_large, 1000.0).has_interval());
}

TEST(ErrorEstimate, HasAWiderIntervalWhereWeightsAreFewAndSkewed) {
  // With 40 equal weights of 1e5 runs the skewness of the sum is 1/√40 and z (1 + (z² + 1)/160 + (z⁴ + 2z² −
  // 3)/720) = 2.07; a weight of 8 among them makes it 0.527, and 2.66 of it.
  std::vector<double> log_weights(100'000, -kInfinity);
  for (std::size_t i = 0; i < 40; ++i) log_weights[i] = 0.0;
  const auto quantile = [&] {
    const ErrorEstimate found = error_estimate(log_weights, 10.0);
    EXPECT_NEAR(found.upper / found.error, found.error / found.lower, 1e-9);
    return std::log(found.upper / found.error) * found.error / found.std_error;
  };
  EXPECT_NEAR(quantile(), 2.072, 2e-3);
  log_weights[0] = std::log(8.0);
  EXPECT_NEAR(quantile(), 2.659, 5e-3);
}

TEST(ErrorEstimate, IsNoneWhereAWeightIsNone) {
  std::vector<double> log_weights(100, 0.0);
  for (const double none : {std::nan(""), kInfinity}) {
    log_weights[7] = none;
    const ErrorEstimate found = error_estimate(log_weights, 10.0);
    EXPECT_TRUE(std::isnan(found.error));
    EXPECT_FALSE(found.has_interval());
  }
}

TEST(ErrorEstimate, OfTwoSourcesAgreeWithinFourStandardErrorsOrNot) {
  const auto estimate = [](double error, double relative, double ess) {
    ErrorEstimate out;
    out.error = error;
    out.std_error = relative * error;
    out.ess = ess;
    return out;
  };
  // ln(1.5) = 0.405 and the standard error of the difference is √2 · 0.1.
  EXPECT_TRUE(agree(estimate(1e-9, 0.1, 100.0), estimate(1.5e-9, 0.1, 100.0)));
  EXPECT_FALSE(agree(estimate(1e-9, 0.07, 100.0), estimate(1.5e-9, 0.07, 100.0)));
  EXPECT_FALSE(agree(estimate(1.5e-9, 0.07, 100.0), estimate(1e-9, 0.07, 100.0)));
  // A single run neither contradicts nor confirms.
  EXPECT_FALSE(agree(estimate(1e-9, 0.1, 100.0), estimate(1e-9, 1.0, 1.0)));
  EXPECT_FALSE(agree(estimate(1e-9, 0.1, 100.0), estimate(0.0, 0.0, 0.0)));
  EXPECT_TRUE(agree(estimate(0.0, 0.0, 0.0), estimate(0.0, 0.0, 0.0)));
}

TEST(ErrorEstimate, OfPlainRunsHasWilsonsInterval) {
  const ErrorEstimate found = plain_error_estimate(10, 100);
  EXPECT_NEAR(found.lower, 0.0552, 1e-4);  // E. B. Wilson, JASA 22, 1927
  EXPECT_NEAR(found.upper, 0.1744, 1e-4);
  EXPECT_EQ(plain_error_estimate(0, 100).lower, 0.0);
  EXPECT_NEAR(plain_error_estimate(0, 100).upper, 0.037, 1e-3);
  EXPECT_EQ(plain_error_estimate(100, 100).upper, 1.0);
}

TEST(ErrorEstimate, NeverExceedsOne) {
  const ErrorEstimate found = error_estimate(std::vector<double>(100, 0.0), 1.0);
  EXPECT_EQ(found.error, 1.0);
  EXPECT_EQ(found.upper, 1.0);
}

}  // namespace
}  // namespace tasfg
