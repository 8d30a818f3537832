/// A job as the result file sees it, and its tasks as a worker runs them.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tasfg/io/result_layout.hpp"
#include "tasfg/io/result_rows.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

/// What the program is, for the result file.
struct Provenance {
  std::string version, commit, build;
};

[[nodiscard]] ResultLayout layout_of(const Grid& grid, const Provenance& provenance,
                                     const std::string& shard);

/// Solves one case: T* with its certificate, the other allocations, the graph's quantities.
[[nodiscard]] CaseResult solve_case(const Grid& grid, std::size_t case_index);

/// Runs tasks of a grid, one after the other; keeps the last case built, since neighbours share it. One for
/// each thread.
class TaskRunner {
 public:
  explicit TaskRunner(const Grid& grid);
  /// Fills the row of (cell, seed); false where it was cancelled.
  bool run(std::int64_t cell, std::int64_t seed, const std::atomic<bool>& cancel, RunRow row);

 private:
  const Grid& grid_;
  std::size_t case_index_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace tasfg
