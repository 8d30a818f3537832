/// `tasfg plan --sbatch`: jobs/slurm/requeue.sbatch, or array.sbatch, with what a job needs filled in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasfg {

/// What the user wants of SLURM; empty or 0: to be chosen.
struct BatchOptions {
  std::string partition, account, qos, constraint, mail_user, time, output, program;
  std::string prolog;  // a file of commands that come first
  int nodes = 0, tasks_per_node = 0, cpus_per_task = 0, megabytes_per_cpu = 0;
  int array = 0;  // parts, each an element of an array
};

/// What the plan knows of the job.
struct BatchJob {
  std::string path, name;
  std::vector<std::string> overrides;
  double seconds = 0.0;  // of one core
  double longest = 0.0;  // expected makespan on however many cores
  double tasks = 0.0, cases = 0.0;
  int largest_K = 0;
};

/// The script, ready for sbatch. InputError where an option is none that SLURM could take, or the result
/// file's folder is not there. Says on standard error what it had to assume.
[[nodiscard]] std::string batch_script(const BatchJob& job, const BatchOptions& options);

}  // namespace tasfg
