#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <thread>

#include "commands.hpp"
#include "instance_options.hpp"
#include <fmt/format.h>

#include "tasfg/algo/rule_library.hpp"
#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/sim/trajectory.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

struct Options {
  InstanceOptions instance;
  std::string algorithms = "tas-fg";
  std::string seeds = "0-9";
  std::string log_inv_delta, delta;
  std::string setting = "informed", conventions = "paper", stream = "philox", threshold = "practical";
  std::vector<std::string> points, algorithm_options, rules;
  double max_steps = 1e9;
  bool no_skip = false;
  double master_seed = 0;
  int threads = 0;
  bool csv = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

std::uint64_t whole(std::string_view text, const std::string& where, double high) {
  const double value = parse_number(text, where);
  if (value != std::floor(value) || value < 0 || value > high)
    throw InputError(where, bad_value(value, fmt::format("must be a whole number from 0 to {}", high)));
  return static_cast<std::uint64_t>(value);
}

/// "0-9", "0,3,7", "5" and mixtures.
std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  constexpr double kLargest = 4294967295.0;
  constexpr std::size_t kMost = 10'000'000;
  std::vector<std::uint64_t> seeds;
  for (const std::string& part : split(text)) {
    const auto dash = part.find('-', 1);
    const std::uint64_t first = whole(part.substr(0, dash), "--seeds", kLargest);
    const std::uint64_t last =
        dash == std::string::npos ? first : whole(part.substr(dash + 1), "--seeds", kLargest);
    if (last < first) throw InputError("--seeds", bad_state(in_quotes(part), "the range runs backwards"));
    if (last - first >= kMost || seeds.size() >= kMost)
      throw InputError("--seeds", bad_state(in_quotes(part), fmt::format("at most {} seeds", kMost)));
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  }
  return seeds;
}

std::vector<double> parse_deltas(const Options& options) {
  if (!options.log_inv_delta.empty() && !options.delta.empty())
    throw InputError("--log-inv-delta and --delta", bad_state("both list confidences", "give one"));
  if (!options.delta.empty()) {
    std::vector<double> values = parse_numbers(options.delta, "--delta");
    for (double& value : values) {
      if (!(value > 0.0 && value < 1.0))
        throw InputError("--delta", bad_value(value, "must lie strictly between 0 and 1"));
      value = -log(value);
    }
    return values;
  }
  std::vector<double> values = parse_numbers(
      options.log_inv_delta.empty() ? "1,2.2,3.4,4.6,5.8,7" : options.log_inv_delta, "--log-inv-delta");
  for (const double value : values)
    if (!(value > 0.0 && value <= 700.0))
      throw InputError("--log-inv-delta", bad_value(value, "ln(1/delta) must lie in (0, 700]"));
  return values;
}

/// A whole number that a double holds exactly.
std::int64_t whole(double value, int low, double high, const char* option) {
  if (!(value >= low && value <= high && value == std::floor(value)))
    throw InputError(
        option, bad_value(value, fmt::format("must be a whole number from {} to {}", low, to_text(high))));
  return static_cast<std::int64_t>(value);
}

SimulationOptions simulation_options(const Options& options) {
  SimulationOptions out;
  out.setting = named_value(kSettingNames, options.setting, "--setting");
  out.stream = named_value(kStreamNames, options.stream, "--stream");
  out.conventions = conventions_named(options.conventions, "--conventions");
  for (const std::string& point : options.points) {
    const auto equals = point.find('=');
    if (equals == std::string::npos)
      throw InputError("--set", bad_state(in_quotes(point), "must be point=value"));
    set_convention(out.conventions, point.substr(0, equals), point.substr(equals + 1), "--set");
  }
  out.threshold = threshold_named(options.threshold, "--threshold");
  out.max_steps = whole(options.max_steps, 1, static_cast<double>(kMostDraws), "--max-steps");
  out.skip = !options.no_skip;
  out.master_seed = static_cast<std::uint64_t>(whole(options.master_seed, 0, 9e15, "--master-seed"));
  return out;
}

std::vector<Algorithm> parse_algorithms(const Options& options) {
  RuleLibraries libraries;
  for (const std::string& path : options.rules) libraries.load(path, "--rule");
  std::vector<Algorithm> algorithms;
  for (const std::string& name : split(options.algorithms)) {
    algorithms.push_back(libraries.algorithm(name, "--algorithm"));
    for (std::size_t i = 0; i + 1 < algorithms.size(); ++i)
      if (algorithms[i].name == name) throw InputError("--algorithm", remark(name + " stands twice"));
  }
  for (const std::string& text : options.algorithm_options) {
    // The name may hold a dot (exp3.g), so the option starts after the last one before '='.
    const auto equals = text.find('=');
    const auto dot = text.rfind('.', equals);
    if (equals == std::string::npos || dot == std::string::npos)
      throw InputError("-A", bad_state(in_quotes(text), "must be algorithm.option=value"));
    const std::string name = text.substr(0, dot);
    bool found = false;
    for (Algorithm& algorithm : algorithms) {
      if (algorithm.name != name) continue;
      set_option(algorithm, text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1), "-A");
      found = true;
    }
    if (!found)
      throw InputError(
          "-A", bad_state(in_quotes(text), fmt::format("{} is not among --algorithm", quotable(name))));
  }
  return algorithms;
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
  const SimulationOptions simulation_settings = simulation_options(options);
  const std::vector<Algorithm> algorithms = parse_algorithms(options);
  const std::vector<std::uint64_t> seeds = parse_seeds(options.seeds);
  const std::vector<double> log_inv_delta = parse_deltas(options);
  if (options.threads < 0 || options.threads > 1024)
    throw InputError("--threads", bad_value(options.threads, "must lie in 0..1024; 0 means all cores"));
  const Instance instance = options.instance.instance(options.conventions);
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
  const std::size_t threads =
      std::min<std::size_t>(tasks, options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                                       : std::max(1U, std::thread::hardware_concurrency()));
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
  options->instance.add_to(*command);
  command->add_option("-a,--algorithm", options->algorithms, "algorithms, comma-separated (see `tasfg list`)")
      ->capture_default_str();
  command
      ->add_option("-A,--algorithm-option", options->algorithm_options,
                   "an algorithm's option, as algorithm.option=value; repeatable")
      ->allow_extra_args(false);
  command
      ->add_option("--rule", options->rules,
                   "shared library of rules of your own (include/tasfg/rule.h), to be named in --algorithm; "
                   "repeatable")
      ->allow_extra_args(false);
  command->add_option("--seeds", options->seeds, "0-9, or 0,3,7")->capture_default_str();
  command->add_option("--log-inv-delta", options->log_inv_delta,
                      "values of ln(1/delta) (default 1,2.2,3.4,4.6,5.8,7)");
  command->add_option("--delta", options->delta, "values of delta instead");
  command->add_option("--setting", options->setting, "informed, uninformed or known-graph")
      ->capture_default_str();
  command->add_option("--conventions", options->conventions, "paper, or reference (the published data)")
      ->capture_default_str();
  command->add_option("--set", options->points, "one point of the conventions, as point=value; repeatable")
      ->allow_extra_args(false);
  command
      ->add_option("--threshold", options->threshold,
                   fmt::format("{}", fmt::join(names_of(threshold_rows()), ", ")))
      ->capture_default_str();
  command->add_option("--stream", options->stream, "philox, or numpy to replay the published runs")
      ->capture_default_str();
  command->add_option("--master-seed", options->master_seed, "of the philox streams")->capture_default_str();
  command->add_flag("--no-skip", options->no_skip, "make every draw by itself; same results, slower");
  command->add_option("--max-steps", options->max_steps, "draws after which a run is capped")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "worker threads (0: all cores)")->capture_default_str();
  command->add_flag("--csv", options->csv, "print one row per (algorithm, seed, delta) instead of a summary");
  command->footer(
      "Examples:\n  tasfg simulate --graph ring -a tas-fg,ucb-fg-e --seeds 0-99\n"
      "  tasfg simulate --graph loopy-star --conventions reference --stream numpy -a exp3.g --seeds 0-24 "
      "--csv");
  command->callback([options, &status] { status = simulate(*options) ? 0 : 1; });
}

}  // namespace tasfg
