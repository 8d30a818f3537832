/// Tasks as a worker runs them.
#pragma once

#include <atomic>
#include <memory>

#include "tasfg/job/job.hpp"
#include "tasfg/sim/case_record.hpp"
#include "tasfg/sim/task.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

/// Runs tasks of a grid, one after the other; keeps the last case built, since neighbours share it. One for
/// each thread.
class TaskRunner {
 public:
  explicit TaskRunner(const Grid& grid);
  /// Runs one trajectory; its status is pending where it was cancelled.
  [[nodiscard]] RunRecord run(RunName name, const std::atomic<bool>& cancel);

 private:
  const Grid& grid_;
  CellGrid cells_;
  CaseId case_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Simulation> simulation_;
};

/// Solves one case of a grid.
[[nodiscard]] CaseSolution solve_case(const Grid& grid, CaseId case_id);

}  // namespace tasfg
