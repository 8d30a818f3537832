#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "batch_script.hpp"
#include "commands.hpp"
#include "provenance.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/sweep/cost_model.hpp"
#include "tasfg/sweep/progress.hpp"
#include "tasfg/sweep/sweep.hpp"
#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {
namespace {

struct Price {
  double runs = 0.0, steps = 0.0, seconds = 0.0, longest = 0.0;
};

std::vector<CaseSolution> solve_all(const Grid& grid) {
  std::vector<CaseSolution> solutions(grid.cases.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t c = next++; c < solutions.size(); c = next++) {
      try {
        solutions[c] = solve_case(grid, CaseId(c));
      } catch (const std::exception&) {  // the sweep will say so; here it has no price
      }
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 1; i < available_cores(); ++i) threads.emplace_back(work);
  work();
  return solutions;
}

/// What a job is expected to cost.
struct Plan {
  Grid grid;
  ResultLayout layout;
  Price all;
  std::vector<Price> by_algorithm;
};

// A run's length varies; the longest of a cell is some three times its mean.
constexpr double kLongestTail = 3.0;

Plan make_plan(const std::string& job, const std::vector<std::string>& overrides) {
  Plan plan{read_study(job, overrides), {}, {}, {}};
  const Grid& grid = plan.grid;
  Price& all = plan.all;
  const std::vector<CaseSolution> solutions = solve_all(grid);
  plan.layout = layout_of(grid, program_provenance(), "");
  for (const CaseSolution& solution : solutions)
    if (std::isfinite(solution.seconds)) {
      all.seconds += solution.seconds;
      all.longest = std::max(all.longest, solution.seconds);
    }
  plan.by_algorithm.resize(grid.algorithms.size());
  for (std::size_t a = 0; a < grid.algorithms.size(); ++a) {
    Price& price = plan.by_algorithm[a];
    for (std::size_t c = 0; c < grid.cases.size(); ++c) {
      if (solutions[c].status != TaskStatus::done) continue;
      const double runs = expected_runs(grid, CaseId(c), AlgorithmId(a), solutions[c]);
      const double seconds = expected_seconds(grid, CaseId(c), AlgorithmId(a), solutions[c]);
      price.runs += runs;
      price.steps += runs * expected_steps(grid, CaseId(c), AlgorithmId(a), solutions[c]);
      price.seconds += runs * seconds;
      price.longest = std::max(price.longest, seconds);
    }
    all.runs += price.runs;
    all.steps += price.steps;
    all.seconds += price.seconds;
    all.longest = std::max(all.longest, price.longest);
  }
  return plan;
}

void show_plan(const std::string& job, const std::vector<std::string>& overrides) {
  const auto [grid, layout, all, by_algorithm] = make_plan(job, overrides);
  fmt::print("{}: job \"{}\"{}\n", job, grid.name,
             grid.origin != job
                 ? fmt::format(", as a result file holds it (tasfg status {} says what is done)", job)
                 : "");
  fmt::print("  cases             {}  (K up to {})\n", grid.cases.size(), grid.largest_K);
  fmt::print("  runs              {}  ({} algorithms, {} seeds, {} values of delta each)\n", layout.tasks(),
             grid.algorithms.size(), grid.replications, grid.delta.size());
  if (grid.precision.asked())
    fmt::print("  precision         {}: about {:.0f} of these runs\n", grid.precision.text(), all.runs);
  fmt::print("  result file       {:.1f} MB\n", static_cast<double>(file_size(layout)) / 1e6);
  fmt::print("  expected          {} of one core ({:.3g} core-hours), {} steps\n", duration_text(all.seconds),
             all.seconds / 3600.0, count_text(all.steps));
  if (!grid.algorithms.empty()) {
    fmt::print("\n  {:<18}{:>12}{:>12}{:>16}{:>16}\n", "algorithm", "runs", "steps", "one core",
               "longest run");
    for (std::size_t a = 0; a < by_algorithm.size(); ++a)
      fmt::print("  {:<18}{:>12.0f}{:>12}{:>16}{:>16}\n", grid.algorithms[a].algorithm.name,
                 by_algorithm[a].runs, count_text(by_algorithm[a].steps),
                 duration_text(by_algorithm[a].seconds), duration_text(by_algorithm[a].longest));
  }
  fmt::print("\n  {:<18}{:>16}{:>14}\n", "cores", "makespan", "efficiency");
  for (const double cores : {1.0, 2.0, 4.0, 16.0, 64.0, 256.0, 1024.0}) {
    const double makespan = std::max(all.seconds / cores, cores > 1.0 ? kLongestTail * all.longest : 0.0);
    fmt::print("  {:<18}{:>16}{:>12.0f} %\n", cores, duration_text(makespan),
               makespan > 0.0 ? 100.0 * all.seconds / (cores * makespan) : 100.0);
    if (cores > 1.0 && makespan > all.seconds / cores) break;
  }
  fmt::print(
      "\n  Expected times are within a factor of three as a rule; the sweep corrects them as it measures.\n");
}

void show_script(const std::string& path, const std::vector<std::string>& overrides,
                 const BatchOptions& options) {
  const Plan plan = make_plan(path, overrides);
  BatchJob job;
  job.path = path;
  job.name = plan.grid.name;
  job.overrides = overrides;
  job.seconds = plan.all.seconds;
  job.longest = kLongestTail * plan.all.longest;
  job.tasks = static_cast<double>(plan.layout.tasks());
  job.cases = static_cast<double>(plan.grid.cases.size());
  job.largest_K = plan.grid.largest_K;
  fmt::print("{}", batch_script(job, options));
}

}  // namespace

void add_plan_command(Command& app, int& status) {
  struct Options {
    std::string job;
    std::vector<std::string> overrides;
    bool script = false;
    BatchOptions batch;
  };
  const auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand(
      "plan", "JOB.toml: dry run: cases, tasks, expected core-hours, file size, makespan against cores");
  command->add_option("job", options->job, "job file")->required();
  command->add_option("--set", options->overrides, "change a key of the job, as key=value; repeatable")
      ->allow_extra_args(false);
  BatchOptions& batch = options->batch;
  Option* script =
      command->add_flag("--sbatch", options->script,
                        "write a SLURM script instead, filled in for this job; the rest are its options");
  const auto of_script = [&](Option* option) { option->needs(script)->group("Options of --sbatch"); };
  constexpr int kMost = 1'000'000;
  of_script(command->add_option("-o,--output", batch.output, "result file (default: the job's name, .h5)"));
  of_script(command->add_option("--partition", batch.partition, "SLURM partition"));
  of_script(command->add_option("--account", batch.account, "SLURM account"));
  of_script(command->add_option("--qos", batch.qos, "SLURM quality of service"));
  of_script(command->add_option("--constraint", batch.constraint, "features that nodes must have"));
  of_script(command->add_option("--mail-user", batch.mail_user, "whom to tell of the end and of failures"));
  of_script(
      command
          ->add_option(
              "--array", batch.array,
              "so many parts, each an element of an array of one-process jobs; `tasfg merge` joins them")
          ->whole(1, kMost));
  of_script(command->add_option(
      "--prolog", batch.prolog,
      "file of shell commands that come first: modules, environments (default: the one that "
      "TASFG_PROLOG names)"));
  of_script(command->add_option("--nodes", batch.nodes, "nodes (default: 1)")->whole(1, kMost));
  of_script(command->add_option("--ntasks-per-node", batch.tasks_per_node, "ranks on each (default: 1)")
                ->whole(1, kMost));
  of_script(command
                ->add_option("--cpus-per-task", batch.cpus_per_task,
                             "threads of each rank (default: what the job can use, up to a node's CPUs)")
                ->whole(1, kMost));
  of_script(command->add_option("--time", batch.time,
                                "time limit, as 2:00:00 (default: from the plan, with a margin)"));
  of_script(command->add_option("--mem-per-cpu", batch.megabytes_per_cpu, "MB (default: from the plan)")
                ->whole(1, kMost));
  command->footer(
      "Examples:\n  tasfg plan jobs/paper-main.toml --set replications=1000\n"
      "  tasfg plan jobs/paper-main.toml --sbatch --partition=long -o main.h5 > main.sbatch && sbatch "
      "main.sbatch");
  command->callback([options, &status] {
    if (const char* site = std::getenv("TASFG_PROLOG"); site != nullptr && options->batch.prolog.empty())
      options->batch.prolog = site;
    options->batch.program = std::filesystem::canonical("/proc/self/exe").string();
    if (options->script)
      show_script(options->job, options->overrides, options->batch);
    else
      show_plan(options->job, options->overrides);
    status = 0;
  });
}

}  // namespace tasfg
