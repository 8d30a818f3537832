#include "run_options.hpp"

#include <cmath>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "tasfg/algo/rule_library.hpp"
#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"

namespace tasfg {
namespace {

constexpr double kMostMasterSeed = 9e15;  // a whole number that a double holds exactly

}  // namespace

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

std::vector<double> RunOptions::log_inv_delta() const {
  if (!log_inv_delta_.empty() && !delta_.empty())
    throw InputError("--log-inv-delta and --delta", bad_state("both list confidences", "give one"));
  if (!delta_.empty()) {
    std::vector<double> values = parse_numbers(delta_, "--delta");
    for (double& value : values) {
      if (!(value > 0.0 && value < 1.0))
        throw InputError("--delta", bad_value(value, "must lie strictly between 0 and 1"));
      value = -log(value);
    }
    return values;
  }
  std::vector<double> values =
      parse_numbers(log_inv_delta_.empty() ? "1,2.2,3.4,4.6,5.8,7" : log_inv_delta_, "--log-inv-delta");
  for (const double value : values)
    if (!(value > 0.0 && value <= 700.0))
      throw InputError("--log-inv-delta", bad_value(value, "ln(1/delta) must lie in (0, 700]"));
  return values;
}

SimulationOptions RunOptions::simulation() const {
  SimulationOptions out;
  out.setting = named_value(kSettingNames, setting_, "--setting");
  out.stream = named_value(kStreamNames, stream_, "--stream");
  out.conventions = conventions_named(conventions_, "--conventions");
  for (const std::string& point : points_) {
    const auto equals = point.find('=');
    if (equals == std::string::npos)
      throw InputError("--set", bad_state(in_quotes(point), "must be point=value"));
    set_convention(out.conventions, point.substr(0, equals), point.substr(equals + 1), "--set");
  }
  out.threshold = threshold_named(threshold_, "--threshold");
  out.max_steps = static_cast<std::int64_t>(max_steps_);
  out.skip = !no_skip_;
  out.master_seed = static_cast<std::uint64_t>(master_seed_);
  return out;
}

std::vector<Algorithm> RunOptions::algorithms() const {
  RuleLibraries libraries;
  for (const std::string& path : rules_) libraries.load(path, "--rule");
  std::vector<Algorithm> algorithms;
  for (const std::string& name : split_list(algorithms_)) {
    algorithms.push_back(libraries.algorithm(name, "--algorithm"));
    for (std::size_t i = 0; i + 1 < algorithms.size(); ++i)
      if (algorithms[i].name == name) throw InputError("--algorithm", remark(name + " stands twice"));
  }
  for (const std::string& text : algorithm_options_) {
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

std::size_t RunOptions::threads() const {
  return threads_ > 0 ? static_cast<std::size_t>(threads_)
                      : std::max(1U, std::thread::hardware_concurrency());
}

void RunOptions::add_to(Command& app) {
  instance_.add_to(app);
  app.add_option("-a,--algorithm", algorithms_, "algorithms, comma-separated (see `tasfg list`)")
      ->capture_default_str();
  app.add_option("-A,--algorithm-option", algorithm_options_,
                 "an algorithm's option, as algorithm.option=value; repeatable")
      ->allow_extra_args(false);
  app.add_option("--rule", rules_,
                 "shared library of rules of your own (include/tasfg/rule.h), to be named in --algorithm; "
                 "repeatable")
      ->allow_extra_args(false);
  app.add_option("--log-inv-delta", log_inv_delta_, "values of ln(1/delta) (default 1,2.2,3.4,4.6,5.8,7)");
  app.add_option("--delta", delta_, "values of delta instead");
  app.add_option("--setting", setting_, "informed, uninformed or known-graph")->capture_default_str();
  app.add_option("--conventions", conventions_, "paper, or reference (the published data)")
      ->capture_default_str();
  app.add_option("--set", points_, "one point of the conventions, as point=value; repeatable")
      ->allow_extra_args(false);
  app.add_option("--threshold", threshold_, fmt::format("{}", fmt::join(names_of(threshold_rows()), ", ")))
      ->capture_default_str();
  app.add_option("--stream", stream_, "philox, or numpy to replay the published runs")->capture_default_str();
  app.add_option("--master-seed", master_seed_, "of the philox streams")
      ->whole(0, kMostMasterSeed)
      ->capture_default_str();
  app.add_flag("--no-skip", no_skip_, "make every draw by itself; same results, slower");
  app.add_option("--max-steps", max_steps_, "draws after which a run is capped")
      ->whole(1, static_cast<double>(kMostDraws))
      ->capture_default_str();
  app.add_option("--threads", threads_, "worker threads (0: all cores)")
      ->whole(0, kMostThreads, "0 means all cores")
      ->capture_default_str();
}

}  // namespace tasfg
