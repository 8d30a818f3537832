/// A sweep: one coordinator (rank 0, which works too) and workers, until the job is done or interrupted.
#pragma once

#include <string>
#include <vector>

#include "tasfg/base/elementary.hpp"
#include "tasfg/sweep/grid_layout.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/shard.hpp"

namespace tasfg {

struct SweepOptions {
  std::string job;
  std::string output;
  std::vector<std::string> overrides;
  int threads = 0;  // 0: this rank's share of the cores
  Shard shard;
  double walltime = kInfinity;  // seconds from the start
  bool requeue = false;      // have SLURM queue the job again when the walltime, or SIGUSR1, ends the sweep
  double lost_after = 60.0;  // seconds without a sign of life after which a rank counts as lost
  bool retry_failed = false;
  bool quiet = false;
  char** arguments = nullptr;  // to start the process anew after a crash
  Provenance provenance;
};

/// Runs it; returns the exit status. Every rank calls it with the same options, after catch_interruptions.
/// Errors are thrown at rank 0 alone; the others return its status quietly.
[[nodiscard]] int run_sweep(const SweepOptions& options, Link& link);

/// Reports are large and come and go: has malloc keep the memory of the last for the next, which would
/// otherwise cost more time than what is done with it.
void keep_memory();

/// An InputError where a file at `path` could not be made because of its folder.
void expect_folder_of(const std::string& path);

/// Cores that this process may use.
[[nodiscard]] int available_cores();
/// This rank's share of the cores that it may use. Every rank calls it, since all take part in the count.
[[nodiscard]] int share_of_cores(const Link& link);

}  // namespace tasfg
