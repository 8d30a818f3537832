#include "sim/error_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

constexpr int kRungs = 10;
constexpr std::size_t kMostRivals = 16;

struct Pattern {
  double ratio;     // rewards seen of u to those of every other arm
  double log_odds;  // of every edge
  double most;      // rewards seen of each arm
};
constexpr Pattern kPatterns[] = {{1.0, 0.0, kInfinity}, {0.15, 0.0, kInfinity}, {1.0, 2.0, 10.0}};

/// A mean further up, or down, by steps that suit the family: any number leads to a mean of its range.
double moved(const RewardFamily& reward, double mean, double step) {
  if (const auto* gaussian = std::get_if<Gaussian>(&reward))
    return mean + step * std::sqrt(gaussian->variance);
  if (std::holds_alternative<Bernoulli>(reward)) return tilted_probability(mean, step);
  return mean * exp(step);
}

/// Evidence that two arms differ after n rewards of the second, of mean z, and ratio·n of the first.
double evidence_of(const RewardFamily& reward, double y, double z, double ratio, double n) {
  const double x = (ratio * y + z) / (1.0 + ratio);
  return n * (ratio * divergence(reward, y, x) + divergence(reward, z, x));
}

/// The largest z that differs from y by that evidence; −∞ where none does.
double told_apart(const RewardFamily& reward, double y, double ratio, double n, double evidence) {
  double low = -1.0, high = 0.0;  // steps
  while (evidence_of(reward, y, moved(reward, y, low), ratio, n) < evidence) {
    high = low;
    low *= 2.0;
    constexpr double kFar = -30.0;  // e⁻³⁰ is as good as 0
    if (low < kFar && !std::holds_alternative<Gaussian>(reward)) return -kInfinity;
  }
  for (int i = 0; i < 30; ++i) {
    const double mid = 0.5 * (low + high);
    (evidence_of(reward, y, moved(reward, y, mid), ratio, n) < evidence ? high : low) = mid;
  }
  return moved(reward, y, low);
}

/// The component in which u is told from all others at the least cost, after n rewards of each of those;
/// without arms where that is impossible.
TiltComponent cheapest(const Instance& truth, int u, const Pattern& pattern, double n, double evidence) {
  const RewardFamily& reward = truth.reward();
  const auto cost = [&](double y, double z) {
    double sum = pattern.ratio * divergence(reward, y, truth.mean(u));
    for (int v = 0; v < truth.size(); ++v)
      if (v != u && truth.mean(v) > z) sum += divergence(reward, z, truth.mean(v));
    return sum;
  };
  double best = kInfinity, level = 0.0, rest = 0.0;
  // Steps from 0.05 to 1e6. The cost rises for good once u alone costs more than the best found.
  constexpr int kSteps = 345;
  double next = 0.05;
  for (int i = 0; i < kSteps; ++i) {
    const double step = next;
    next *= 1.05;
    const double y = moved(reward, truth.mean(u), step);
    if (!admits(reward, y) || pattern.ratio * divergence(reward, y, truth.mean(u)) > best) break;
    const double z = told_apart(reward, y, pattern.ratio, n, evidence);
    if (z == -kInfinity) continue;
    if (const double now = cost(y, z); now < best) {
      best = now;
      level = y;
      rest = z;
    }
    constexpr double kHigh = 35.0;
    if (step > kHigh && !std::holds_alternative<Gaussian>(reward)) break;
  }
  TiltComponent component{0.0, {}};
  if (best == kInfinity) return component;
  constexpr double kStrength = 0.1;  // of the priors, to the numbers of rewards
  for (int v = 0; v < truth.size(); ++v) {
    if (v == u)
      component.arms.push_back({level, kStrength * n * pattern.ratio, pattern.log_odds + log(pattern.ratio)});
    else
      component.arms.push_back({std::min(truth.mean(v), rest), kStrength * n, pattern.log_odds});
  }
  return component;
}

}  // namespace

int pinned_of(double observations) {
  return observations < kMostPinned + 0.5 ? std::max(1, static_cast<int>(std::lround(observations))) : 0;
}

std::vector<TiltComponent> error_ladder(const Instance& truth, double evidence, Pins pins) {
  std::vector<int> rivals(static_cast<std::size_t>(truth.size()));
  std::iota(rivals.begin(), rivals.end(), 0);
  std::stable_sort(rivals.begin(), rivals.end(), [&](int u, int v) { return truth.mean(u) > truth.mean(v); });
  rivals.erase(rivals.begin());
  rivals.resize(std::min(rivals.size(), kMostRivals));
  std::vector<TiltComponent> components;
  for (const int u : rivals) {
    // With that many rewards the truth itself tells u from the best arm; runs that err are shorter.
    const double most = std::max(
        4.0, evidence / evidence_of(truth.reward(), truth.mean(truth.best()), truth.mean(u), 1.0, 1.0));
    for (const Pattern& pattern : kPatterns) {
      for (int rung = 0; rung < kRungs; ++rung) {
        const double n = exp(log(most) * rung / (kRungs - 1)) / pattern.ratio;
        if (n > pattern.most) continue;
        TiltComponent component = cheapest(truth, u, pattern, n, evidence);
        if (component.arms.empty()) continue;
        for (int v = 0; pins == Pins::yes && v < truth.size(); ++v)
          component.arms[static_cast<std::size_t>(v)].pinned = pinned_of(v == u ? n * pattern.ratio : n);
        components.push_back(std::move(component));
      }
    }
  }
  for (TiltComponent& each : components) each.weight = 1.0 / static_cast<double>(components.size());
  return components;
}

}  // namespace tasfg
