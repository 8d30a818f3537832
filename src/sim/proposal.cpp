#include "tasfg/sim/proposal.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/log_gamma.hpp"
#include "tasfg/base/samplers.hpp"

namespace tasfg {
namespace {

/// Gamma of scale 1: G. Marsaglia and W. W. Tsang, ACM Trans. Math. Softw. 26(3), 2000.
double sample_gamma(PhiloxStream& stream, double shape) {
  if (shape < 1.0)
    return sample_gamma(stream, shape + 1.0) * exp(log(detail::positive_uniform(stream)) / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = sample_normal(stream);
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (log(detail::positive_uniform(stream)) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
  }
}

// For each family: ln E_prior of the likelihood ratio after n rewards of mean r, and a draw of the prior.

double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}
double log_ratio_of(const Bernoulli& /*reward*/, double truth, const ArmTilt& prior, double n, double r) {
  const double a = prior.strength * prior.mean;
  const double b = prior.strength * (1.0 - prior.mean);
  const double ones = n * r;
  return log_beta(a + ones, b + (n - ones)) - log_beta(a, b) - ones * log(truth) -
         (n - ones) * log(1.0 - truth);
}
double log_ratio_of(const Poisson& /*reward*/, double truth, const ArmTilt& prior, double n, double r) {
  const double shape = prior.strength * prior.mean;
  const double sum = n * r;
  return log_gamma(shape + sum) - log_gamma(shape) + shape * log(prior.strength) -
         (shape + sum) * log(prior.strength + n) - sum * log(truth) + n * truth;
}
double log_ratio_of(const Exponential& /*reward*/, double truth, const ArmTilt& prior, double n, double r) {
  // The rate is Gamma with shape m + 1 and rate m·mean, so that the mean reward has mean `mean`.
  const double shape = prior.strength + 1.0;
  const double rate = prior.strength * prior.mean;
  return log_gamma(shape + n) - log_gamma(shape) + shape * log(rate) - (shape + n) * log(rate + n * r) +
         n * log(truth) + n * r / truth;
}

double draw_mean(const Gaussian& reward, const ArmTilt& prior, PhiloxStream& stream) {
  return prior.mean + std::sqrt(reward.variance / prior.strength) * sample_normal(stream);
}
double draw_mean(const Bernoulli& /*reward*/, const ArmTilt& prior, PhiloxStream& stream) {
  const double a = sample_gamma(stream, prior.strength * prior.mean);
  const double b = sample_gamma(stream, prior.strength * (1.0 - prior.mean));
  return a + b > 0.0 ? a / (a + b) : prior.mean;
}
double draw_mean(const Poisson& /*reward*/, const ArmTilt& prior, PhiloxStream& stream) {
  return sample_gamma(stream, prior.strength * prior.mean) / prior.strength;
}
double draw_mean(const Exponential& /*reward*/, const ArmTilt& prior, PhiloxStream& stream) {
  return prior.strength * prior.mean / sample_gamma(stream, prior.strength + 1.0);
}

/// A mean that makes an instance: inside the family's range, and no two arms at the same end of it. Rewards
/// do not tell such ends from those that were drawn.
double kept_inside(const RewardFamily& reward, double mean, std::size_t arm) {
  const double least = 1e-9 * static_cast<double>(arm + 1);
  if (std::holds_alternative<Bernoulli>(reward)) return std::clamp(mean, least, 1.0 - least);
  if (std::holds_alternative<Poisson>(reward)) return std::max(mean, least);
  if (std::holds_alternative<Exponential>(reward)) return std::clamp(mean, 1e-50 * least, 1e50 / least);
  return mean;
}

/// The variance of a prior is V(mean)/(strength + this).
double strength_offset(const RewardFamily& reward) {
  if (std::holds_alternative<Bernoulli>(reward)) return 1.0;
  if (std::holds_alternative<Exponential>(reward)) return -1.0;
  return 0.0;
}

FeedbackGraph tilted_graph(const FeedbackGraph& graph, const TiltComponent& component) {
  std::vector<DirectedEdge> edges;
  edges.reserve(graph.edge_count());
  for (int v = 0; v < graph.size(); ++v)
    for (const Edge& edge : graph.out(v)) {
      const double log_odds = component.arms[static_cast<std::size_t>(edge.vertex)].log_odds;
      edges.push_back({v, edge.vertex, tilted_probability(edge.probability, log_odds)});
    }
  return {graph.size(), std::move(edges)};
}

}  // namespace

double tilted_probability(double p, double log_odds) {
  const double raised = p * exp(log_odds);
  return p < 1.0 ? raised / (1.0 - p + raised) : p;
}

Posterior posterior_of(const RewardFamily& reward, const ArmTilt& prior, double n, double r) {
  TASFG_EXPECT(prior.pinned == 0 || n < prior.pinned);
  if (prior.pinned > 0) n /= 1.0 - n / prior.pinned;
  const double strength = prior.strength + n;
  const double mean = (prior.strength * prior.mean + n * r) / strength;
  return {mean, variance_at(reward, mean) / std::max(strength + strength_offset(reward), 1e-3 * strength)};
}

double strength_of(const RewardFamily& reward, double mean, double variance) {
  return variance_at(reward, mean) / variance - strength_offset(reward);
}

Proposal::Proposal(const Instance& truth, double plain, std::vector<TiltComponent> components)
    : truth_(&truth), plain_(plain), components_(std::move(components)) {
  for (const TiltComponent& component : components_) {
    graphs_.push_back(tilted_graph(truth.graph(), component));
    std::vector<double>& costs = pull_costs_.emplace_back();
    for (int v = 0; v < truth.size(); ++v) {
      double cost = 0.0;
      for (const Edge& edge : truth.graph().out(v)) {
        const double h = component.arms[static_cast<std::size_t>(edge.vertex)].log_odds;
        cost += edge.probability < 1.0 ? log(1.0 - edge.probability + edge.probability * exp(h)) : h;
      }
      costs.push_back(cost);
    }
  }
}

void Proposal::log_ratios(const PathCounts& path, std::span<double> out) const {
  if (const auto* gaussian = std::get_if<Gaussian>(&truth_->reward()))
    return gaussian_log_ratios(path, gaussian->variance, out);
  std::visit(
      [&]<typename Reward>(const Reward& reward) {
        for (std::size_t c = 0; c < components_.size(); ++c) {
          double sum = 0.0;
          for (std::size_t u = 0; u < components_[c].arms.size(); ++u) {
            const ArmTilt& arm = components_[c].arms[u];
            sum -= path.pulls[u] * pull_costs_[c][u];
            if constexpr (!std::is_same_v<Reward, Gaussian>)
              if (path.observations[u] > 0.0)
                sum += arm.log_odds * path.observations[u] +
                       log_ratio_of(reward, truth_->means()[u], arm, path.observations[u], path.means[u]);
          }
          out[c] = sum;
        }
      },
      truth_->reward());
}

void Proposal::gaussian_log_ratios(const PathCounts& path, double variance, std::span<double> out) const {
  const std::size_t K = truth_->means().size();
  double own = 0.0;  // of the instance
  for (std::size_t u = 0; u < K; ++u) {
    const double away = path.means[u] - truth_->means()[u];
    own += path.observations[u] * away * away;
  }
  for (std::size_t c = 0; c < components_.size(); ++c) {
    // One logarithm a component, which is most of the time.
    double product = 1.0, logs = 0.0, squares = 0.0, sum = 0.0;
    for (std::size_t u = 0; u < K; ++u) {
      const ArmTilt& arm = components_[c].arms[u];
      const double n = path.observations[u];
      double q = n / arm.strength;
      double squared;
      if (arm.pinned > 0 && n >= arm.pinned) {
        const double away =
            path.first_means[u * kMostPinned + static_cast<std::size_t>(arm.pinned) - 1] - arm.mean;
        squared = arm.strength * away * away;
      } else {
        q += arm.pinned > 0 ? 1.0 - n / arm.pinned : 1.0;
        const double away = path.means[u] - arm.mean;
        squared = n * away * away / q;
      }
      product *= q;
      constexpr double kLarge = 1e100;
      if (!(product < kLarge && product > 1.0 / kLarge)) {
        logs += log(product);
        product = 1.0;
      }
      squares += squared;
      sum += arm.log_odds * n - path.pulls[u] * pull_costs_[c][u];
    }
    out[c] = sum - 0.5 * (logs + log(product) + (squares - own) / variance);
  }
}

double Proposal::log_ratio(const PathCounts& path) const {
  std::vector<double> ratios(components_.size());
  log_ratios(path, ratios);
  double largest = plain_ > 0.0 ? 0.0 : -kInfinity;
  for (const double each : ratios) largest = std::max(largest, each);
  double sum = plain_ * exp(-largest);
  for (std::size_t c = 0; c < ratios.size(); ++c) sum += components_[c].weight * exp(ratios[c] - largest);
  return largest + log(sum);
}

Proposal::Drawn Proposal::draw(PhiloxStream& stream, std::span<const double> noise) const {
  double left = stream.uniform() - plain_;
  for (std::size_t c = 0; left >= 0.0 && c < components_.size(); ++c) {
    left -= components_[c].weight;
    if (left >= 0.0 && c + 1 < components_.size()) continue;
    std::vector<double> means;
    std::visit(
        [&](const auto& reward) {
          for (const ArmTilt& arm : components_[c].arms) {
            double mean = draw_mean(reward, arm, stream);
            if (arm.pinned > 0)
              mean -= noise[means.size() * kMostPinned + static_cast<std::size_t>(arm.pinned) - 1];
            means.push_back(kept_inside(reward, mean, means.size()));
          }
        },
        truth_->reward());
    return {static_cast<int>(c), Instance(graphs_[c], std::move(means), truth_->reward())};
  }
  return {-1, *truth_};
}

}  // namespace tasfg
