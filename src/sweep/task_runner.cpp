#include "tasfg/sweep/task_runner.hpp"

#include <chrono>
#include <limits>

namespace tasfg {

CaseSolution solve_case(const Grid& grid, CaseId case_id) {
  return solve_case(grid.instance(case_id), grid.options, grid.log_inv_delta);
}

const ErrorSampler* ErrorSamplers::of(CellId id, const std::atomic<bool>& cancel) {
  Cell* cell = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    cell = &cells_[id];
  }
  const std::scoped_lock lock(cell->mutex);
  if (cell->sampler == nullptr) {
    const CellGrid cells = grid_.cell_grid();
    cell->instance = std::make_unique<Instance>(grid_.instance(cells.case_of(id)));
    cell->simulation = std::make_unique<Simulation>(*cell->instance, grid_.options);
    auto sampler = std::make_unique<ErrorSampler>(
        *cell->simulation, grid_.at(cells.algorithm_of(id)).algorithm, grid_.log_inv_delta, 1, &cancel);
    if (cancel) return nullptr;
    cell->sampler = std::move(sampler);
  }
  return cell->sampler.get();
}

TaskRunner::TaskRunner(const Grid& grid, ErrorSamplers& samplers)
    : grid_(grid), samplers_(samplers), cells_(grid.cell_grid()) {}

RunRecord TaskRunner::run(RunName name, const std::atomic<bool>& cancel) {
  if (grid_.options.measure == Measure::time) {
    const auto start = std::chrono::steady_clock::now();
    RunRecord record = plain_run(name, cancel);
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return record;
  }
  const ErrorSampler* sampler = samplers_.of(name.cell, cancel);
  if (sampler == nullptr) return {};
  const auto start = std::chrono::steady_clock::now();  // pilot runs are nobody's own
  RunRecord record = sampler->run(static_cast<std::uint64_t>(name.seed), &cancel);
  for (std::size_t d = 0; d < record.log_weight.size(); ++d)
    if (!sampler->trusted(d)) record.log_weight[d] = std::numeric_limits<double>::infinity();  // no estimate
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

RunRecord TaskRunner::plain_run(RunName name, const std::atomic<bool>& cancel) {
  const CaseId wanted = cells_.case_of(name.cell);
  if (simulation_ == nullptr || wanted != case_) {
    simulation_.reset();
    instance_ = std::make_unique<Instance>(grid_.instance(wanted));
    simulation_ = std::make_unique<Simulation>(*instance_, grid_.options);
    case_ = wanted;
  }
  return simulation_->run(grid_.at(cells_.algorithm_of(name.cell)).algorithm, grid_.log_inv_delta,
                          static_cast<std::uint64_t>(name.seed), &cancel);
}

}  // namespace tasfg
