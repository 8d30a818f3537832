#include "tasfg/sim/error_probability.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "sim/environment.hpp"
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

/// Whether what the first rewards will be is known before a run: then they can be pinned.
Pins pins_of(const Simulation& simulation) {
  return std::holds_alternative<Gaussian>(simulation.instance().reward()) &&
                 simulation.options().stream == StreamKind::philox
             ? Pins::yes
             : Pins::no;
}

/// By how much the means of the first 1, 2, …, kMostPinned rewards of each arm will differ from its mean.
std::vector<double> first_noise(const Simulation& simulation, std::uint64_t seed) {
  const Gaussian& reward = std::get<Gaussian>(simulation.instance().reward());
  std::vector<double> noise;
  for (int u = 0; u < simulation.instance().size(); ++u) {
    RewardTrack<Gaussian> track(reward, 0.0,
                                PhiloxEnvironment<Gaussian>::reward_key(
                                    simulation.content(), simulation.options().master_seed, seed, u),
                                kMostPinned);
    for (int k = 0; k < kMostPinned; ++k) {
      track.next();
      noise.push_back(track.mean());
    }
  }
  return noise;
}

/// One run under a proposal; tells `wrong`, if there is one, of every stop with a wrong answer.
template <typename Wrong>
RunRecord weighted_run(const Simulation& simulation, const Algorithm& algorithm,
                       std::span<const double> log_inv_delta, const Proposal& proposal, Pins pins,
                       std::int64_t horizon, std::uint64_t seed, const std::atomic<bool>* cancel,
                       Wrong wrong) {
  // No other stream of a run has this purpose.
  constexpr std::uint64_t kProposal = 0x70726f706f73616c;
  PhiloxStream stream(
      stream_key(simulation.options().master_seed, simulation.content().value, seed, kProposal));
  std::vector<double> first = pins == Pins::yes ? first_noise(simulation, seed) : std::vector<double>();
  const Proposal::Drawn drawn = proposal.draw(stream, first);
  for (std::size_t i = 0; i < first.size(); ++i) first[i] += drawn.instance.means()[i / kMostPinned];
  const std::int64_t most = simulation.options().max_steps;
  const Detour detour{drawn.instance, drawn.component < 0 ? most : std::min(most, horizon),
                      [&](const Estimate& e) {
                        if (e.best() == simulation.instance().best()) return -kInfinity;
                        const bool late = e.draws() > horizon;
                        const PathCounts path{e.observations(), e.means(), e.pulls(), first};
                        const double ratio = late ? log(proposal.plain()) : proposal.log_ratio(path);
                        wrong(path, late, ratio);
                        return -ratio;
                      }};
  RunRecord record = simulation.run(algorithm, log_inv_delta, seed, cancel, nullptr, &detour);
  // At the horizon the run has done all that was asked of it.
  if (record.status == TaskStatus::capped && detour.max_steps < most) record.status = TaskStatus::done;
  return record;
}

/// The mixture with at least so much of plain runs, and with so much of the ladder. A part of each fitted
/// component has wide tails.
Proposal joined(const Instance& truth, const FittedMixture& mixture, const std::vector<TiltComponent>& rungs,
                double plain, double ladder) {
  double fitted_weight = 0.0;
  for (const TiltComponent& each : mixture.components) fitted_weight += each.weight;
  if (!(fitted_weight > 0.0)) ladder = 1.0;
  plain = rungs.empty() ? 1.0 : std::min(std::max(plain, mixture.plain), 0.98);
  std::vector<TiltComponent> all;
  for (TiltComponent each : mixture.components) {
    each.weight *= (1.0 - plain) * (1.0 - ladder) / fitted_weight;
    if (!(each.weight > 0.0)) continue;
    constexpr double kWide = 0.3;
    TiltComponent wide = widened(each);
    wide.weight *= kWide;
    each.weight *= 1.0 - kWide;
    all.push_back(std::move(each));
    all.push_back(std::move(wide));
  }
  for (TiltComponent each : rungs) {
    each.weight *= (1.0 - plain) * ladder;
    if (each.weight > 0.0) all.push_back(std::move(each));
  }
  return {truth, plain, std::move(all)};
}

/// At most six of the δ, in order, the first and the last among them.
std::vector<double> some_of(std::span<const double> log_inv_delta) {
  constexpr std::size_t kMost = 6;
  std::vector<double> all(log_inv_delta.begin(), log_inv_delta.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() <= kMost) return all;
  std::vector<double> some;
  for (std::size_t i = 0; i < kMost; ++i) some.push_back(all[i * (all.size() - 1) / (kMost - 1)]);
  return some;
}

SimulationOptions pilot_options(const Simulation& simulation) {
  SimulationOptions options = simulation.options();
  options.stream = StreamKind::philox;
  options.pulls_by_delta = false;
  return options;
}

/// What both pilots share.
struct PilotTask {
  Simulation simulation;
  const Algorithm& algorithm;
  std::vector<double> log_inv_delta;  // rising
  int threads;
  const std::atomic<bool>* cancel;
  Pins pins;
  std::int64_t horizon = 0;
  std::vector<TiltComponent> ladder = {};

  [[nodiscard]] bool cancelled() const {
    return cancel != nullptr && cancel->load(std::memory_order_relaxed);
  }
};

// Seeds beyond those of runs, and different for each kind of pilot runs.
constexpr std::uint64_t kPlainPilot = std::uint64_t{1} << 40, kFirstPilot = std::uint64_t{2} << 40,
                        kSecondPilot = std::uint64_t{3} << 40;

/// How long a plain run is, on average.
std::int64_t horizon_of(const PilotTask& task) {
  constexpr std::size_t kRuns = 20;
  std::vector<double> steps(kRuns);
  in_threads(task.threads, kRuns, [&](std::size_t i) {
    if (task.cancelled()) return;
    steps[i] = static_cast<double>(
        task.simulation.run(task.algorithm, task.log_inv_delta, kPlainPilot + i, task.cancel).steps);
  });
  return 1 + static_cast<std::int64_t>(std::accumulate(steps.begin(), steps.end(), 0.0) / kRuns);
}

/// One pilot: rounds of runs, each from the proposal fitted to all rounds before it.
class Pilot {
 public:
  Pilot(const PilotTask& task, std::size_t runs, std::uint64_t first_seed)
      : task_(task), runs_(runs), seed_(first_seed), mixture_{kPlain, task.ladder} {
    for (TiltComponent& each : mixture_.components) each.weight *= 1.0 - kPlain;
    // Hard cases get more rounds.
    constexpr int kFewest = 5, kMost = 10;
    for (int round = 0; round < kMost && !task.cancelled() && (round < kFewest || !settled()); ++round) {
      make_round(joined(task.simulation.instance(), mixture_, task.ladder, kPlain, round == 0 ? 0.0 : 0.2));
      mixture_ = fitted(task.simulation.instance(), std::move(mixture_), round == 0 ? Fit::weights : Fit::all,
                        stops_, task.log_inv_delta.size(), task.cancel);
      if (task.cancelled()) return;
    }
    // What the pilot saw little of may be more than it seems: small weights are raised.
    constexpr double kTempering = 0.75;
    double sum = 0.0;
    for (TiltComponent& each : mixture_.components) sum += each.weight = exp(kTempering * log(each.weight));
    for (TiltComponent& each : mixture_.components) each.weight *= (1.0 - mixture_.plain) / sum;
  }

  [[nodiscard]] const FittedMixture& mixture() const { return mixture_; }

  /// The error probability at a δ, by all rounds.
  [[nodiscard]] ErrorEstimate estimate(std::size_t delta) const {
    const auto rounds = static_cast<double>(rounds_.size());
    std::vector<double> log_weights;
    for (const WrongStop& stop : stops_)
      if (stop.delta == delta) log_weights.push_back(log(rounds) - stop.log_sum);
    log_weights.resize(rounds_.size() * runs_, -kInfinity);
    return error_estimate(log_weights, 1.0 / kPlain);
  }

 private:
  static constexpr double kPlain = 0.005;  // plain runs take most of the time

  [[nodiscard]] bool settled() const {
    constexpr double kEnough = 40.0;
    for (std::size_t d = 0; d < task_.log_inv_delta.size(); ++d)
      if (const double ess = estimate(d).ess; ess > 0.0 && ess < kEnough) return false;
    return true;
  }

  void make_round(Proposal proposal) {
    std::vector<std::vector<WrongStop>> found(runs_);
    in_threads(task_.threads, runs_, [&](std::size_t i) {
      if (task_.cancelled()) return;
      const RunRecord record = weighted_run(
          task_.simulation, task_.algorithm, task_.log_inv_delta, proposal, task_.pins, task_.horizon,
          seed_ + i, task_.cancel, [&](const PathCounts& path, bool late, double ratio) {
            const auto copy = [](std::span<const double> of) {
              return std::vector<double>(of.begin(), of.end());
            };
            found[i].push_back({0, late, ratio, copy(path.observations), copy(path.means), copy(path.pulls),
                                copy(path.first_means)});
          });
      // δ rise, and a run stops at one after the other.
      std::size_t next = 0;
      for (std::size_t d = 0; d < record.log_weight.size() && next < found[i].size(); ++d)
        if (record.log_weight[d] > -kInfinity) found[i][next++].delta = d;
    });
    seed_ += runs_;
    // All rounds together are a sample of the mean of their proposals (adaptive multiple importance sampling:
    // Cornuet, Marin, Mira and Robert, 2012).
    for (WrongStop& stop : stops_) {
      if (task_.cancelled()) return;
      stop.log_sum = log_sum(stop.log_sum, ratio_of(proposal, stop));
    }
    for (std::vector<WrongStop>& run : found) {
      if (task_.cancelled()) return;
      for (WrongStop& stop : run) {
        for (const Proposal& before : rounds_) stop.log_sum = log_sum(stop.log_sum, ratio_of(before, stop));
        stops_.push_back(std::move(stop));
      }
    }
    rounds_.push_back(std::move(proposal));
    std::vector<double> least(task_.log_inv_delta.size(), kInfinity);
    for (const WrongStop& stop : stops_) least[stop.delta] = std::min(least[stop.delta], stop.log_sum);
    constexpr double kNothing = 14.0;  // e⁻¹⁴ of the largest weight
    std::erase_if(stops_, [&](const WrongStop& stop) { return stop.log_sum > least[stop.delta] + kNothing; });
  }
  static double ratio_of(const Proposal& proposal, const WrongStop& stop) {
    return stop.late ? log(proposal.plain()) : proposal.log_ratio(stop.counts());
  }

  const PilotTask& task_;
  std::size_t runs_;  // of a round
  std::uint64_t seed_;
  FittedMixture mixture_;
  std::vector<Proposal> rounds_;
  std::vector<WrongStop> stops_;
};

/// The mean of both.
FittedMixture mean_of(const FittedMixture& first, const FittedMixture& second) {
  FittedMixture mean{0.5 * (first.plain + second.plain), first.components};
  mean.components.insert(mean.components.end(), second.components.begin(), second.components.end());
  for (TiltComponent& each : mean.components) each.weight *= 0.5;
  return mean;
}

}  // namespace

ErrorSampler::ErrorSampler(const Simulation& simulation, Algorithm algorithm,
                           std::vector<double> log_inv_delta, int threads, const std::atomic<bool>* cancel,
                           std::size_t pilot_runs)
    : simulation_(simulation),
      algorithm_(std::move(algorithm)),
      log_inv_delta_(std::move(log_inv_delta)),
      proposal_(simulation.instance(), 1.0, {}) {
  if (log_inv_delta_.empty()) return;
  const Instance& truth = simulation.instance();
  PilotTask task{{truth, pilot_options(simulation)},
                 algorithm_,
                 some_of(log_inv_delta_),
                 threads,
                 cancel,
                 pins_of(simulation)};
  horizon_ = task.horizon = horizon_of(task);
  const ThresholdKind threshold = simulation.options().threshold;
  task.ladder = error_ladder(truth,
                             threshold_base(threshold, task.log_inv_delta.back(), truth.size()) +
                                 threshold_growth(threshold, 4.0 * truth.size()),
                             task.pins);
  const Pilot first(task, pilot_runs / 2, kFirstPilot), second(task, pilot_runs / 2, kSecondPilot);
  if (task.cancelled()) return;
  proposal_ = joined(truth, mean_of(first.mixture(), second.mixture()), task.ladder, 0.1, 0.1);
  for (std::size_t d = 0; d < task.log_inv_delta.size(); ++d)
    pilot_.push_back({task.log_inv_delta[d], first.estimate(d), second.estimate(d)});
}

bool ErrorSampler::trusted(std::size_t delta, const ErrorEstimate* estimate) const {
  const double wanted = log_inv_delta_[delta];
  const auto after = std::find_if(pilot_.begin(), pilot_.end(),
                                  [&](const PilotDelta& each) { return each.log_inv_delta >= wanted; });
  TASFG_EXPECT(after != pilot_.end());
  if (!agree(after->first, after->second)) return false;
  if (after->log_inv_delta == wanted)
    return estimate == nullptr || (agree(*estimate, after->first) && agree(*estimate, after->second));
  const auto before = after - 1;  // a δ that the pilots left out lies between two of theirs
  return agree(before->first, before->second);
}

RunRecord ErrorSampler::run(std::uint64_t seed, const std::atomic<bool>* cancel) const {
  return weighted_run(simulation_, algorithm_, log_inv_delta_, proposal_, pins_of(simulation_), horizon_,
                      seed, cancel, [](const PathCounts& /*path*/, bool /*late*/, double /*ratio*/) {});
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
  for (std::size_t d = 0; d < deltas; ++d) {
    ErrorEstimate& now = estimates.emplace_back(
        error_estimate(std::span(log_weights).subspan(d * count, count), 1.0 / sampler.proposal().plain()));
    if (!sampler.trusted(d, &now)) now.lower = now.upper = kNaN;
  }
  return estimates;
}

ErrorEstimate error_estimate(std::span<const double> log_weights, double most) {
  TASFG_EXPECT(!log_weights.empty());
  constexpr double kNormal = 1.959963984540054;  // quantile of 0.975
  const auto n = static_cast<double>(log_weights.size());
  ErrorEstimate out;
  out.runs = static_cast<std::int64_t>(log_weights.size());
  if (std::any_of(log_weights.begin(), log_weights.end(), [](double each) { return !(each < kInfinity); })) {
    out.error = out.std_error = out.lower = out.upper = kNaN;
    return out;
  }
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  if (largest == -kInfinity) {
    // n runs without a wrong answer: with 97.5 % a run has one with probability ln(40)/n at most.
    out.upper = std::min(1.0, -log(0.025) / n * most);
    return out;
  }
  double sum = 0.0, squares = 0.0, cubes = 0.0;
  for (const double each : log_weights) {
    const double weight = exp(each - largest);
    sum += weight;
    squares += weight * weight;
    cubes += weight * weight * weight;
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
  // error. And wider than the normal quantile by what the Edgeworth expansion of Student's t takes off its
  // two-sided coverage (sim/precision.hpp), where the effective runs are the observations, and the skewness
  // is that of the sum.
  const double spread = squares - sum * sum / n;
  const double third = cubes - 3.0 * sum / n * squares + 2.0 * sum * sum * sum / (n * n);
  const double skewness = spread > 0.0 ? third / (spread * std::sqrt(spread)) : 0.0;
  constexpr double kSquare = kNormal * kNormal;
  const double wider = 1.0 + (kSquare + 1.0) / (4.0 * out.ess) +
                       skewness * skewness * (kSquare * kSquare + 2.0 * kSquare - 3.0) / 18.0;
  const double factor = exp(kNormal * wider * out.std_error / out.error);
  out.lower = out.error / factor;
  out.upper = std::min(1.0, out.error * factor);
  return out;
}

bool agree(const ErrorEstimate& a, const ErrorEstimate& b) {
  if (a.error == 0.0 && b.error == 0.0) return true;
  // One run that counts for nearly everything contradicts nothing, and confirms nothing.
  constexpr double kFewest = 5.0, kMostErrors = 4.0;
  if (a.ess < kFewest || b.ess < kFewest) return false;
  return std::abs(log(a.error / b.error)) <=
         kMostErrors * std::hypot(a.std_error / a.error, b.std_error / b.error);
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
