#include <cmath>
#include <memory>

#include "commands.hpp"
#include "run_options.hpp"
#include <fmt/format.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/error_probability.hpp"

namespace tasfg {
namespace {

constexpr double kMostRuns = 1e8;

struct ErrorOptions {
  RunOptions run;
  double runs = 1e5;
  bool plain = false;
  bool csv = false;
};

std::string csv_row(const Algorithm& algorithm, double log_inv_delta, const ErrorEstimate& estimate) {
  return fmt::format("{},{},{},{},{},{},{},{}\n", algorithm.name, to_text(log_inv_delta),
                     to_text(estimate.error), to_text(estimate.std_error), to_text(estimate.lower),
                     to_text(estimate.upper), estimate.runs, to_text(estimate.ess));
}

std::string table_row(const Algorithm& algorithm, double log_inv_delta, const ErrorEstimate& estimate) {
  const std::string interval = estimate.has_interval()
                                   ? fmt::format("[{:.3g}, {:.3g}]", estimate.lower, estimate.upper)
                                   : "none: not to be trusted";
  return fmt::format("{:<16} {:>13.6g} {:>12.4g} {:>26} {:>10.1f} {:>8.3f} {:>12.4g}\n", algorithm.name,
                     log_inv_delta, estimate.error, interval, estimate.ess, estimate.largest_share,
                     estimate.error * exp(log_inv_delta));
}

void measure(const ErrorOptions& options) {
  const SimulationOptions settings = options.run.simulation();
  const std::vector<Algorithm> algorithms = options.run.algorithms();
  const std::vector<double> log_inv_delta = options.run.log_inv_delta();
  const auto threads = static_cast<int>(options.run.threads());
  const Instance instance = options.run.instance();
  const Simulation simulation(instance, settings);
  for (const Algorithm& algorithm : algorithms) simulation.check(algorithm);

  if (options.csv)
    fmt::print("algorithm,log_inv_delta,error,std_error,lower,upper,runs,ess\n");
  else
    fmt::print("{:<16} {:>13} {:>12} {:>26} {:>10} {:>8} {:>12}\n", "algorithm", "ln(1/delta)", "error",
               "95 % interval", "ess", "largest", "error/delta");
  for (const Algorithm& algorithm : algorithms) {
    const std::vector<ErrorEstimate> estimates =
        measured_error(simulation, algorithm, log_inv_delta, static_cast<std::int64_t>(options.runs),
                       options.plain ? ErrorMethod::plain : ErrorMethod::weighted, threads);
    for (std::size_t d = 0; d < log_inv_delta.size(); ++d)
      fmt::print("{}", (options.csv ? csv_row : table_row)(algorithm, log_inv_delta[d], estimates[d]));
    std::fflush(stdout);
  }
}

}  // namespace

void add_error_command(Command& app, int& status) {
  const auto options = std::make_shared<ErrorOptions>();
  Command* command = app.add_subcommand(
      "error", "one instance: the probability of a wrong answer at every delta, however small");
  options->run.add_to(*command);
  command->add_option("--runs", options->runs, "weighted runs, after the pilot's")
      ->whole(1, kMostRuns)
      ->capture_default_str();
  command->add_flag("--plain", options->plain, "plain Monte Carlo instead: sees errors that are not rare");
  command->add_flag("--csv", options->csv, "print one row per (algorithm, delta) instead of a table");
  command->footer(
      "ess: the effective number of runs behind the estimate; largest: the share of one run in it.\n"
      "There is no interval (nan) where less than 20 runs count, one of them for more than a fifth, or the\n"
      "two pilots, which search apart from each other for ways to err, contradict each other or the runs.\n"
      "Examples:\n  tasfg error --graph ring -a tas-fg,uniform --delta 0.1,1e-6,1e-12\n"
      "  tasfg error --graph loopy-star --conventions reference --log-inv-delta 7 --runs 1e6 --plain --csv");
  command->callback([options, &status] {
    measure(*options);
    status = 0;
  });
}

}  // namespace tasfg
