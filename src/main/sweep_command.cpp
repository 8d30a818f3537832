#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "complaint.hpp"
#include "provenance.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/liveness.hpp"
#include "tasfg/sweep/progress.hpp"
#include "tasfg/sweep/slurm.hpp"
#include "tasfg/sweep/sweep.hpp"

namespace tasfg {
namespace {

constexpr double kShortestSilence = 4.0 * kBeat, kLongestSilence = 1e9;  // of a rank, seconds

struct SweepCommandOptions {
  SweepOptions sweep;
  std::string shard, walltime;
};

int sweep(SweepCommandOptions& options, char** arguments) {
  SweepOptions& sweep = options.sweep;
  if (!options.shard.empty()) sweep.shard = parse_shard(options.shard, "--shard");
  if (sweep.requeue && slurm_job().empty())
    throw InputError(
        remark("--requeue-when-out-of-time", "works inside a SLURM job; SLURM_JOB_ID is not set"));
  if (!options.walltime.empty())
    sweep.walltime = parse_duration(options.walltime, "--walltime");
  else if (first_of_launch())
    sweep.walltime = slurm_seconds_left();
  // A link to a file on a scratch disk stays one: what is replaced is the file.
  std::error_code error;
  if (std::filesystem::is_symlink(sweep.output, error) && std::filesystem::exists(sweep.output, error))
    sweep.output = std::filesystem::canonical(sweep.output, error).string();
  sweep.arguments = arguments;
  sweep.provenance = program_provenance();
  Link link;
  try {
    return run_sweep(sweep, link);
  } catch (const std::exception&) {
    // While the others wait for this rank: the launcher ends it when one of them exits, said or not.
    return complain();
  }
}

}  // namespace

void add_sweep_command(Command& app, int& status, char** arguments) {
  const auto options = std::make_shared<SweepCommandOptions>();
  Command* command =
      app.add_subcommand("sweep", "JOB.toml -o OUT.h5: run a job; an existing OUT.h5 of it is continued");
  command->add_option("job", options->sweep.job, "job file (see docs/job-file.md and jobs/)")->required();
  command->add_option("-o,--output", options->sweep.output, "result file, also the checkpoint")->required();
  command
      ->add_option("--set", options->sweep.overrides,
                   "change a key of the job, as key=value; repeatable (replications=10, graph[0].K=[5,10])")
      ->allow_extra_args(false);
  command
      ->add_option("--threads", options->sweep.threads,
                   "worker threads of each rank (0: its share of the cores it may use)")
      ->whole(0, kMostThreads, "0: this rank's share of the cores")
      ->capture_default_str();
  command->add_option("--shard", options->shard,
                      "run part i of n of the grid, as i/n; join with `tasfg merge`");
  command->add_option("--walltime", options->walltime,
                      "start nothing that cannot end in time, as 3600, 10m, 2h or HH:MM:SS (default: SLURM's "
                      "limit, else none)");
  command->add_flag("--requeue-when-out-of-time", options->sweep.requeue,
                    "inside a SLURM job: have it queued again when its time, or SIGUSR1, ends the sweep");
  command
      ->add_option("--lost-after", options->sweep.lost_after,
                   "end when a rank gave no sign of life for so many seconds, as when its host is cut off")
      ->number(kShortestSilence, kLongestSilence,
               fmt::format("must be {} seconds at least", kShortestSilence))
      ->capture_default_str();
  command->add_flag("--retry-failed", options->sweep.retry_failed, "run failed tasks again");
  command->add_flag("-q,--quiet", options->sweep.quiet, "no progress, no summary");
  command->hint([](const std::string& argument) {
    return argument.ends_with(".h5") ? fmt::format("the result file is given as -o {}", argument) : "";
  });
  command->footer(
      "The same bits come out for any number of ranks, threads, shards and interruptions. Kill it at any\n"
      "moment and run the same command again: it goes on. A job that has grown (more replications, another "
      "K,\n"
      "another algorithm, another delta) runs what is missing.\n"
      "Exit status: 0 done, 1 some tasks failed, 2 bad input, 75 interrupted, or the file is being written "
      "by\n"
      "another sweep, and safe to run again.\n\n"
      "Examples:\n  tasfg sweep jobs/default.toml -o out.h5\n"
      "  mpirun -n 4 tasfg sweep jobs/paper-main.toml -o main.h5 --set replications=1000\n"
      "  tasfg sweep jobs/paper-main.toml -o part3.h5 --shard 3/10");
  command->callback([options, arguments, &status] { status = sweep(*options, arguments); });
}

}  // namespace tasfg
