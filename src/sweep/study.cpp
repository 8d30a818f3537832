#include "tasfg/sweep/study.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/solve/allocations.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double parameter(const Case& each, std::string_view name) {
  const auto found = each.parameters.find(name);
  if (found == each.parameters.end()) return kNaN;
  const double* value = std::get_if<double>(&found->second);
  return value != nullptr ? *value : kNaN;
}

std::string text_of(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                        std::holds_alternative<double>(value) ? to_text(std::get<double>(value))
                                                              : std::get<std::string>(value));
  return text;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ResultLayout layout_of(const Grid& grid, const Provenance& provenance, const std::string& shard) {
  ResultLayout layout;
  layout.seed = grid.options.master_seed;
  layout.max_steps = grid.options.max_steps;
  layout.setting = kSettingNames[grid.options.setting];
  layout.conventions = grid.conventions;
  layout.convention_points = points_text(grid.options.conventions);
  layout.threshold = row_of(grid.options.threshold).name;
  layout.stream = kStreamNames[grid.options.stream];
  layout.results_version = std::to_string(kResultsVersion);
  for (const Case& each : grid.cases) {
    CaseInfo info{each.graph,
                  each.label,
                  text_of(each.parameters),
                  std::string(row_of(each.reward).name),
                  to_string(each.observability),
                  each.K,
                  each.best,
                  parameter(each, "p"),
                  parameter(each, "q"),
                  parameter(each, "r"),
                  parameter_of(each.reward, "variance").value_or(kNaN),
                  static_cast<std::int64_t>(each.edges),
                  each.key.value,
                  each.means};
    layout.cases.push_back(std::move(info));
  }
  for (const JobAlgorithm& each : grid.algorithms)
    layout.algorithms.push_back({each.algorithm.name, each.options});
  layout.delta = grid.delta;
  layout.log_inv_delta = grid.log_inv_delta;
  layout.replications = grid.replications;
  layout.job = grid.text;
  layout.job_overrides = fmt::format("{}", fmt::join(grid.overrides, "\n"));
  layout.job_name = grid.name;
  layout.job_origin = grid.origin;
  layout.shard = shard;
  layout.code_version = provenance.version;
  layout.git_commit = provenance.commit;
  layout.build = provenance.build;
  layout.created = iso_time();
  return layout;
}

CaseResult solve_case(const Grid& grid, std::size_t case_index) {
  const auto start = std::chrono::steady_clock::now();
  const Instance instance = grid.instance(case_index);
  const ModelView model = view_of(instance);
  const CharacteristicTime time = characteristic_time(instance);
  CaseResult result;
  result.T_star = time.upper;
  result.T_star_lower = time.lower;
  result.omega = time.allocation;
  result.m = time.observation;
  result.face_dimension = time.face_dimension;
  result.iterations = time.iterations;
  result.omega_heuristic = heuristic_allocation(model);
  result.T_heuristic = time_of(model, result.omega_heuristic);
  result.T_uniform = time_of(model, uniform_allocation(model.K));
  result.tv_heuristic = total_variation(result.omega, result.omega_heuristic);
  double squares = 0.0;
  for (const double m : result.m) squares += m * m;
  result.m_norm = std::sqrt(squares);
  const GraphQuantities quantities = graph_quantities(instance.graph());
  result.alpha = quantities.independence.lower;
  result.alpha_upper = quantities.independence.upper;
  result.weak_domination = quantities.weak_domination.upper;
  result.weak_domination_lower = quantities.weak_domination.lower;
  result.domination = quantities.domination.upper;
  result.self_loops = static_cast<std::int32_t>(quantities.self_loops.size());
  if (time.status != SolveStatus::solved)
    throw std::runtime_error(
        fmt::format("the solver {} at a relative gap of {:.1e}", to_string(time.status), time.gap()));
  result.status = TaskStatus::done;
  result.seconds = seconds_since(start);
  return result;
}

TaskRunner::TaskRunner(const Grid& grid) : grid_(grid), case_index_(grid.cases.size()) {}

bool TaskRunner::run(std::int64_t cell, std::int64_t seed, const std::atomic<bool>& cancel, RunRow row) {
  const std::size_t case_index = static_cast<std::size_t>(cell) / grid_.algorithms.size();
  const std::size_t algorithm = static_cast<std::size_t>(cell) % grid_.algorithms.size();
  const auto start = std::chrono::steady_clock::now();
  if (case_index != case_index_) {
    simulation_.reset();
    case_index_ = grid_.cases.size();  // until both are built
    instance_ = std::make_unique<Instance>(grid_.instance(case_index));
    simulation_ = std::make_unique<Simulation>(*instance_, grid_.options);
    case_index_ = case_index;
  }
  const TrajectoryRecord record = simulation_->run(grid_.algorithms[algorithm].algorithm, grid_.log_inv_delta,
                                                   static_cast<std::uint64_t>(seed), &cancel);
  if (record.status == RunStatus::cancelled) return false;
  row.set_status(record.status == RunStatus::done ? TaskStatus::done : TaskStatus::capped);
  row.steps() = record.steps;
  for (std::size_t d = 0; d < record.at.size(); ++d) {
    const StoppingTime& at = record.at[d];
    row.set_verdict(d, {at.tau, at.recommended, static_cast<std::int8_t>(at.correct ? 1 : 0),
                        static_cast<std::int8_t>(at.status == RunStatus::done ? 1 : 0)});
  }
  std::copy(record.pulls.begin(), record.pulls.end(), row.pulls().begin());
  const ConstRunRow complete(row.words().data(), {record.at.size(), row.pulls().size()});
  row.stamp() =
      checksum(complete, record.at.size());  // here, where there are many cores, not at the coordinator
  row.set_seconds(seconds_since(start));
  return true;
}

}  // namespace tasfg
