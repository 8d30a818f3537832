#include "tasfg/sim/trajectory.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "environment.hpp"
#include "skipper.hpp"
#include <fmt/format.h>

#include "tasfg/algo/rules.hpp"
#include "tasfg/base/contract.hpp"
#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/extremes.hpp"
#include "tasfg/sim/content_key.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

/// The stopping rule at every δ in one pass.
///
/// L(t) = min_u f_u is evaluated in full only when it can matter: L is at most f at the last minimiser (the
/// challenger), and β(t, δ) is at least its value at any earlier t. While the challenger's f lies below such
/// a floor nothing can stop, and one f a step shows it. Stopping times are exactly those of the plain rule.
template <typename Reward>
class StoppingRule {
 public:
  /// Writes what it finds at each δ into `record`.
  StoppingRule(const Reward& reward, const Instance& instance, const SimulationOptions& options,
               std::span<const double> log_inv_delta, const Detour* detour, RunRecord& record)
      : reward_(reward), options_(options), truth_(instance.best()), detour_(detour), record_(record) {
    const std::size_t deltas = log_inv_delta.size();
    if (detour != nullptr) record.log_weight.assign(deltas, -kInfinity);
    record.tau.resize(deltas);
    record.recommended.resize(deltas);
    record.correct.resize(deltas);
    record.stopped.resize(deltas);
    if (options.pulls_by_delta) record.pulls_at.resize(deltas * static_cast<std::size_t>(instance.size()));
    order_.resize(deltas);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t i, std::size_t j) { return log_inv_delta[i] < log_inv_delta[j]; });
    for (const std::size_t i : order_)
      base_.push_back(threshold_base(options.threshold, log_inv_delta[i], instance.size()));
    pseudo_ = options.conventions.statistic == StatisticKind::pseudo_count;
    set_floor(base_.empty() ? kInfinity : base_.front());
  }

  /// Looks at the estimate after a draw; true once every δ has stopped.
  bool stopped(const Estimate& e) {
    if (pseudo_ ? e.draws() == 0 : e.unseen() > 0) return done();
    if (challenger_ != e.best() && challenger_ >= 0) {
      if (below_floor(e)) return false;
      if (scale(e) * evidence_of(e, challenger_) < floor_) return false;
    }
    return examine(e);
  }

  [[nodiscard]] bool done() const { return next_ == base_.size(); }
  /// True only where nothing stops now, nor at later draws that show nothing: thresholds do not fall. For
  /// Gaussian rewards and the statistic of the paper; else it never says so.
  [[nodiscard]] bool goes_on(const Estimate& e) const {
    return challenger_ >= 0 && challenger_ != e.best() && below_floor(e);
  }

  /// Whether nothing stops in a corridor either: whichever vertex may be the best on the way, some other's
  /// evidence remains below the threshold of now, which is its least. Evidence grows with the gap and with
  /// both counts.
  [[nodiscard]] bool goes_on(const Estimate& e, const Corridor& ahead) const {
    if (done() || (!pseudo_ && e.unseen() > 0)) return true;
    // Nearly always the challenger alone will do, or the floor, which no logarithm is needed for.
    return challenger_stays(e, ahead) || remains_below(e, ahead, floor_) ||
           remains_below(e, ahead, threshold_now(e));
  }

  /// Fills the rest of the record where the trajectory ends without stopping.
  void finish(const Estimate& e) {
    for (; next_ < base_.size(); ++next_) record(e, Stop::capped);
  }
  /// From now on nothing stops it: a threshold that no evidence reaches.
  void go_on() {
    base_.push_back(kInfinity);
    set_floor(kInfinity);
  }

 private:
  /// Without a draw the growth is not defined (ln 0); the published rule counts from t = 1.
  [[nodiscard]] double time(const Estimate& e) const {
    return static_cast<double>(e.draws() + (pseudo_ ? 1 : 0));
  }
  [[nodiscard]] double threshold_now(const Estimate& e) const {
    return base_[next_] + threshold_growth(options_.threshold, time(e));
  }
  /// Whether the challenger's evidence alone tells that nothing stops: it is not the best on the way, and
  /// whoever is has a mean below the largest.
  [[nodiscard]] bool challenger_stays(const Estimate& e, const Corridor& ahead) const {
    if constexpr (std::is_same_v<Reward, Gaussian>) {
      if (pseudo_ || challenger_ < 0) return false;
      const auto u = static_cast<std::size_t>(challenger_);
      if (ahead.high[u] >= ahead.low[static_cast<std::size_t>(e.best())]) return false;
      const double gap = largest_of(ahead.high.data(), ahead.high.size()) - ahead.low[u];
      return ahead.observations[u] * (gap * gap) < floor_times_variance_;
    }
    return false;
  }
  [[nodiscard]] bool remains_below(const Estimate& e, const Corridor& ahead, double threshold) const {
    constexpr double kMargin = 1e-9;
    const double least = threshold / scale(e) * (1.0 - kMargin);
    const double prior = pseudo_ ? static_cast<double>(e.pulled()) : 0.0;
    const std::size_t n = ahead.low.size();
    const double top = largest_of(ahead.low.data(), n);
    for (std::size_t a = 0; a < n; ++a) {
      if (ahead.high[a] < top) continue;
      const auto stays_below = [&](std::size_t u) {
        return u != a && evidence(reward_, ahead.high[a], std::min(ahead.low[u], ahead.high[a]),
                                  ahead.observations[a] + prior, ahead.observations[u] + prior)
                                 .value < least;
      };
      std::size_t u = challenger_ < 0 ? 0 : static_cast<std::size_t>(challenger_);
      if (stays_below(u)) continue;
      for (u = 0; u < n && !stays_below(u);) ++u;
      if (u == n) return false;
    }
    return true;
  }

  [[nodiscard]] double evidence_of(const Estimate& e, int u) const {
    const auto a = static_cast<std::size_t>(e.best());
    const auto i = static_cast<std::size_t>(u);
    const double prior = pseudo_ ? static_cast<double>(e.pulled()) : 0.0;
    return evidence(reward_, e.means()[a], e.means()[i], e.observations()[a] + prior,
                    e.observations()[i] + prior)
        .value;
  }
  /// f(M + c) is f at the published m = (M + c)/(t − 1), times t − 1; the published L has t in front.
  [[nodiscard]] double scale(const Estimate& e) const {
    return pseudo_ ? static_cast<double>(e.draws() + 1) / static_cast<double>(e.draws()) : 1.0;
  }

  /// f_u is at most M_u d(μ_u, μ_a), its value at x = μ_a: for Gaussian rewards that needs no division. The
  /// factor covers the rounding of both.
  [[nodiscard]] bool below_floor(const Estimate& e) const {
    if constexpr (std::is_same_v<Reward, Gaussian>) {
      if (pseudo_) return false;
      const auto u = static_cast<std::size_t>(challenger_);
      const double gap = e.means()[static_cast<std::size_t>(e.best())] - e.means()[u];
      return e.observations()[u] * (gap * gap) < floor_times_variance_;
    }
    return false;
  }

  [[gnu::noinline]] bool examine(const Estimate& e) {
    double smallest = kInfinity;
    for (int u = 0; u < e.size(); ++u) {
      if (u == e.best()) continue;
      const double value = evidence_of(e, u);
      if (value < smallest) {
        smallest = value;
        challenger_ = u;
      }
    }
    double L = scale(e) * smallest;
    const double t = time(e);
    if (pseudo_) {
      if (t < e.size()) return false;
      L = std::min(L, t);
      if (options_.conventions.unique_best == UniqueBest::close && !e.best_is_unique()) return false;
    }
    const double growth = threshold_growth(options_.threshold, t);
    while (next_ < base_.size() && L >= base_[next_] + growth) {
      record(e, Stop::reached);
      ++next_;
    }
    set_floor(done() ? kInfinity : base_[next_] + growth);
    return done();
  }

  void set_floor(double floor) {
    constexpr double kRounding = 1e-12;
    floor_ = floor;
    if constexpr (std::is_same_v<Reward, Gaussian>)
      floor_times_variance_ = 2.0 * reward_.variance * floor * (1.0 - kRounding);
  }

  enum class Stop : std::int8_t { capped = 0, reached = 1 };
  void record(const Estimate& e, Stop stop) {
    const bool plus_one =
        options_.conventions.reported_tau == ReportedTau::draws_plus_one && stop == Stop::reached;
    const std::size_t d = order_[next_];
    record_.tau[d] = e.draws() + (plus_one ? 1 : 0);
    record_.recommended[d] = e.best();
    record_.correct[d] = e.best() == truth_ ? 1 : 0;
    record_.stopped[d] = static_cast<std::int8_t>(stop);
    if (detour_ != nullptr && stop == Stop::reached) record_.log_weight[d] = detour_->log_weight(e);
    if (options_.pulls_by_delta)
      std::copy(e.pulls().begin(), e.pulls().end(),
                record_.pulls_at.begin() + static_cast<std::ptrdiff_t>(d * e.pulls().size()));
  }

  const Reward& reward_;
  const SimulationOptions& options_;
  int truth_;
  const Detour* detour_;
  RunRecord& record_;
  std::vector<std::size_t> order_;  // positions by rising ln(1/δ)
  std::vector<double> base_;
  std::size_t next_ = 0;
  bool pseudo_;
  double floor_ = 0.0;
  double floor_times_variance_ = 0.0;  // 2σ²·floor_, a little less; Gaussian rewards only
  int challenger_ = -1;
};

/// How good the draws are so far: T(N/t) under the true model, over T*.
double time_ratio(const Instance& instance, const CharacteristicTime& optimum, const Estimate& e) {
  std::vector<double> share = e.pulls();
  for (double& each : share) each /= static_cast<double>(e.draws());
  return time_of(view_of(instance), share) / optimum.upper;
}

template <typename Reward, typename Environment, typename Rule>
constexpr bool kSkips =
    std::is_same_v<Environment, PhiloxEnvironment<Reward>>&& PlansAhead<Rule>&& RewardTrack<Reward>::kJumps;

template <typename Rule>
constexpr bool kCountsPairs = requires {
  Rule::kCountsPairs;
};

using Optimum = std::function<const CharacteristicTime&()>;

/// Lets a rule that others may still look into take the estimate over at a run's end, however it ends.
template <typename Rule>
class Parting {
 public:
  Parting(Rule& rule, Estimate& estimate) : rule_(rule), estimate_(estimate) {}
  ~Parting() {
    if constexpr (requires { rule_.part(estimate_); }) rule_.part(estimate_);
  }
  Parting(const Parting&) = delete;
  Parting& operator=(const Parting&) = delete;

 private:
  Rule& rule_;
  Estimate& estimate_;
};

/// The step loop. Everything it calls is known here, so that it inlines.
template <typename Reward, typename Environment, typename Rule>
RunRecord run_loop(const Reward& reward, const Instance& instance, const SimulationOptions& options,
                   std::span<const double> log_inv_delta, const std::atomic<bool>& cancel,
                   const Optimum& optimum, RunWork* work, const Detour* detour, Environment environment,
                   Rule rule) {
  RunRecord record;
  Estimate estimate(instance, options.setting, options.conventions);
  const Parting parting(rule, estimate);
  StoppingRule<Reward> stopping(reward, instance, options, log_inv_delta, detour, record);
  [[maybe_unused]] const auto continues = [&](const Estimate& e, const Corridor& ahead) {
    return stopping.goes_on(e, ahead);
  };
  [[maybe_unused]] auto skipper = [&] {
    if constexpr (kSkips<Reward, Environment, Rule>)
      return Skipper<Reward>(detour != nullptr ? detour->shown : instance);
    else
      return 0;
  }();
  const auto settle = [&](TaskStatus status) {
    stopping.finish(estimate);
    record.status = status;
    record.steps = estimate.draws();
    record.pulls.assign(estimate.pulls().begin(), estimate.pulls().end());
  };
  // In stretches from checkpoint to checkpoint, so that a step does not look for them.
  auto checkpoint = options.checkpoints.begin();
  while (true) {
    const bool last = checkpoint == options.checkpoints.end();
    const std::int64_t limit =
        last ? (detour != nullptr ? detour->max_steps : options.max_steps) : *checkpoint;
    while (!stopping.stopped(estimate) && estimate.draws() < limit) {
      if (cancel.load(std::memory_order_relaxed)) [[unlikely]]
        return {};
      const int v = rule.choose(estimate, environment.choices());
      const auto show = [&](int u, double r, double mean) {
        estimate.observe<kCountsPairs<Rule>>(v, u, mean);
        rule.shown(estimate, u, r);
      };
      if constexpr (kSkips<Reward, Environment, Rule>) {
        const std::int64_t most = limit - estimate.draws();
        if (options.skip && skipper.jump(rule, estimate, environment, continues, most) > 0) continue;
        if constexpr (Repeats<Rule> && RewardTrack<Reward>::kWalks)
          if (options.skip && skipper.walk(rule, estimate, environment, v, continues, most) > 0) continue;
      }
      if constexpr (Environment::kPullsSeveral && Repeats<Rule>) {
        const std::int64_t most =
            stopping.goes_on(estimate) ? std::min(rule.repeats(estimate), limit - estimate.draws()) : 1;
        if (most > 1) {
          const std::int64_t pulls = environment.pull_several(
              v, most, show, [&] { return rule.holds(estimate) && stopping.goes_on(estimate); });
          estimate.pull_again(v, pulls);
          if (pulls > 0) continue;
        }
      }
      estimate.pull(v);
      environment.pull(v, show);
      rule.finish(estimate, v);
    }
    if (record.status == TaskStatus::pending && stopping.done()) {
      settle(TaskStatus::done);
      stopping.go_on();
    }
    if (last) break;
    if (estimate.draws() < limit) continue;
    record.checkpoint_recommended.push_back(estimate.best());
    record.checkpoint_correct.push_back(estimate.best() == instance.best() ? 1 : 0);
    record.checkpoint_T_ratio.push_back(time_ratio(instance, optimum(), estimate));
    if (++checkpoint == options.checkpoints.end() && record.status != TaskStatus::pending) break;
  }
  if (record.status == TaskStatus::pending) settle(TaskStatus::capped);
  if constexpr (kSkips<Reward, Environment, Rule>) {
    if (work != nullptr) {
      *work = skipper.work();
      work->visits = environment.visits();
    }
  }
  return record;
}

/// Two settings that do not go together.
[[noreturn]] void refuse(std::string where, std::string found, std::string must) {
  throw InputError(std::move(where), Complaint{Complaint::Form::value, std::move(found), std::move(must)});
}

}  // namespace

bool skips(const Algorithm& algorithm) {
  const Instance any(FeedbackGraph(2, {1.0, 0.0, 0.0, 1.0}), {0.0, 1.0}, Gaussian{1.0});
  static const std::vector<double> allocation = {0.5, 0.5};
  return with_rule(
      any, algorithm, {}, []() -> const std::vector<double>& { return allocation; },
      [](auto rule) { return PlansAhead<decltype(rule)>; });
}

bool skips(const RewardFamily& reward) {
  return std::visit([](const auto& family) { return RewardTrack<std::decay_t<decltype(family)>>::kJumps; },
                    reward);
}

Simulation::Simulation(const Instance& instance, const SimulationOptions& options)
    : instance_(instance), options_(options), content_(content_key(instance)) {
  const std::string_view family = row_of(instance.reward()).name;
  if (options.setting == Setting::uninformed && !is_continuous(instance.reward()))
    refuse("setting", fmt::format("uninformed with {} rewards", family),
           "a reward of 0 cannot be told from an edge that did not fire, and the best vertex is "
           "unidentifiable: Prop. 4 of the paper; use setting informed");
  if (options.conventions.statistic == StatisticKind::pseudo_count) {
    if (!std::holds_alternative<Gaussian>(instance.reward()))
      refuse("statistic", fmt::format("pseudo-count with {} rewards", family),
             "the published statistic is defined for gaussian ones");
    if (options.setting == Setting::known_graph)
      refuse("statistic", "pseudo-count with setting known-graph",
             "the published statistic counts on an estimated graph; use statistic counts");
  }
  if (options.stream == StreamKind::numpy && !std::holds_alternative<Gaussian>(instance.reward()))
    refuse("stream", fmt::format("numpy with {} rewards", family),
           "it replays the published runs, which are gaussian");
  if (!instance.graph().has_matrix() &&
      (options.stream == StreamKind::numpy || options.conventions.graph_prior == GraphPrior::pseudo_count))
    refuse(
        "K", fmt::format("{}", instance.size()),
        fmt::format("stream numpy and graph-prior pseudo-count look at each pair of vertices, so that K must "
                    "be at most {} for them",
                    kLargestMatrix));
  if (options.max_steps < 1 || options.max_steps > kMostDraws)
    throw InputError("max_steps",
                     bad_value(options.max_steps, fmt::format("must lie in [1, {}]", kMostDraws)));
  TASFG_EXPECT(std::is_sorted(options.checkpoints.begin(), options.checkpoints.end()));
  TASFG_EXPECT(options.checkpoints.empty() ||
               (options.checkpoints.front() > 0 && options.checkpoints.back() <= options.max_steps));
}

const CharacteristicTime& Simulation::optimum() const {
  std::call_once(solved_, [this] { optimum_ = characteristic_time(instance_); });
  return optimum_;
}

void Simulation::check(const Algorithm& algorithm) const {
  if (!instance_.graph().has_matrix() && algorithm.rule == RuleKind::external)
    refuse(
        within(algorithm.name, "K"), fmt::format("{}", instance_.size()),
        fmt::format("rules of others are shown a count for each pair of vertices, so that K must be at most "
                    "{}; the program's own rules take larger graphs",
                    kLargestMatrix));
  const bool every_5K = options_.conventions.allocation_update == AllocationUpdate::every_5K;
  const bool tracks = algorithm.rule == RuleKind::tas_optimal || algorithm.rule == RuleKind::tas_heuristic ||
                      algorithm.rule == RuleKind::tas_argmax || algorithm.rule == RuleKind::tas_top_k;
  if (every_5K && tracks && (algorithm.tracking != Tracking::averaged_d || algorithm.period != 1))
    throw InputError(algorithm.name, remark("tracking and period",
                                            "allocation-update = every-5K fixes both; use every-step"));
}

RunRecord Simulation::run(const Algorithm& algorithm, std::span<const double> log_inv_delta,
                          std::uint64_t seed, const std::atomic<bool>* cancel, RunWork* work,
                          const Detour* detour) const {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& cancelled = cancel != nullptr ? *cancel : never;
  TASFG_EXPECT(detour == nullptr || options_.checkpoints.empty());
  const Instance& shown = detour != nullptr ? detour->shown : instance_;
  const Optimum optimum = [this]() -> const CharacteristicTime& { return this->optimum(); };
  const auto allocation = [this]() -> const std::vector<double>& { return this->optimum().allocation; };
  return std::visit(
      [&](const auto& reward) {
        return with_rule(instance_, algorithm, options_.conventions, allocation, [&](auto rule) {
          using Reward = std::decay_t<decltype(reward)>;
          if constexpr (std::is_same_v<Reward, Gaussian>) {
            if (options_.stream == StreamKind::numpy)
              return run_loop(reward, instance_, options_, log_inv_delta, cancelled, optimum, work, detour,
                              NumpyEnvironment(shown, reward, static_cast<std::uint32_t>(seed)),
                              std::move(rule));
          }
          return run_loop(reward, instance_, options_, log_inv_delta, cancelled, optimum, work, detour,
                          PhiloxEnvironment<Reward>(shown, reward, content_, options_.master_seed, seed,
                                                    options_.max_steps),
                          std::move(rule));
        });
      },
      instance_.reward());
}

}  // namespace tasfg
