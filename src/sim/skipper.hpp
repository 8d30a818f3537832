/// Many draws at once, with the very results that single draws would give.
///
/// Where a rule can plan its next draws, their outcome is looked at from the end: how often each edge has
/// fired and what the means are then costs O(log n). They are made at once where nothing that could have
/// happened on the way matters. Between two known ends a walk does not stray far: the sum of m Gaussian
/// rewards leaves a tube of half-width d around the chord with probability at most 2 exp(−2d²/(mσ²)) (the
/// Brownian bridge), and the number of times that an edge has fired in n pulls with probability at most 4
/// exp(−d²/n) (Hoeffding's bound for draws without replacement, at the middle, by Doob's inequality from
/// either end). With tubes that fail together with probability below 2⁻⁶⁰ a jump, the rule's inequalities and
/// the stopping rule's are checked at the worst corner (algo/corridor.hpp); where they hold, the draws are
/// made, else fewer are tried. A chord between two sums is monotone as a mean: (S + jx)/(M + j) moves from
/// S/M to its end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "environment.hpp"

#include "tasfg/algo/corridor.hpp"
#include "tasfg/algo/estimate.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

template <typename Rule>
concept PlansAhead = requires(Rule rule, const Estimate& e, std::vector<std::int64_t>& pulls,
                              const Corridor& ahead) {
  rule.plan(e, std::int64_t{}, pulls);
  rule.stands(e, ahead);
  rule.jumped();
};

/// Gaussian rewards and Philox only.
class Skipper {
 public:
  Skipper(const Instance& instance, const Gaussian& family)
      : instance_(instance), deviation_(std::sqrt(family.variance)) {
    const auto K = static_cast<std::size_t>(instance.size());
    ahead_.pulls.resize(K);
    for (auto* each : {&ahead_.low, &ahead_.high, &ahead_.observations, &mean_}) each->resize(K);
    more_.resize(K);
    fired_.resize(K);
  }

  /// Makes up to `most` draws at once, after the rule has chosen; the number made, 0 where none could be.
  /// `goes_on(estimate, ahead)` says whether the run does not stop in a corridor.
  template <typename Rule, typename GoesOn>
  std::int64_t jump(Rule& rule, Estimate& e, PhiloxEnvironment<Gaussian>& environment, GoesOn goes_on,
                    std::int64_t most) {
    if (e.draws() < next_try_ || e.unseen() > 0 || e.pulled() < e.size()) return 0;
    std::int64_t n = std::min(most, kGrowth * std::max(last_, kLeast));
    while (n >= kLeast &&
           !(plan(rule, e, environment, n) && expect(e) && rule.stands(e, ahead_) && goes_on(e, ahead_)))
      n /= 2;
    for (int tries = 0; tries < kTries && n >= kLeast; ++tries, n /= 4) {
      if (!plan(rule, e, environment, n)) break;
      look(e, environment);
      if (!rule.stands(e, ahead_) || !goes_on(e, ahead_)) continue;
      last_ = ahead_.draws;
      land(e, environment);
      rule.jumped();
      return ahead_.draws;
    }
    // Near a change single draws are quicker than further looks.
    next_try_ = e.draws() + kPause;
    last_ = std::max(kLeast, last_ / kGrowth);
    return 0;
  }

 private:
  static constexpr std::int64_t kLeast = 256;  // draws of a jump: fewer are as quick one by one
  static constexpr std::int64_t kGrowth = 8;
  static constexpr std::int64_t kPause = 96;
  static constexpr int kTries = 3;
  static constexpr double kLogRare = 41.6;  // −ln 2⁻⁶⁰, rounded up

  /// What the rule would pull in the next n draws, or in a few less, so that the end is cheap to look at.
  template <typename Rule>
  bool plan(Rule& rule, const Estimate& e, PhiloxEnvironment<Gaussian>& environment, std::int64_t n) {
    ahead_.draws = rule.plan(e, n, ahead_.pulls);
    if (ahead_.draws <= 0) return false;
    pulled_ = -1;
    int vertices = 0;
    std::size_t edges = 0;
    for (std::size_t v = 0; v < ahead_.pulls.size(); ++v) {
      if (ahead_.pulls[v] == 0) continue;
      if (!environment.activations(v).can_jump()) return false;
      pulled_ = static_cast<int>(v);
      ++vertices;
      edges += environment.targets(v).size();
    }
    if (vertices == 1) {
      const std::int64_t now = environment.activations(static_cast<std::size_t>(pulled_)).count();
      std::int64_t grain = Activations::kBlock;
      while (32 * grain <= n) grain *= 2;
      if (const std::int64_t end = (now + n) / grain * grain; end - now >= n / 2) {
        ahead_.draws = end - now;
        ahead_.pulls[static_cast<std::size_t>(pulled_)] = end - now;
      }
    } else {
      pulled_ = -1;
    }
    // Each tube may fail with its part of 2⁻⁶⁰.
    const double log_tubes = log(static_cast<double>(2 * edges + 2));
    reward_tube_ = deviation_ * std::sqrt(0.5 * (kLogRare + log(2.0) + log_tubes));
    count_tube_ = std::sqrt(kLogRare + log(4.0) + log_tubes);
    return true;
  }

  /// The corridor that is likely: where it does not do, nothing needs to be drawn.
  bool expect(const Estimate& e) {
    std::fill(fired_.begin(), fired_.end(), 0.0);
    for (std::size_t v = 0; v < ahead_.pulls.size(); ++v)
      if (ahead_.pulls[v] > 0)
        for (const Edge& edge : instance_.graph().out(static_cast<int>(v)))
          fired_[static_cast<std::size_t>(edge.vertex)] +=
              edge.probability * static_cast<double>(ahead_.pulls[v]);
    for (std::size_t u = 0; u < fired_.size(); ++u) {
      const double m = fired_[u], M = e.observations()[u], now = e.means()[u];
      ahead_.observations[u] = M + m;
      const double end = now + m / (M + m) * (instance_.mean(static_cast<int>(u)) - now);
      constexpr double kLikely = 1.5;  // standard deviations
      const double spread = kLikely * deviation_ * std::sqrt(m) / (M + m) + reward_tube_ * std::sqrt(m) / M;
      ahead_.low[u] = std::min(now, end) - spread;
      ahead_.high[u] = std::max(now, end) + spread;
    }
    bound_edges(e, [&](std::size_t u) {
      return instance_.graph()(pulled_, static_cast<int>(u)) * static_cast<double>(ahead_.draws);
    });
    return true;
  }

  /// The corridor that is certain, up to 2⁻⁶⁰.
  void look(const Estimate& e, PhiloxEnvironment<Gaussian>& environment) {
    std::fill(more_.begin(), more_.end(), 0);
    for (std::size_t v = 0; v < ahead_.pulls.size(); ++v) {
      if (ahead_.pulls[v] == 0) continue;
      Activations& activations = environment.activations(v);
      activations.look_at(activations.count() + ahead_.pulls[v]);
      const std::span<const int> targets = environment.targets(v);
      for (std::size_t i = 0; i < targets.size(); ++i)
        more_[static_cast<std::size_t>(targets[i])] += activations.fired_there(i) - activations.fired_here(i);
    }
    for (std::size_t u = 0; u < more_.size(); ++u) {
      const double M = e.observations()[u], now = e.means()[u];
      ahead_.observations[u] = M + static_cast<double>(more_[u]);
      ahead_.low[u] = ahead_.high[u] = mean_[u] = now;
      if (more_[u] == 0) continue;
      mean_[u] = environment.rewards(u).mean_at(static_cast<std::int64_t>(M) + more_[u]);
      constexpr double kRounding = 1e-12;
      const double tube =
          reward_tube_ * std::sqrt(static_cast<double>(more_[u])) / M + kRounding * (1.0 + std::abs(now));
      ahead_.low[u] = std::min(now, mean_[u]) - tube;
      ahead_.high[u] = std::max(now, mean_[u]) + tube;
    }
    bound_edges(e, [&](std::size_t u) { return static_cast<double>(more_[u]); });
  }

  template <typename Fired>
  void bound_edges(const Estimate& e, Fired fired) {
    ahead_.edge_low.clear();
    if (pulled_ < 0) return;
    const double N = e.pulls()[static_cast<std::size_t>(pulled_)], n = static_cast<double>(ahead_.draws);
    const double pseudo = e.prior() == GraphPrior::pseudo_count ? 1.0 : 0.0;
    for (std::size_t u = 0; u < more_.size(); ++u) {
      const int vertex = static_cast<int>(u);
      const double p = instance_.graph()(pulled_, vertex);
      const double tube = p == 0.0 || p == 1.0 ? 0.0 : count_tube_ * std::sqrt(n);
      const double count = pseudo + e.count(pulled_, vertex);
      ahead_.edge_low.push_back(std::min(count / N, (count + fired(u)) / (N + n)) - tube / N);
    }
  }

  void land(Estimate& e, PhiloxEnvironment<Gaussian>& environment) {
    for (std::size_t v = 0; v < ahead_.pulls.size(); ++v) {
      if (ahead_.pulls[v] == 0) continue;
      Activations& activations = environment.activations(v);
      const std::span<const int> targets = environment.targets(v);
      e.jump(static_cast<int>(v), ahead_.pulls[v]);
      for (std::size_t i = 0; i < targets.size(); ++i)
        e.jump_to(static_cast<int>(v), targets[i], activations.fired_there(i) - activations.fired_here(i),
                  mean_[static_cast<std::size_t>(targets[i])]);
      activations.move_there();
    }
    for (std::size_t u = 0; u < more_.size(); ++u)
      if (more_[u] > 0) environment.rewards(u).move_there();
    e.land();
  }

  const Instance& instance_;
  double deviation_;
  Corridor ahead_;
  int pulled_ = -1;                              // the one vertex that is pulled; −1: several
  std::vector<std::int64_t> more_;               // rewards of each vertex
  std::vector<double> fired_, mean_;             // the same, as expected; means at the end
  double reward_tube_ = 0.0, count_tube_ = 0.0;  // for one draw
  std::int64_t next_try_ = 0, last_ = kLeast;
};

}  // namespace tasfg
