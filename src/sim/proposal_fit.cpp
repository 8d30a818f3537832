#include "sim/proposal_fit.hpp"

#include <algorithm>
#include <cmath>

#include "sim/error_ladder.hpp"

#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

struct Weighted {
  const WrongStop* stop;
  double weight;
};
struct Data {
  std::vector<Weighted> stops;  // weights sum to one
  double effective = 0.0;       // number of stops
};

/// The weights: one over the ratio, and one in all for each δ that has any.
Data weighted(std::span<const WrongStop> stops, std::size_t deltas) {
  Data data;
  std::size_t seen = 0;
  for (std::size_t d = 0; d < deltas; ++d) {
    double largest = -kInfinity;
    for (const WrongStop& stop : stops)
      if (stop.delta == d) largest = std::max(largest, -stop.log_sum);
    if (largest == -kInfinity) continue;
    double sum = 0.0, squares = 0.0;
    const std::size_t from = data.stops.size();
    for (const WrongStop& stop : stops) {
      if (stop.delta != d) continue;
      const double weight = exp(-stop.log_sum - largest);
      sum += weight;
      squares += weight * weight;
      data.stops.push_back({&stop, weight});
    }
    for (std::size_t i = from; i < data.stops.size(); ++i) data.stops[i].weight /= sum;
    data.effective += sum * sum / squares;
    ++seen;
  }
  for (Weighted& each : data.stops) each.weight /= static_cast<double>(seen);
  constexpr double kNothing = 3e-6;
  std::erase_if(data.stops, [&](const Weighted& each) { return each.weight < kNothing; });
  return data;
}

/// What a component has of the stops: sums over them, each by its weight and the component's part in it.
struct Part {
  explicit Part(std::size_t K) : mean(K), square(K), observations(K), pulls(K) {}
  double weight = 0.0;
  std::vector<double> mean, square;  // of the arms' means, given what was seen
  std::vector<double> observations, pulls;
};

/// What a stop tells of the mean that an arm's prior is about.
Posterior seen_of(const RewardFamily& reward, const ArmTilt& arm, const WrongStop& stop, std::size_t u) {
  if (arm.pinned > 0 && stop.observations[u] >= arm.pinned)
    return {stop.first_means[u * kMostPinned + static_cast<std::size_t>(arm.pinned) - 1], 0.0};
  return posterior_of(reward, arm, stop.observations[u], stop.means[u]);
}

/// The log odds at which the pulls of a component show u as often as it was seen.
double fitted_odds(const FeedbackGraph& graph, int u, const Part& part, double seen) {
  const auto expected = [&](double log_odds) {
    double sum = 0.0;
    for (const Edge& edge : graph.in(u))
      sum +=
          part.pulls[static_cast<std::size_t>(edge.vertex)] * tilted_probability(edge.probability, log_odds);
    return sum;
  };
  constexpr double kMost = 4.0;
  double low = -kMost, high = kMost;
  for (int i = 0; i < 30; ++i) {
    const double mid = 0.5 * (low + high);
    (expected(mid) < seen ? low : high) = mid;
  }
  return 0.5 * (low + high);
}

/// Pins as many first rewards of each arm as the component's stops have seen of it.
void pin(TiltComponent& component, const Part& part) {
  for (std::size_t u = 0; u < component.arms.size(); ++u) {
    ArmTilt& arm = component.arms[u];
    const int pinned = pinned_of(part.observations[u] / part.weight);
    if (pinned == arm.pinned) continue;
    arm.pinned = pinned;
    // The prior was found for the mean of other rewards.
    constexpr double kWeak = 1.0;
    arm.strength = std::min(arm.strength, kWeak);
  }
}

/// Moves a component to its part of the stops. Its present values count as much as `prior` of weight: few
/// stops must not decide alone.
void move(TiltComponent& component, const Instance& truth, const Part& part, double prior) {
  const double total = part.weight + prior;
  for (int u = 0; u < truth.size(); ++u) {
    const auto i = static_cast<std::size_t>(u);
    ArmTilt& arm = component.arms[i];
    const Posterior now = posterior_of(truth.reward(), arm, 0.0, 0.0);
    const double mean = (part.mean[i] + prior * arm.mean) / total;
    const double square = (part.square[i] + prior * (now.variance + arm.mean * arm.mean)) / total;
    // No prior outweighs by far what a run sees: paths unlike those of the pilot must stay possible.
    constexpr double kStrongest = 10.0, kStrongestPinned = 5.0, kWeakest = 0.02;
    const double strongest =
        arm.pinned > 0 ? kStrongestPinned * arm.pinned : kStrongest * (part.observations[i] + prior) / total;
    const double variance = std::max(square - mean * mean, 1e-9 * variance_at(truth.reward(), mean));
    arm.mean = mean;
    arm.strength = std::clamp(strength_of(truth.reward(), mean, variance), kWeakest,
                              std::max(2.0 * kWeakest, strongest));
    double own = 0.0;
    for (const Edge& edge : truth.graph().in(u))
      own += part.pulls[static_cast<std::size_t>(edge.vertex)] *
             tilted_probability(edge.probability, arm.log_odds);
    arm.log_odds =
        fitted_odds(truth.graph(), u, part, (part.observations[i] * part.weight + own * prior) / total);
  }
}

}  // namespace

FittedMixture fitted(const Instance& truth, FittedMixture mixture, Fit what, std::span<const WrongStop> stops,
                     std::size_t deltas, const std::atomic<bool>* cancel) {
  const Data data = weighted(stops, deltas);
  if (data.stops.empty()) return mixture;
  constexpr int kIterations = 12;
  constexpr double kPriorStops = 20.0;
  constexpr double kEverywhere = 0.02;  // of the weight, over all components alike
  const double prior = kPriorStops / data.effective;
  const bool pins = !stops.front().first_means.empty();
  const auto K = static_cast<std::size_t>(truth.size());
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    const Proposal now(truth, mixture.plain, mixture.components);
    const std::size_t count = mixture.components.size();
    std::vector<Part> parts(count, Part(K));
    std::vector<double> ratios(count);
    double plain = 0.0, total = 0.0;
    for (const auto& [stop, weight] : data.stops) {
      if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return mixture;
      total += weight;
      if (stop->late) {
        plain += weight;
        continue;
      }
      now.log_ratios(stop->counts(), ratios);
      double largest = 0.0;
      for (const double each : ratios) largest = std::max(largest, each);
      const double of_plain = mixture.plain * exp(-largest);
      double sum = of_plain;
      for (std::size_t c = 0; c < count; ++c)
        sum += ratios[c] = mixture.components[c].weight * exp(ratios[c] - largest);
      plain += weight * of_plain / sum;
      for (std::size_t c = 0; c < count; ++c) {
        constexpr double kNothing = 1e-7;
        const double share = weight * ratios[c] / sum;
        if (share < kNothing) continue;
        Part& part = parts[c];
        part.weight += share;
        for (std::size_t u = 0; u < K; ++u) {
          const Posterior seen = seen_of(truth.reward(), mixture.components[c].arms[u], *stop, u);
          part.mean[u] += share * seen.mean;
          part.square[u] += share * (seen.variance + seen.mean * seen.mean);
          part.observations[u] += share * stop->observations[u];
          part.pulls[u] += share * stop->pulls[u];
        }
      }
    }
    mixture.plain = (1.0 - kEverywhere) * plain / total;
    for (std::size_t c = 0; c < count; ++c) {
      TiltComponent& component = mixture.components[c];
      component.weight =
          (1.0 - kEverywhere) * parts[c].weight / total + kEverywhere / static_cast<double>(count);
      if (what == Fit::weights || !(parts[c].weight > 0.0)) continue;
      if (pins && iteration == 0)
        pin(component, parts[c]);
      else
        move(component, truth, parts[c], prior);
    }
    constexpr double kLeast = 5e-4;
    if (iteration > 2)
      std::erase_if(mixture.components, [](const TiltComponent& each) { return each.weight < kLeast; });
    double sum = mixture.plain;
    for (const TiltComponent& each : mixture.components) sum += each.weight;
    mixture.plain /= sum;
    for (TiltComponent& each : mixture.components) each.weight /= sum;
  }
  return mixture;
}

TiltComponent widened(TiltComponent component) {
  constexpr double kMostOdds = 1.0;  // a reward more or less than expected changes the ratio by e at most
  for (ArmTilt& arm : component.arms) {
    if (arm.pinned > 0) arm.strength = std::min(arm.strength, static_cast<double>(arm.pinned));
    arm.log_odds = std::clamp(arm.log_odds, -kMostOdds, kMostOdds);
  }
  return component;
}

}  // namespace tasfg
