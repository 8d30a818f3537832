#include "tasfg/sweep/task_runner.hpp"

#include <chrono>

namespace tasfg {

CaseSolution solve_case(const Grid& grid, CaseId case_id) {
  return solve_case(grid.instance(case_id.value()), grid.options, grid.log_inv_delta);
}

TaskRunner::TaskRunner(const Grid& grid) : grid_(grid), cells_{grid.cases.size(), grid.algorithms.size()} {}

RunRecord TaskRunner::run(RunName name, const std::atomic<bool>& cancel) {
  const auto start = std::chrono::steady_clock::now();
  const CaseId wanted = cells_.case_of(name.cell);
  if (simulation_ == nullptr || wanted != case_) {
    simulation_.reset();
    instance_ = std::make_unique<Instance>(grid_.instance(wanted.value()));
    simulation_ = std::make_unique<Simulation>(*instance_, grid_.options);
    case_ = wanted;
  }
  RunRecord record = simulation_->run(grid_.algorithms[cells_.algorithm_of(name.cell).value()].algorithm,
                                      grid_.log_inv_delta, static_cast<std::uint64_t>(name.seed), &cancel);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

}  // namespace tasfg
