#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <thread>

#include "commands.hpp"
#include "run_options.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/sim/trajectory.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

struct Options {
  RunOptions run;
  std::string seeds = "0-9";
  bool csv = false;
};

/// "0-9", "0,3,7", "5" and mixtures.
std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  constexpr double kLargest = 4294967295.0;
  constexpr std::size_t kMost = 10'000'000;
  std::vector<std::uint64_t> seeds;
  for (const std::string& part : split_list(text)) {
    const auto dash = part.find('-', 1);
    const std::uint64_t first = whole_number(part.substr(0, dash), "--seeds", kLargest);
    const std::uint64_t last =
        dash == std::string::npos ? first : whole_number(part.substr(dash + 1), "--seeds", kLargest);
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

void print_summary(const std::vector<Algorithm>& algorithms, std::size_t seeds,
                   const std::vector<double>& log_inv_delta, const std::vector<RunRecord>& records) {
  fmt::print("{:<16} {:>13} {:>14} {:>14} {:>14} {:>8} {:>8}\n", "algorithm", "ln(1/delta)", "mean tau",
             "median tau", "largest tau", "wrong", "capped");
  for (std::size_t a = 0; a < algorithms.size(); ++a) {
    for (std::size_t d = 0; d < log_inv_delta.size(); ++d) {
      std::vector<double> taus;
      std::size_t wrong = 0, capped = 0;
      double total = 0.0;
      for (std::size_t s = 0; s < seeds; ++s) {
        const RunRecord& record = records[a * seeds + s];
        if (record.status == TaskStatus::failed) continue;
        if (record.stopped[d] == 0)
          ++capped;
        else if (record.correct[d] == 0)
          ++wrong;
        taus.push_back(static_cast<double>(record.tau[d]));
        total += taus.back();
      }
      if (taus.empty()) {
        fmt::print("{:<16} {:>13.6g} {:>14}\n", algorithms[a].name, log_inv_delta[d], "all failed");
        continue;
      }
      std::sort(taus.begin(), taus.end());
      const std::size_t runs = taus.size();
      fmt::print("{:<16} {:>13.6g} {:>14.1f} {:>14.1f} {:>14.0f} {:>8} {:>8}\n", algorithms[a].name,
                 log_inv_delta[d], total / static_cast<double>(runs),
                 0.5 * (taus[(runs - 1) / 2] + taus[runs / 2]), taus.back(), wrong, capped);
    }
  }
}

/// Whether every run came to its end.
bool simulate(const Options& options) {
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
  std::vector<RunRecord> records(tasks);
  std::vector<char> ready(tasks, 0);
  std::size_t printed = 0;
  bool all_ended = true;
  std::mutex output;
  std::atomic<std::size_t> next{0};
  if (options.csv) fmt::print("algorithm,seed,log_inv_delta,tau,recommended,correct,status\n");
  const auto work = [&] {
    for (std::size_t task = next++; task < tasks; task = next++) {
      const Algorithm& algorithm = algorithms[task / seeds.size()];
      RunRecord record;
      std::string failure;
      try {
        record = simulation.run(algorithm, log_inv_delta, seeds[task % seeds.size()]);
      } catch (const std::exception& error) {
        failure = error.what();
        record = failed_run(log_inv_delta.size());
      }
      const std::scoped_lock lock(output);
      if (!failure.empty()) {
        all_ended = false;
        say(fmt::format("{} seed {} failed: {}", algorithm.name, seeds[task % seeds.size()], failure));
      }
      records[task] = std::move(record);
      ready[task] = 1;
      for (; printed < tasks && ready[printed] != 0; ++printed)
        if (options.csv)
          fmt::print("{}", rows_of(algorithms[printed / seeds.size()], seeds[printed % seeds.size()],
                                   log_inv_delta, records[printed]));
    }
  };
  const std::size_t threads = std::min(tasks, most_threads);
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  workers.clear();
  if (!options.csv) print_summary(algorithms, seeds.size(), log_inv_delta, records);
  return all_ended;
}

}  // namespace

void add_simulate_command(Command& app, int& status) {
  const auto options = std::make_shared<Options>();
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
