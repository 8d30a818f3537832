#include "tasfg/sim/trajectory.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "environment.hpp"
#include <fmt/format.h>

#include "tasfg/algo/rules.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/content_key.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The stopping rule at every δ in one pass.
///
/// L(t) = min_u f_u is evaluated in full only when it can matter: L is at most f at the last minimiser (the
/// challenger), and β(t, δ) is at least its value at any earlier t. While the challenger's f lies below such
/// a floor nothing can stop, and one f a step shows it. Stopping times are exactly those of the plain rule.
template <typename Reward>
class StoppingRule {
 public:
  StoppingRule(const Reward& reward, const Instance& instance, const SimulationOptions& options,
               std::span<const double> log_inv_delta)
      : reward_(reward), options_(options), truth_(instance.best()), at_(log_inv_delta.size()) {
    order_.resize(log_inv_delta.size());
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

  /// Fills the rest of the record where the trajectory ends without stopping.
  std::vector<StoppingTime> finish(const Estimate& e) {
    for (; next_ < base_.size(); ++next_) record(e, RunStatus::capped);
    return std::move(at_);
  }

 private:
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
    // Without a draw the growth is not defined (ln 0); the published rule counts from t = 1.
    const double t = static_cast<double>(e.draws() + (pseudo_ ? 1 : 0));
    if (pseudo_) {
      if (t < e.size()) return false;
      L = std::min(L, t);
      if (options_.conventions.unique_best == UniqueBest::close && !e.best_is_unique()) return false;
    }
    const double growth = threshold_growth(options_.threshold, t);
    while (next_ < base_.size() && L >= base_[next_] + growth) {
      record(e, RunStatus::done);
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

  void record(const Estimate& e, RunStatus status) {
    const bool plus_one =
        options_.conventions.reported_tau == ReportedTau::draws_plus_one && status == RunStatus::done;
    at_[order_[next_]] = {e.draws() + (plus_one ? 1 : 0), e.best(), e.best() == truth_, status};
  }

  const Reward& reward_;
  const SimulationOptions& options_;
  int truth_;
  std::vector<StoppingTime> at_;
  std::vector<std::size_t> order_;  // positions by rising ln(1/δ)
  std::vector<double> base_;
  std::size_t next_ = 0;
  bool pseudo_;
  double floor_ = 0.0;
  double floor_times_variance_ = 0.0;  // 2σ²·floor_, a little less; Gaussian rewards only
  int challenger_ = -1;
};

/// The step loop. Everything it calls is known here, so that it inlines.
template <typename Reward, typename Environment, typename Rule>
TrajectoryRecord run_loop(const Reward& reward, const Instance& instance, const SimulationOptions& options,
                          std::span<const double> log_inv_delta, const std::atomic<bool>& cancel,
                          Environment environment, Rule rule) {
  Estimate estimate(instance, options.setting, options.conventions);
  StoppingRule<Reward> stopping(reward, instance, options, log_inv_delta);
  const bool uninformed = options.setting == Setting::uninformed;
  while (!stopping.stopped(estimate) && estimate.draws() < options.max_steps) {
    if (cancel.load(std::memory_order_relaxed)) [[unlikely]]
      return {{}, {}, estimate.draws(), RunStatus::cancelled};
    const int v = rule.choose(estimate, environment.choices());
    const auto show = [&](int u, double r) {
      if (uninformed) [[unlikely]] {
        if (r == 0.0) return;  // taken for an edge that did not fire
      }
      estimate.observe(v, u, r);
      rule.shown(estimate, u, r);
    };
    if constexpr (Environment::kPullsSeveral && requires { rule.repeats(estimate); }) {
      const std::int64_t most = stopping.goes_on(estimate)
                                    ? std::min(rule.repeats(estimate), options.max_steps - estimate.draws())
                                    : 1;
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
  TrajectoryRecord record;
  record.steps = estimate.draws();
  record.status = stopping.done() ? RunStatus::done : RunStatus::capped;
  record.at = stopping.finish(estimate);
  for (const double n : estimate.pulls()) record.pulls.push_back(static_cast<std::int64_t>(n));
  return record;
}

/// Two settings that do not go together.
[[noreturn]] void refuse(std::string where, std::string found, std::string must) {
  throw InputError(std::move(where), Complaint{Complaint::Form::value, std::move(found), std::move(must)});
}

}  // namespace

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
  if (options.max_steps < 1) throw InputError("max_steps", bad_value(options.max_steps, "must be positive"));
}

const std::vector<double>& Simulation::optimal() const {
  std::call_once(solved_, [this] { optimal_ = characteristic_time(instance_).allocation; });
  return optimal_;
}

void Simulation::check(const Algorithm& algorithm) const {
  const bool every_5K = options_.conventions.allocation_update == AllocationUpdate::every_5K;
  const bool tracks = algorithm.rule == RuleKind::tas_optimal || algorithm.rule == RuleKind::tas_heuristic ||
                      algorithm.rule == RuleKind::tas_argmax || algorithm.rule == RuleKind::tas_top_k;
  if (every_5K && tracks && (algorithm.tracking != Tracking::averaged_d || algorithm.period != 1))
    throw InputError(algorithm.name, remark("tracking and period",
                                            "allocation-update = every-5K fixes both; use every-step"));
}

TrajectoryRecord Simulation::run(const Algorithm& algorithm, std::span<const double> log_inv_delta,
                                 std::uint64_t seed, const std::atomic<bool>* cancel) const {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& cancelled = cancel != nullptr ? *cancel : never;
  return std::visit(
      [&](const auto& reward) {
        return with_rule(
            instance_, algorithm, options_.conventions, [this]() -> const auto& { return optimal(); },
            [&](auto rule) {
              if constexpr (std::is_same_v<std::decay_t<decltype(reward)>, Gaussian>) {
                if (options_.stream == StreamKind::numpy)
                  return run_loop(reward, instance_, options_, log_inv_delta, cancelled,
                                  NumpyEnvironment(instance_, reward, static_cast<std::uint32_t>(seed)),
                                  std::move(rule));
              }
              return run_loop(reward, instance_, options_, log_inv_delta, cancelled,
                              PhiloxEnvironment<std::decay_t<decltype(reward)>>(instance_, reward, content_,
                                                                                options_.master_seed, seed),
                              std::move(rule));
            });
      },
      instance_.reward());
}

}  // namespace tasfg
