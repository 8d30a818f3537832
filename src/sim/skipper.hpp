/// Many draws at once, with the very results that single draws would give.
///
/// Where a rule can plan its next draws, their outcome is looked at from the end: how often each edge has
/// fired and what the means are then costs O(log n). They are made at once where nothing that could have
/// happened on the way matters. Between two known ends a walk does not stray far from the chord: tubes around
/// it (RewardTrack::tube, count_tube) are left with probability below 2⁻⁶⁰, all those of a jump together. The
/// rule's inequalities and the stopping rule's are checked at the worst corner (Corridor); where
/// they hold, the draws are made, else fewer are tried. As a mean, a chord between two sums is monotone: (S +
/// jx)/(M + j) moves from S/M to its end.
///
/// What an attempt has seen that was not taken stays known, and the walk is then a bridge from one known
/// point to the next. So corridors also hold these points (Seen); the tubes of the parts fail with no more
/// probability together than one tube of the whole.
///
/// Near a change of the choice tubes are too wide. There the next draws, where they are made already (a block
/// of a sum's, a word of an edge's), are looked through, and the corridor is what they really do: a walk.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "environment.hpp"

#include "tasfg/algo/estimate.hpp"
#include "tasfg/algo/sampling_rule.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/model/instance.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

template <typename Rule>
concept PlansAhead = requires(Rule rule, const Estimate& e, std::vector<std::int64_t>& pulls,
                              const Corridor& ahead) {
  rule.plan(e, std::int64_t{}, pulls);
  rule.stands(e, ahead);
  rule.jumped();
};

/// A rule whose choice often stands for many draws.
template <typename Rule>
concept Repeats = requires(Rule rule, const Estimate& e) {
  rule.repeats(e);
};

/// For rewards whose track jumps.
template <typename Reward>
class Skipper {
 public:
  using Environment = PhiloxEnvironment<Reward>;

  explicit Skipper(const Instance& instance) : instance_(instance) {
    const auto K = static_cast<std::size_t>(instance.size());
    ahead_.pulls.resize(K);
    for (auto* each : {&ahead_.low, &ahead_.high, &ahead_.observations, &ahead_.edge_low, &mean_})
      each->resize(K);
    pulled_.reserve(K);
    all_.resize(K);
    std::iota(all_.begin(), all_.end(), 0);
    more_.resize(K);
    fired_.resize(K);
    rewards_seen_.resize(K);
    shares_seen_.resize(K);
    for (std::size_t v = 0; v < K; ++v)
      shares_seen_[v].resize(instance.graph().out(static_cast<int>(v)).size());
  }

  /// Makes up to `most` draws at once, after the rule has chosen; the number made, 0 where none could be.
  /// `goes_on(estimate, ahead)` says whether the run does not stop in a corridor.
  template <typename Rule, typename GoesOn>
  std::int64_t jump(Rule& rule, Estimate& e, Environment& environment, GoesOn goes_on, std::int64_t most) {
    if (e.draws() < next_try_) return 0;
    const auto nothing_happens = [&] { return rule.stands(e, ahead_) && goes_on(e, ahead_); };
    const auto promises = [&](std::int64_t n) {
      return plan(rule, e, environment, n) && expect(e, environment) && nothing_happens();
    };
    std::int64_t n = std::min(most, 2 * last_);
    if (n >= kLeast && promises(n)) {
      // Up to as many as the rule plans at a time.
      while (n < most && ahead_.draws >= n / 2 && promises(std::min(most, kGrowth * n)))
        n = std::min(most, kGrowth * n);
    } else {
      for (n /= 2; n >= kLeast && !promises(n);) n /= 2;
    }
    for (int tries = 0; tries < kTries && n >= kLeast; ++tries, n /= 4) {
      if (!plan(rule, e, environment, n)) break;
      ++work_.looks;
      if (!look(e, environment) || !nothing_happens()) {
        remember(e, environment);
        continue;
      }
      last_ = ahead_.draws;
      ++work_.jumps;
      work_.skipped += ahead_.draws;
      land(e, environment);
      rule.jumped();
      return ahead_.draws;
    }
    // Near a change walks and single draws are quicker than further looks.
    next_try_ = e.draws() + kPause;
    last_ = kLeast;
    return 0;
  }

  /// Pulls v, the rule's choice, up to `most` times at once, of draws that are made already; the number of
  /// pulls.
  template <typename Rule, typename GoesOn>
  std::int64_t walk(Rule& rule, Estimate& e, Environment& environment, int v, GoesOn goes_on,
                    std::int64_t most) {
    if (e.draws() < next_walk_ || !environment.activations(index(v)).can_jump() || e.unseen() > 0) return 0;
    look_through(e, environment, v, most);
    if (!rule.stands(e, ahead_) || !goes_on(e, ahead_)) {
      next_walk_ = e.draws() + kRest;
      // The tubes of a jump are for what nobody has looked at.
      next_try_ = std::max(next_try_, e.draws() + ahead_.draws);
      return 0;
    }
    ++work_.walks;
    work_.walked += ahead_.draws;
    e.pull_again(v, ahead_.draws);
    for (const int vertex : shown_) {
      const std::size_t u = index(vertex);
      if (more_[u] == 0) continue;
      environment.rewards(u).walk_on();
      e.observe_again(v, vertex, static_cast<double>(more_[u]), environment.rewards(u).mean());
      rule.shown(e, vertex, 0.0);
    }
    environment.activations(index(v)).skip(ahead_.draws);
    return ahead_.draws;
  }

  [[nodiscard]] const RunWork& work() const { return work_; }

 private:
  static constexpr std::int64_t kLeast = 384;  // draws of a jump: fewer are walked as quickly
  static constexpr std::int64_t kGrowth = 4;
  static constexpr std::int64_t kPause = 224;
  static constexpr std::int64_t kRest = 32;  // draws after a walk in vain
  static constexpr int kTries = 3;
  static constexpr double kLogRare = 41.6;  // −ln 2⁻⁶⁰, rounded up

  /// What was looked at ahead and not taken: up to which draw, and the extremes of what it was.
  struct Seen {
    std::int64_t until = 0;
    double low = 0.0, high = 0.0;

    void add(std::int64_t now, std::int64_t n, double value) {
      low = until > now ? std::min(low, value) : value;
      high = until > now ? std::max(high, value) : value;
      until = std::max(until, n);
    }
  };

  /// What the rule would pull in the next n draws, or in a few less, so that the end is cheap to look at.
  template <typename Rule>
  bool plan(Rule& rule, const Estimate& e, Environment& environment, std::int64_t n) {
    ahead_.draws = rule.plan(e, n, ahead_.pulls);
    if (ahead_.draws <= 0) return false;
    pulled_.clear();
    std::size_t edges = 0;
    for (std::size_t v = 0; v < ahead_.pulls.size(); ++v) {
      if (ahead_.pulls[v] == 0) continue;
      if (!environment.activations(v).can_jump()) return false;
      pulled_.push_back(v);
      edges += environment.targets(v).size();
      for (const int u : environment.targets(v))
        if (e.observations()[static_cast<std::size_t>(u)] > 0.0 &&
            !environment.rewards(static_cast<std::size_t>(u)).can_jump())
          return false;
    }
    shown_ = all_;
    if (pulled_.size() == 1) {
      const std::size_t v = pulled_.front();
      shown_ = environment.targets(v);
      const std::int64_t now = environment.activations(v).count();
      const std::int64_t planned = ahead_.draws;  // may be less than n
      std::int64_t grain = Activations::kBlock;
      while (32 * grain <= planned) grain *= 2;
      if (const std::int64_t end = (now + planned) / grain * grain; end - now >= planned / 2)
        ahead_.draws = ahead_.pulls[v] = end - now;
    }
    if (edges != edges_) {
      edges_ = edges;
      log_rare_ = kLogRare + log(static_cast<double>(2 * edges));  // a tube for each count and each sum
    }
    return true;
  }

  /// The corridor that is likely: where it does not do, nothing needs to be drawn.
  bool expect(const Estimate& e, Environment& environment) {
    stay(e);
    for (const int u : shown_) fired_[index(u)] = 0.0;
    for (const std::size_t v : pulled_)
      for (const Edge& edge : instance_.graph().out(static_cast<int>(v)))
        fired_[index(edge.vertex)] += edge.probability * static_cast<double>(ahead_.pulls[v]);
    for (const int vertex : shown_) {
      const std::size_t u = index(vertex);
      const double m = fired_[u], M = e.observations()[u], now = e.means()[u];
      ahead_.observations[u] = M + m;
      if (m == 0.0) continue;
      if (M == 0.0) {
        if (m > 0.5) return false;
        ahead_.observations[u] = 0.0;
        continue;
      }
      const double truth = instance_.mean(vertex);
      constexpr double kLikely = 0.4;  // standard deviations
      const double spread = kLikely * std::sqrt(variance_at(truth) * m) / (M + m);
      const double end = now + m / (M + m) * (truth - now);
      widen(u, end - spread, end + spread);
      add_tube(u, environment.rewards(u).tube(m, m * truth, log_rare_) / M);
    }
    if (pulled_.size() == 1) bound_edges(e, environment, [&](std::size_t u) { return fired_[u]; });
    return true;
  }

  /// The corridor that is certain, up to 2⁻⁶⁰. False where a vertex would be seen for the first time.
  bool look(const Estimate& e, Environment& environment) {
    stay(e);
    for (const int u : shown_) more_[index(u)] = 0;
    for (const std::size_t v : pulled_) {
      Activations& activations = environment.activations(v);
      activations.look_at(activations.count() + ahead_.pulls[v]);
      const std::span<const int> targets = environment.targets(v);
      for (std::size_t i = 0; i < targets.size(); ++i)
        more_[index(targets[i])] += activations.fired_there(i) - activations.fired_here(i);
    }
    for (looked_ = 0; looked_ < shown_.size(); ++looked_) {
      const int vertex = shown_[looked_];
      const std::size_t u = index(vertex);
      const double M = e.observations()[u], now = e.means()[u];
      const auto m = static_cast<double>(more_[u]);
      ahead_.observations[u] = M + m;
      mean_[u] = now;
      if (more_[u] == 0) continue;
      if (M == 0.0) return false;
      RewardTrack<Reward>& rewards = environment.rewards(u);
      const auto end = static_cast<std::int64_t>(M) + more_[u];
      mean_[u] = rewards.mean_at(end);
      widen(u, mean_[u], mean_[u]);
      if (rewards_seen_[u].until > static_cast<std::int64_t>(M))
        widen(u, rewards_seen_[u].low, rewards_seen_[u].high);
      constexpr double kRounding = 4e-15;  // of the means, a few units of 1e-16
      add_tube(u, rewards.tube(m, mean_[u] * (M + m) - now * M, log_rare_) / M +
                      kRounding * (std::abs(now) + std::abs(mean_[u]) + std::abs(instance_.mean(vertex))));
    }
    if (pulled_.size() == 1)
      bound_edges(e, environment, [&](std::size_t u) { return static_cast<double>(more_[u]); });
    return true;
  }

  /// The corridor of the next pulls of v: as many of them, up to `most`, as are at hand with all that they
  /// show.
  void look_through(const Estimate& e, Environment& environment, int v, std::int64_t most) {
    Activations& activations = environment.activations(index(v));
    shown_ = environment.targets(index(v));
    std::int64_t n = std::min(most, activations.at_hand());
    const auto in_first = [&](std::uint64_t pulls) {
      return n < 64 ? pulls & ((std::uint64_t{1} << n) - 1) : pulls;
    };
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      std::uint64_t fires = in_first(activations.fires_at_hand(i));
      const std::int64_t left = environment.rewards(index(shown_[i])).at_hand();
      if (std::popcount(fires) <= left) continue;
      for (std::int64_t j = 0; j < left; ++j) fires &= fires - 1;
      n = std::countr_zero(fires);
    }
    stay(e);
    ahead_.draws = n;
    const double N = e.pulls()[index(v)] + static_cast<double>(n);
    const double pseudo = e.prior() == GraphPrior::pseudo_count ? 1.0 : 0.0;
    std::fill(ahead_.edge_low.begin(), ahead_.edge_low.end(), pseudo / N);
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const std::size_t u = index(shown_[i]);
      ahead_.edge_low[u] = (pseudo + e.count(v, shown_[i])) / N;
      more_[u] = std::popcount(in_first(activations.fires_at_hand(i)));
      if (more_[u] == 0) continue;
      ahead_.observations[u] += static_cast<double>(more_[u]);
      const Range means = environment.rewards(u).walk(more_[u]);
      widen(u, means.low, means.high);
    }
  }

  /// The look was in vain.
  void remember(const Estimate& e, Environment& environment) {
    for (const std::size_t v : pulled_) {
      const Activations& activations = environment.activations(v);
      const std::int64_t now = activations.count(), end = now + ahead_.pulls[v];
      for (std::size_t i = 0; i < shares_seen_[v].size(); ++i)
        shares_seen_[v][i].add(now, end,
                               static_cast<double>(activations.fired_there(i)) / static_cast<double>(end));
    }
    for (std::size_t i = 0; i < looked_; ++i) {
      const std::size_t u = index(shown_[i]);
      const auto M = static_cast<std::int64_t>(e.observations()[u]);
      if (more_[u] > 0) rewards_seen_[u].add(M, M + more_[u], mean_[u]);
    }
  }

  static std::size_t index(int vertex) { return static_cast<std::size_t>(vertex); }
  /// A corridor in which nothing is shown.
  void stay(const Estimate& e) {
    std::copy(e.observations().begin(), e.observations().end(), ahead_.observations.begin());
    std::copy(e.means().begin(), e.means().end(), ahead_.low.begin());
    std::copy(e.means().begin(), e.means().end(), ahead_.high.begin());
  }
  void widen(std::size_t u, double low, double high) {
    ahead_.low[u] = std::min(ahead_.low[u], low);
    ahead_.high[u] = std::max(ahead_.high[u], high);
  }
  void add_tube(std::size_t u, double width) {
    ahead_.low[u] -= width;
    ahead_.high[u] += width;
    if constexpr (!std::is_same_v<Reward, Gaussian>) ahead_.low[u] = std::max(ahead_.low[u], 0.0);
    if constexpr (std::is_same_v<Reward, Bernoulli>) ahead_.high[u] = std::min(ahead_.high[u], 1.0);
  }
  [[nodiscard]] double variance_at(double mean) const {
    return std::get<Reward>(instance_.reward()).variance_at(mean);
  }

  /// The shares of pulls in which each edge of the one vertex pulled fires, fired(u) of them in the jump.
  template <typename Fired>
  void bound_edges(const Estimate& e, const Environment& environment, Fired fired) {
    const std::size_t v = pulled_.front();
    const double N = e.pulls()[v], n = static_cast<double>(ahead_.draws);
    const double pseudo = e.prior() == GraphPrior::pseudo_count ? 1.0 : 0.0;
    std::fill(ahead_.edge_low.begin(), ahead_.edge_low.end(), pseudo / (N + n));
    const std::span<const int> targets = environment.targets(v);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::size_t u = index(targets[i]);
      const double count = pseudo + e.count(static_cast<int>(v), targets[i]);
      double low = std::min(count / N, (count + fired(u)) / (N + n));
      const Seen& seen = shares_seen_[v][i];
      if (seen.until > static_cast<std::int64_t>(N)) low = std::min(low, seen.low);
      ahead_.edge_low[u] = low - count_tube(n, fired(u), log_rare_) / N;
    }
  }

  void land(Estimate& e, Environment& environment) {
    for (const std::size_t v : pulled_) {
      Activations& activations = environment.activations(v);
      const std::span<const int> targets = environment.targets(v);
      e.pull_again(static_cast<int>(v), ahead_.pulls[v]);
      for (std::size_t i = 0; i < targets.size(); ++i)
        e.observe_again(static_cast<int>(v), targets[i],
                        static_cast<double>(activations.fired_there(i) - activations.fired_here(i)),
                        mean_[index(targets[i])]);
      activations.move_there();
    }
    for (const int u : shown_)
      if (more_[index(u)] > 0) environment.rewards(index(u)).move_there();
  }

  const Instance& instance_;
  Corridor ahead_;
  std::vector<std::size_t> pulled_;             // vertices that are pulled
  std::vector<int> all_;                        // vertices
  std::span<const int> shown_;                  // those that can be shown: all, where several are pulled
  std::vector<std::int64_t> more_;              // rewards of each vertex
  std::vector<double> fired_, mean_;            // the same, as expected; means at the end
  std::size_t looked_ = 0;                      // of these, how many were looked at
  std::vector<Seen> rewards_seen_;              // means, by vertex
  std::vector<std::vector<Seen>> shares_seen_;  // of pulls in which an edge fires, by vertex and edge
  std::size_t edges_ = 0;                       // that can fire in a jump
  double log_rare_ = kLogRare;                  // of each tube, with so many edges
  std::int64_t next_try_ = 0, next_walk_ = 0, last_ = kLeast;
  RunWork work_;
};

}  // namespace tasfg
