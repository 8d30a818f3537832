#include "tasfg/sim/error_probability.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "sim/error_ladder.hpp"
#include "sim/proposal_fit.hpp"

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

/// ln(eˣ + eʸ).
double log_sum(double x, double y) {
  const double larger = std::max(x, y);
  return larger + log(1.0 + exp(std::min(x, y) - larger));
}

/// Calls work(i) for i < count, in so many threads. What it throws is thrown here.
template <typename Work>
void in_threads(int threads, std::size_t count, Work work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto share = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(share);
    share();
  }
  if (failure) std::rethrow_exception(failure);
}

/// One run under a proposal; tells `wrong`, if there is one, of every stop with a wrong answer.
template <typename Wrong>
RunRecord weighted_run(const Simulation& simulation, const Algorithm& algorithm,
                       std::span<const double> log_inv_delta, const Proposal& proposal, std::int64_t horizon,
                       std::uint64_t seed, const std::atomic<bool>* cancel, Wrong wrong) {
  // No other stream of a run has this purpose.
  constexpr std::uint64_t kProposal = 0x70726f706f73616c;
  PhiloxStream stream(
      stream_key(simulation.options().master_seed, simulation.content().value, seed, kProposal));
  const Proposal::Drawn drawn = proposal.draw(stream);
  const std::int64_t most = simulation.options().max_steps;
  const Detour detour{drawn.instance, drawn.component < 0 ? most : std::min(most, horizon),
                      [&](const Estimate& e) {
                        if (e.best() == simulation.instance().best()) return -kInfinity;
                        const bool late = e.draws() > horizon;
                        const PathCounts path{e.observations(), e.means(), e.pulls()};
                        const double ratio = late ? log(proposal.plain()) : proposal.log_ratio(path);
                        wrong(path, late, ratio);
                        return -ratio;
                      }};
  RunRecord record = simulation.run(algorithm, log_inv_delta, seed, cancel, nullptr, &detour);
  // At the horizon the run has done all that was asked of it.
  if (record.status == TaskStatus::capped && detour.max_steps < most) record.status = TaskStatus::done;
  return record;
}

/// The pilot: rounds of runs, each from the proposal fitted to all rounds before it.
class Pilot {
 public:
  Pilot(const Simulation& simulation, const Algorithm& algorithm, std::span<const double> log_inv_delta,
        int threads, const std::atomic<bool>* cancel, std::size_t runs)
      : simulation_(simulation.instance(), options_of(simulation)),
        algorithm_(algorithm),
        log_inv_delta_(some_of(log_inv_delta)),
        threads_(threads),
        cancel_(cancel),
        runs_(runs) {}

  /// How long a plain run is, on average.
  [[nodiscard]] std::int64_t horizon() {
    constexpr std::size_t kRuns = 20;
    std::vector<double> steps(kRuns);
    each(kRuns, [&](std::size_t i) {
      steps[i] = static_cast<double>(simulation_.run(algorithm_, log_inv_delta_, seed_ + i, cancel_).steps);
    });
    horizon_ = 1 + static_cast<std::int64_t>(std::accumulate(steps.begin(), steps.end(), 0.0) / kRuns);
    return horizon_;
  }

  [[nodiscard]] Proposal proposal() {
    const Instance& truth = simulation_.instance();
    const SimulationOptions& options = simulation_.options();
    const double evidence = threshold_base(options.threshold, log_inv_delta_.back(), truth.size()) +
                            threshold_growth(options.threshold, 4.0 * truth.size());
    ladder_ = error_ladder(truth, evidence);
    constexpr int kRounds = 5;
    constexpr double kPlain = 0.005;  // in the pilot: they take most of the time
    FittedMixture mixture{kPlain, ladder_};
    for (TiltComponent& each : mixture.components) each.weight *= 1.0 - kPlain;
    for (int round = 0; round < kRounds; ++round) {
      make_round(with_ladder(mixture, kPlain, round == 0 ? 0.0 : 0.2));
      mixture = fitted(truth, std::move(mixture), round == 0 ? Fit::weights : Fit::all, stops_,
                       log_inv_delta_.size(), cancel_);
      if (cancelled()) return {truth, 1.0, {}};
    }
    // What the pilot saw little of may be more than it seems: small weights are raised.
    constexpr double kTempering = 0.75;
    double sum = 0.0;
    for (TiltComponent& each : mixture.components) sum += each.weight = exp(kTempering * log(each.weight));
    for (TiltComponent& each : mixture.components) each.weight *= (1.0 - mixture.plain) / sum;
    return with_ladder(mixture, 0.1, 0.1);
  }

 private:
  static SimulationOptions options_of(const Simulation& simulation) {
    SimulationOptions options = simulation.options();
    options.stream = StreamKind::philox;
    options.pulls_by_delta = false;
    return options;
  }
  /// At most six of the δ, in order, the first and the last among them.
  static std::vector<double> some_of(std::span<const double> log_inv_delta) {
    constexpr std::size_t kMost = 6;
    std::vector<double> all(log_inv_delta.begin(), log_inv_delta.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.size() <= kMost) return all;
    std::vector<double> some;
    for (std::size_t i = 0; i < kMost; ++i) some.push_back(all[i * (all.size() - 1) / (kMost - 1)]);
    return some;
  }

  [[nodiscard]] bool cancelled() const {
    return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed);
  }

  template <typename Work>
  void each(std::size_t count, Work work) {
    in_threads(threads_, count, [&](std::size_t i) {
      if (!cancelled()) work(i);
    });
    seed_ += count;
  }

  /// The mixture with at least so much of plain runs, and with so much of the ladder.
  [[nodiscard]] Proposal with_ladder(const FittedMixture& mixture, double plain, double ladder) const {
    double fitted_weight = 0.0;
    for (const TiltComponent& each : mixture.components) fitted_weight += each.weight;
    if (!(fitted_weight > 0.0)) ladder = 1.0;
    plain = ladder_.empty() ? 1.0 : std::min(std::max(plain, mixture.plain), 0.98);
    std::vector<TiltComponent> all;
    for (TiltComponent each : mixture.components) {
      each.weight *= (1.0 - plain) * (1.0 - ladder) / fitted_weight;
      if (each.weight > 0.0) all.push_back(std::move(each));
    }
    for (TiltComponent each : ladder_) {
      each.weight *= (1.0 - plain) * ladder;
      if (each.weight > 0.0) all.push_back(std::move(each));
    }
    return {simulation_.instance(), plain, std::move(all)};
  }

  void make_round(Proposal proposal) {
    std::vector<std::vector<WrongStop>> found(runs_);
    each(runs_, [&](std::size_t i) {
      const RunRecord record = weighted_run(
          simulation_, algorithm_, log_inv_delta_, proposal, horizon_, seed_ + i, cancel_,
          [&](const PathCounts& path, bool late, double ratio) {
            const auto copy = [](std::span<const double> of) {
              return std::vector<double>(of.begin(), of.end());
            };
            found[i].push_back({0, late, ratio, copy(path.observations), copy(path.means), copy(path.pulls)});
          });
      // δ rise, and a run stops at one after the other.
      std::size_t next = 0;
      for (std::size_t d = 0; d < record.log_weight.size() && next < found[i].size(); ++d)
        if (record.log_weight[d] > -kInfinity) found[i][next++].delta = d;
    });
    // All rounds together are a sample of the mean of their proposals (adaptive multiple importance sampling:
    // Cornuet, Marin, Mira and Robert, 2012).
    for (WrongStop& stop : stops_) {
      if (cancelled()) return;
      stop.log_sum = log_sum(stop.log_sum, ratio_of(proposal, stop));
    }
    for (std::vector<WrongStop>& run : found) {
      if (cancelled()) return;
      for (WrongStop& stop : run) {
        for (const Proposal& before : rounds_) stop.log_sum = log_sum(stop.log_sum, ratio_of(before, stop));
        stops_.push_back(std::move(stop));
      }
    }
    rounds_.push_back(std::move(proposal));
    std::vector<double> least(log_inv_delta_.size(), kInfinity);
    for (const WrongStop& stop : stops_) least[stop.delta] = std::min(least[stop.delta], stop.log_sum);
    constexpr double kNothing = 14.0;  // e⁻¹⁴ of the largest weight
    std::erase_if(stops_, [&](const WrongStop& stop) { return stop.log_sum > least[stop.delta] + kNothing; });
  }
  static double ratio_of(const Proposal& proposal, const WrongStop& stop) {
    return stop.late ? log(proposal.plain()) : proposal.log_ratio(stop.counts());
  }

  Simulation simulation_;
  const Algorithm& algorithm_;
  std::vector<double> log_inv_delta_;
  int threads_;
  const std::atomic<bool>* cancel_;
  std::size_t runs_;                             // of a round
  std::uint64_t seed_ = std::uint64_t{1} << 40;  // beyond those of runs
  std::int64_t horizon_ = 0;
  std::vector<TiltComponent> ladder_;
  std::vector<Proposal> rounds_;
  std::vector<WrongStop> stops_;
};

}  // namespace

ErrorSampler::ErrorSampler(const Simulation& simulation, Algorithm algorithm,
                           std::vector<double> log_inv_delta, int threads, const std::atomic<bool>* cancel,
                           std::size_t pilot_runs)
    : simulation_(simulation),
      algorithm_(std::move(algorithm)),
      log_inv_delta_(std::move(log_inv_delta)),
      proposal_(simulation.instance(), 1.0, {}) {
  if (log_inv_delta_.empty()) return;
  Pilot pilot(simulation, algorithm_, log_inv_delta_, threads, cancel, pilot_runs);
  horizon_ = pilot.horizon();
  const Proposal found = pilot.proposal();
  proposal_ = Proposal(simulation.instance(), found.plain(), found.components());
}

RunRecord ErrorSampler::run(std::uint64_t seed, const std::atomic<bool>* cancel) const {
  return weighted_run(simulation_, algorithm_, log_inv_delta_, proposal_, horizon_, seed, cancel,
                      [](const PathCounts& /*path*/, bool /*late*/, double /*ratio*/) {});
}

std::vector<ErrorEstimate> measured_error(const Simulation& simulation, const Algorithm& algorithm,
                                          std::span<const double> log_inv_delta, std::int64_t runs,
                                          ErrorMethod method, int threads, std::size_t pilot_runs,
                                          const std::atomic<bool>* cancel) {
  TASFG_EXPECT(runs > 0);
  const auto cancelled = [cancel] { return cancel != nullptr && cancel->load(); };
  const auto count = static_cast<std::size_t>(runs);
  const std::size_t deltas = log_inv_delta.size();
  std::vector<ErrorEstimate> estimates;
  if (method == ErrorMethod::plain) {
    std::vector<std::atomic<std::int64_t>> wrong(deltas);
    in_threads(threads, count, [&](std::size_t seed) {
      if (cancelled()) return;
      const RunRecord record = simulation.run(algorithm, log_inv_delta, seed, cancel);
      if (cancelled()) return;
      for (std::size_t d = 0; d < deltas; ++d)
        if (record.stopped[d] != 0 && record.correct[d] == 0) ++wrong[d];
    });
    for (const auto& each : wrong) estimates.push_back(plain_error_estimate(each, runs));
    return estimates;
  }
  const ErrorSampler sampler(simulation, algorithm, {log_inv_delta.begin(), log_inv_delta.end()}, threads,
                             cancel, pilot_runs);
  if (cancelled()) return std::vector<ErrorEstimate>(deltas);
  std::vector<double> log_weights(deltas * count);  // by δ
  in_threads(threads, count, [&](std::size_t seed) {
    if (cancelled()) return;
    const RunRecord record = sampler.run(seed, cancel);
    if (cancelled()) return;
    for (std::size_t d = 0; d < deltas; ++d) log_weights[d * count + seed] = record.log_weight[d];
  });
  for (std::size_t d = 0; d < deltas; ++d)
    estimates.push_back(
        error_estimate(std::span(log_weights).subspan(d * count, count), 1.0 / sampler.proposal().plain()));
  return estimates;
}

ErrorEstimate error_estimate(std::span<const double> log_weights, double most) {
  TASFG_EXPECT(!log_weights.empty());
  constexpr double kNormal = 1.959963984540054;  // quantile of 0.975
  const auto n = static_cast<double>(log_weights.size());
  ErrorEstimate out;
  out.runs = static_cast<std::int64_t>(log_weights.size());
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  if (largest == -kInfinity) {
    // n runs without a wrong answer: with 97.5 % a run has one with probability ln(40)/n at most.
    out.upper = std::min(1.0, -log(0.025) / n * most);
    return out;
  }
  double sum = 0.0, squares = 0.0;
  for (const double each : log_weights) {
    const double weight = exp(each - largest);
    sum += weight;
    squares += weight * weight;
  }
  out.error = sum / n * exp(largest);
  out.std_error = log_weights.size() < 2
                      ? out.error
                      : std::sqrt(std::max(0.0, squares - sum * sum / n) / (n * (n - 1.0))) * exp(largest);
  out.ess = sum * sum / squares;
  out.largest_share = 1.0 / sum;
  constexpr double kFewest = 20.0, kLargestShare = 0.2;
  if (out.ess < kFewest || out.largest_share > kLargestShare) {
    out.lower = out.upper = kNaN;
    return out;
  }
  // On a logarithmic scale: weights are skewed, and an estimate that is too small has too small a standard
  // error.
  const double factor = exp(kNormal * out.std_error / out.error);
  out.lower = out.error / factor;
  out.upper = std::min(1.0, out.error * factor);
  return out;
}

ErrorEstimate plain_error_estimate(std::int64_t wrong, std::int64_t runs) {
  TASFG_EXPECT(runs > 0 && wrong >= 0 && wrong <= runs);
  constexpr double kSquare = 3.841458820694124;  // of the normal quantile
  const auto n = static_cast<double>(runs);
  ErrorEstimate out;
  out.runs = runs;
  out.error = static_cast<double>(wrong) / n;
  out.std_error = std::sqrt(out.error * (1.0 - out.error) / n);
  out.ess = static_cast<double>(wrong);
  out.largest_share = wrong > 0 ? 1.0 / out.ess : 0.0;
  const double centre = (out.error + kSquare / (2.0 * n)) / (1.0 + kSquare / n);
  const double width = std::sqrt(kSquare * (out.error * (1.0 - out.error) / n + kSquare / (4.0 * n * n))) /
                       (1.0 + kSquare / n);
  out.lower = wrong > 0 ? centre - width : 0.0;
  out.upper = wrong < runs ? centre + width : 1.0;
  return out;
}

}  // namespace tasfg
