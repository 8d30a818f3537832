#include "tasfg/solve/bounds.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SVD>

#include "tasfg/base/elementary.hpp"
#include "tasfg/solve/allocations.hpp"

namespace tasfg {
namespace {

std::optional<double> if_finite(double bound) {
  return std::isfinite(bound) ? std::optional(bound) : std::nullopt;
}

std::optional<double> general_bound(const Instance& instance, const GraphQuantities& q, double variance) {
  const FeedbackGraph& G = instance.graph();
  const int sigma = static_cast<int>(q.self_loops.size());
  const int delta = q.weak_domination.upper;
  const int kappa = delta + sigma - sigma / (q.independence.lower + 1);
  const auto rate = [&](int u) {  // Ḡ_u
    double from_dominating = 0.0;
    for (const int v : q.weak_dominating_set) from_dominating = std::max(from_dominating, G(v, u));
    double from_loops = kInfinity;
    for (const int v : q.self_loops)
      if (G.has_edge(v, u)) from_loops = std::min(from_loops, G(v, u));
    return std::max(from_dominating, std::isfinite(from_loops) ? from_loops : 0.0);
  };
  const std::vector<double> gaps = instance.gaps();
  double least = kInfinity;
  const double at_best = rate(instance.best());
  for (int u = 0; u < instance.size(); ++u) {
    const double gap = gaps[static_cast<std::size_t>(u)];
    if (u != instance.best()) least = std::min(least, std::min(rate(u), at_best) * gap * gap);
  }
  return if_finite(4.0 * kappa * variance / least);
}

std::optional<double> clique_bound(const Instance& instance, double variance) {
  const FeedbackGraph& G = instance.graph();
  const int K = instance.size();
  const int a = instance.best();
  double best = kInfinity;  // Ḡ
  for (int v = 0; v < K; ++v) {
    for (int w = v + 1; w < K; ++w) {
      double worst = 0.0;
      for (int u = 0; u < K; ++u) {
        if (u == a) continue;
        worst = std::max(worst, 1.0 / (G(v, u) + G(w, u)) + 1.0 / (G(v, a) + G(w, a)));
        if (worst >= best) break;
      }
      best = std::min(best, worst);
    }
  }
  const std::vector<double> gaps = instance.gaps();
  const double smallest = *std::min_element(gaps.begin(), gaps.end());
  return if_finite(4.0 * best * variance / (smallest * smallest));
}

std::optional<double> heuristic_bound(const Instance& instance, double variance) {
  constexpr int kLargest = 256;
  const int K = instance.size();
  if (K > kLargest) return std::nullopt;
  Eigen::MatrixXd G(K, K);
  for (int v = 0; v < K; ++v)
    for (int u = 0; u < K; ++u) G(v, u) = instance.graph()(v, u);
  // Plain rotations: without a preconditioner, which a square matrix does not need, nothing is blocked.
  const auto singular =
      Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>(G).singularValues().eval();
  const double smallest = singular(K - 1);
  if (!(smallest > 1e-12 * singular(0))) return std::nullopt;  // singular G: the bound is infinite
  double total = 0.0;
  for (const double score : information_scores(view_of(instance))) total += score;
  return if_finite(4.0 * variance * total / (smallest * smallest));
}

}  // namespace

PaperBounds paper_bounds(const Instance& instance, const GraphQuantities& quantities) {
  if (!std::holds_alternative<Gaussian>(instance.reward())) return {};
  const double variance = variance_at(instance.reward(), 0.0);
  PaperBounds bounds;
  const bool premise = quantities.weak_domination.upper + static_cast<int>(quantities.self_loops.size()) > 0;
  if (premise)
    bounds.general = general_bound(instance, quantities, variance);
  else
    bounds.loopless_clique = clique_bound(instance, variance);
  bounds.heuristic = heuristic_bound(instance, variance);
  return bounds;
}

}  // namespace tasfg
