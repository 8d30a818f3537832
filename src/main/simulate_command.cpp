#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <thread>

#include "commands.hpp"
#include "intervals.hpp"
#include "run_options.hpp"
#include <fmt/format.h>
#include <unistd.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/base/stopwatch.hpp"
#include "tasfg/sim/case_record.hpp"
#include "tasfg/sim/trajectory.hpp"
#include "tasfg/solve/characteristic_time.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

struct SimulateOptions {
  RunOptions run;
  std::string seeds = "0-9";
  bool csv = false;
};

/// "0-9", "0,3,7", "5" and mixtures.
std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  constexpr double kLargest = 4294967295.0;
  constexpr std::size_t kMost = 10'000'000;
  const auto whole = [&](std::string_view part) {
    const std::optional<double> value = to_number(part);
    if (!value || *value != std::floor(*value) || *value < 0 || *value > kLargest)
      throw InputError("--seeds",
                       bad_text(text, "must be whole numbers from 0 to 4294967295, as 0-9 or 0,3,7"));
    return static_cast<std::uint64_t>(*value);
  };
  std::vector<std::uint64_t> seeds;
  for (const std::string& part : split_list(text)) {
    const auto dash = part.find('-', 1);
    const std::uint64_t first = whole(part.substr(0, dash));
    const std::uint64_t last = dash == std::string::npos ? first : whole(part.substr(dash + 1));
    if (last < first) throw InputError("--seeds", bad_state(in_quotes(part), "the range runs backwards"));
    if (last - first >= kMost || seeds.size() >= kMost)
      throw InputError("--seeds", bad_state(in_quotes(part), fmt::format("at most {} seeds", kMost)));
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  }
  return seeds;
}

/// The record of a run that failed: no vertex, no time.
RunRecord failed_run(std::size_t deltas) {
  RunRecord record;
  record.status = TaskStatus::failed;
  record.tau.assign(deltas, -1);
  record.recommended.assign(deltas, -1);
  record.correct.assign(deltas, 0);
  record.stopped.assign(deltas, 0);
  return record;
}

std::string rows_of(const Algorithm& algorithm, std::uint64_t seed, const std::vector<double>& log_inv_delta,
                    const RunRecord& record) {
  std::string rows;
  for (std::size_t d = 0; d < log_inv_delta.size(); ++d) {
    rows += fmt::format("{},{},{},{},{},{},{}\n", algorithm.name, seed, to_text(log_inv_delta[d]),
                        record.tau[d], record.recommended[d], record.correct[d],
                        record.status == TaskStatus::failed ? "failed"
                        : record.stopped[d] != 0            ? "done"
                                                            : "capped");
  }
  return rows;
}

/// What the runs of one algorithm say at one delta. Capped runs are censored: their stopping times are known
/// to be larger than the cap, so that a mean exists only without them, and quantiles only below the cap.
struct Summary {
  double mean = kMissing, half_width = kMissing, median = kMissing, largest = kMissing;
  std::int64_t stopped = 0, wrong = 0, capped = 0;

  static constexpr double kMissing = kNaN;
};

Summary summary_of(std::span<const RunRecord> records, std::size_t d) {
  Summary summary;
  std::vector<double> taus;
  std::size_t runs = 0;
  for (const RunRecord& record : records) {
    if (record.status == TaskStatus::failed) continue;
    ++runs;
    if (record.stopped[d] == 0) {
      ++summary.capped;
      continue;
    }
    ++summary.stopped;
    summary.wrong += record.correct[d] == 0 ? 1 : 0;
    taus.push_back(static_cast<double>(record.tau[d]));
  }
  std::sort(taus.begin(), taus.end());
  if (const std::size_t above = runs / 2; above < taus.size())
    summary.median = 0.5 * (taus[(runs - 1) / 2] + taus[above]);
  if (summary.capped > 0 || runs == 0) return summary;
  summary.largest = taus.back();
  summary.mean = std::accumulate(taus.begin(), taus.end(), 0.0) / static_cast<double>(taus.size());
  summary.half_width = half_width(taus);
  return summary;
}

/// Four digits at least, and no fraction that nobody needs.
std::string figure(double value) {
  if (!std::isfinite(value)) return "-";
  return value >= 1000.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

/// "0 (0..0.31)": the share of wrong answers with its interval.
std::string error_text(const Summary& summary) {
  if (summary.stopped == 0) return "-";
  const Interval interval = exact_interval(summary.wrong, summary.stopped);
  return fmt::format("{:.2g} ({:.2g}..{:.2g})",
                     static_cast<double>(summary.wrong) / static_cast<double>(summary.stopped), interval.low,
                     interval.high);
}

void print_summary(const Instance& instance, const SimulateOptions& options,
                   const SimulationOptions& settings, const std::vector<Algorithm>& algorithms,
                   std::size_t seeds, const std::vector<double>& log_inv_delta,
                   const std::vector<RunRecord>& records) {
  const CharacteristicTime time = characteristic_time(instance);
  fmt::print("{}; {} rewards; T* = {:.6g}; {} runs of each algorithm\n\n", options.run.describe(),
             row_of(instance.reward()).name, time.upper, seeds);
  constexpr const char* kRow = "{:<15}  {:>11}  {:>22}  {:>8}  {:>8}  {:>8}  {:>9}  {:>21}  {:>6}\n";
  fmt::print(fmt::runtime(kRow), "algorithm", "ln(1/delta)", "mean tau +- half-width", "median", "largest",
             "T*.kl", "practical", "error (95 % interval)", "capped");
  bool any_capped = false;
  for (std::size_t a = 0; a < algorithms.size(); ++a) {
    for (std::size_t d = 0; d < log_inv_delta.size(); ++d) {
      const Summary summary = summary_of(std::span(records).subspan(a * seeds, seeds), d);
      any_capped = any_capped || summary.capped > 0;
      if (summary.stopped + summary.capped == 0) {
        fmt::print("{:<15}  {:>11.6g}  {:>22}\n", algorithms[a].name, log_inv_delta[d], "all failed");
        continue;
      }
      fmt::print(fmt::runtime(kRow), algorithms[a].name, fmt::format("{:.6g}", log_inv_delta[d]),
                 std::isfinite(summary.half_width)
                     ? fmt::format("{} +- {}", figure(summary.mean), figure(summary.half_width))
                     : figure(summary.mean),
                 figure(summary.median), figure(summary.largest),
                 figure(lower_bound(time.upper, log_inv_delta[d])),
                 figure(practical_bound(time.upper, settings.threshold, log_inv_delta[d], instance.size())),
                 error_text(summary), summary.capped);
    }
  }
  fmt::print(
      "\nIntervals of 95 %: Student's for the mean, Clopper and Pearson's for the error. T*.kl: the least "
      "mean number of\n"
      "draws of any delta-correct algorithm. practical: T* times the threshold, where tracking the optimum "
      "would stop.\n");
  if (any_capped)
    fmt::print(
        "Capped runs did not stop within --max-steps: \"-\" is a figure that is not known because of "
        "them.\n");
}

/// How far the runs are, on a terminal.
class LiveLine {
 public:
  LiveLine(bool wanted, std::size_t algorithms, std::size_t seeds, std::size_t threads)
      : tallies_(algorithms), seeds_(seeds), threads_(threads) {
    if (!wanted) return;
    watcher_ = std::jthread([this](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; }) &&
             !stop.stop_requested())
        progress_.update(since_start_.seconds(), state());
      progress_.finish();
    });
  }

  /// A run has ended, after so many draws and seconds.
  void add(std::size_t algorithm, std::int64_t steps, double seconds) {
    const std::scoped_lock lock(mutex_);
    tallies_[algorithm].runs += 1;
    tallies_[algorithm].seconds += seconds;
    steps_ += static_cast<double>(steps);
  }

 private:
  struct Tally {
    std::size_t runs = 0;
    double seconds = 0.0;
  };

  [[nodiscard]] ProgressState state() const {
    ProgressState state;
    Tally all;
    for (const Tally& each : tallies_) {
      all.runs += each.runs;
      all.seconds += each.seconds;
    }
    state.done = static_cast<std::int64_t>(all.runs);
    state.total = static_cast<std::int64_t>(tallies_.size() * seeds_);
    state.steps = steps_;
    state.threads = static_cast<int>(threads_);
    state.busy = static_cast<int>(std::min(threads_, tallies_.size() * seeds_ - all.runs));
    // An algorithm without a run so far is taken for an average one.
    for (const Tally& each : tallies_) {
      const Tally& like = each.runs > 0 ? each : all;
      state.seconds_left +=
          static_cast<double>(seeds_ - each.runs) * like.seconds / static_cast<double>(like.runs);
    }
    return state;
  }

  Stopwatch since_start_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  Progress progress_{Progress::Mode::automatic};
  std::vector<Tally> tallies_;
  std::size_t seeds_, threads_;
  double steps_ = 0.0;
  std::jthread watcher_;  // last: it uses the others
};

/// Whether every run came to its end.
bool simulate(const SimulateOptions& options) {
  const SimulationOptions simulation_settings = options.run.simulation();
  const std::vector<Algorithm> algorithms = options.run.algorithms();
  const std::vector<std::uint64_t> seeds = parse_seeds(options.seeds);
  const std::vector<double> log_inv_delta = options.run.log_inv_delta();
  const std::size_t most_threads = options.run.threads();
  const Instance instance = options.run.instance();
  const Simulation simulation(instance, simulation_settings);
  for (const Algorithm& algorithm : algorithms) simulation.check(algorithm);

  // Rows come out in the order asked for, each as soon as all before it are there.
  const std::size_t tasks = algorithms.size() * seeds.size();
  const std::size_t threads = std::min(tasks, most_threads);
  std::vector<RunRecord> records(tasks);
  std::vector<char> ready(tasks, 0);
  std::size_t printed = 0;
  bool all_ended = true;
  std::mutex output;
  std::atomic<std::size_t> next{0};
  if (options.csv) fmt::print("algorithm,seed,log_inv_delta,tau,recommended,correct,status\n");
  {
    // Rows on the same terminal are progress enough.
    const bool rows_on_terminal = options.csv && ::isatty(STDOUT_FILENO) == 1;
    LiveLine live(::isatty(STDERR_FILENO) == 1 && !rows_on_terminal, algorithms.size(), seeds.size(),
                  threads);
    const auto work = [&] {
      for (std::size_t task = next++; task < tasks; task = next++) {
        const std::size_t a = task / seeds.size();
        const Stopwatch watch;
        RunRecord record;
        std::string failure;
        try {
          record = simulation.run(algorithms[a], log_inv_delta, seeds[task % seeds.size()]);
        } catch (const std::exception& error) {
          failure = error.what();
          record = failed_run(log_inv_delta.size());
        }
        live.add(a, record.steps, watch.seconds());
        const std::scoped_lock lock(output);
        if (!failure.empty()) {
          all_ended = false;
          say(fmt::format("{} seed {} failed: {}", algorithms[a].name, seeds[task % seeds.size()], failure));
        }
        records[task] = std::move(record);
        ready[task] = 1;
        for (; printed < tasks && ready[printed] != 0; ++printed)
          if (options.csv)
            fmt::print("{}", rows_of(algorithms[printed / seeds.size()], seeds[printed % seeds.size()],
                                     log_inv_delta, records[printed]));
      }
    };
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
  }
  if (!options.csv)
    print_summary(instance, options, simulation_settings, algorithms, seeds.size(), log_inv_delta, records);
  return all_ended;
}

}  // namespace

void add_simulate_command(Command& app, int& status) {
  const auto options = std::make_shared<SimulateOptions>();
  Command* command = app.add_subcommand(
      "simulate", "one instance, given algorithms and seeds: stopping times at every delta");
  options->run.add_to(*command);
  command->add_option("--seeds", options->seeds, "0-9, or 0,3,7")->capture_default_str();
  command->add_flag("--csv", options->csv, "print one row per (algorithm, seed, delta) instead of a summary");
  command->footer(
      "Examples:\n  tasfg simulate --graph ring -a tas-fg,ucb-fg-e --seeds 0-99\n"
      "  tasfg simulate --graph loopy-star --conventions reference --stream numpy -a exp3.g --seeds 0-24 "
      "--csv");
  command->callback([options, &status] { status = simulate(*options) ? 0 : 1; });
}

}  // namespace tasfg
