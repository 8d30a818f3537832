/// Tasks as a worker runs them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "tasfg/job/job.hpp"
#include "tasfg/sim/case_record.hpp"
#include "tasfg/sim/error_probability.hpp"
#include "tasfg/sim/task.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

/// The samplers of weighted runs, which all threads of a process share: the pilot runs of a cell are made
/// once.
class ErrorSamplers {
 public:
  explicit ErrorSamplers(const Grid& grid) : grid_(grid) {}
  /// The sampler of a cell; nothing where its pilot runs were cancelled. Who asks while another thread makes
  /// them waits.
  [[nodiscard]] const ErrorSampler* of(CellId cell, const std::atomic<bool>& cancel);

 private:
  struct Cell {
    std::mutex mutex;
    std::unique_ptr<Instance> instance;
    std::unique_ptr<Simulation> simulation;
    std::unique_ptr<ErrorSampler> sampler;
  };
  const Grid& grid_;
  std::mutex mutex_;
  std::map<CellId, Cell> cells_;
};

/// Runs tasks of a grid, one after the other; keeps the last case built, since neighbours share it. One for
/// each thread.
class TaskRunner {
 public:
  TaskRunner(const Grid& grid, ErrorSamplers& samplers);
  /// Runs one trajectory; its status is pending where it was cancelled.
  [[nodiscard]] RunRecord run(RunName name, const std::atomic<bool>& cancel);

 private:
  const Grid& grid_;
  ErrorSamplers& samplers_;
  CellGrid cells_;
  CaseId case_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Simulation> simulation_;

  [[nodiscard]] RunRecord plain_run(RunName name, const std::atomic<bool>& cancel);
};

/// Solves one case of a grid.
[[nodiscard]] CaseSolution solve_case(const Grid& grid, CaseId case_id);

}  // namespace tasfg
