#include "tasfg/sweep/inventory.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tasfg/sweep/cost_model.hpp"

namespace tasfg {
namespace {

constexpr std::int32_t kSuspectStarts = 3;  // starts without an end after which a run waits for all others

bool crashes_too_often(const CrashCounts& crashes, const TaskName& task) {
  const auto found = crashes.find(task);
  return found != crashes.end() && found->second >= kMostCrashes;
}

std::string crash_text() {
  return fmt::format("crashed its process {} times", kMostCrashes);
}

}  // namespace

Inventory::Inventory(const Grid& grid, ResultWriter& results, Scheduler& scheduler,
                     std::function<void(const std::string&)> say)
    : grid_(grid), results_(results), scheduler_(scheduler), say_(std::move(say)) {}

void Inventory::collect(const Shard& shard, const CrashCounts& crashes) {
  collect_cases(shard, crashes);
  for (CellId cell; cell.value() < scheduler_.grid().cells(); ++cell) collect_runs(cell, shard, crashes);
}

void Inventory::collect_cases(const Shard& shard, const CrashCounts& crashes) {
  const std::vector<TaskStatus> status = results_.file().case_values(&CaseSolution::status);
  for (CaseId id; id.value() < grid_.cases.size(); ++id) {
    // Runs need the solution of their case, whichever shard they are in.
    if (grid_.algorithms.empty() && !shard.holds(id)) continue;
    ++counts_.total;
    if (status[id.value()] != TaskStatus::pending) {
      ++counts_.done;
      if (status[id.value()] == TaskStatus::failed) ++counts_.failed;
      open_cells(id, results_.file().read_case(id));
    } else if (crashes_too_often(crashes, id)) {
      fail_case(id);
    } else {
      scheduler_.add_case(id, expected_solution_seconds(grid_.at(id)));
    }
  }
}

void Inventory::collect_runs(CellId cell, const Shard& shard, const CrashCounts& crashes) {
  const std::vector<TaskStatus> status = results_.file().run_values(&RunRecord::status, cell);
  const std::vector<std::int32_t> attempts = results_.file().run_values(&RunRecord::attempts, cell);
  // Whether the run is to be handed out in its turn; settles what else there is to do about it.
  const auto waits = [&](RunName run) {
    if (!shard.holds(run, grid_.replications)) return false;
    const auto s = static_cast<std::size_t>(run.seed);
    ++counts_.total;
    if (status[s] != TaskStatus::pending) {
      ++counts_.done;
      if (status[s] == TaskStatus::failed) ++counts_.failed;
      return false;
    }
    if (attempts[s] == 0) return true;
    attempts_[run] = attempts[s];
    if (crashes_too_often(crashes, run)) {
      fail_run(run);
      return false;
    }
    if (attempts[s] < kSuspectStarts) return true;
    scheduler_.add_runs(cell, run.seed, run.seed + 1, Turn::last);
    return false;
  };
  // Intervals are added from the last to the first: the scheduler takes the last one added.
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
  for (std::int64_t seed = 0; seed < grid_.replications; ++seed) {
    if (!waits({cell, seed})) continue;
    if (!intervals.empty() && intervals.back().second == seed)
      ++intervals.back().second;
    else
      intervals.emplace_back(seed, seed + 1);
  }
  for (auto it = intervals.rbegin(); it != intervals.rend(); ++it)
    scheduler_.add_runs(cell, it->first, it->second);
}

void Inventory::open_cells(CaseId id, const CaseSolution& solution) {
  const CellGrid& cells = scheduler_.grid();
  for (AlgorithmId a; a.value() < cells.algorithms; ++a) {
    const double seconds = expected_seconds(grid_, id.value(), a.value(), solution);
    scheduler_.open_cell(cells.cell(id, a), std::isfinite(seconds) ? seconds : 1.0);
  }
}

void Inventory::fail_case(CaseId id) {
  add_failure(failure_of(scheduler_.grid(), id, crash_text()));
  CaseSolution solution;
  solution.status = TaskStatus::failed;
  CaseBatch batch;
  results_.file().case_format().append(batch, name_of(id), results_.file().layout().K(id), solution);
  results_.write_cases(batch);
  open_cells(id, solution);
  ++counts_.done;
}

void Inventory::fail_run(RunName run) {
  add_failure(failure_of(scheduler_.grid(), run, crash_text()));
  RunRecord record;
  record.status = TaskStatus::failed;
  record.attempts = attempts_before(run);
  RunBatch batch;
  const CaseId id = scheduler_.grid().case_of(run.cell);
  results_.file().run_format().append(batch, run, results_.file().layout().K(id), record);
  results_.write_runs(batch);
  ++counts_.done;
}

void Inventory::add_failure(const Failure& failure) {
  ++counts_.failed;
  results_.add_failure(failure);
  const auto id = static_cast<std::size_t>(failure.case_index);
  const std::string& label = grid_.cases[id].label;
  if (failure.algorithm < 0) {
    say_(fmt::format("failed: the solution of {}: {}", label, failure.message));
    return;
  }
  const auto algorithm = static_cast<std::size_t>(failure.algorithm);
  say_(fmt::format("failed: {} {} seed {}: {}\n  replay: {}", label,
                   grid_.algorithms[algorithm].algorithm.name, failure.seed, failure.message,
                   grid_.replay_command(id, algorithm, failure.seed)));
}

std::int32_t Inventory::attempts_before(RunName run) const {
  const auto found = attempts_.find(run);
  return found == attempts_.end() ? 0 : found->second;
}

void Inventory::write_attempts(const Chunk& chunk, std::int32_t more) {
  if (chunk.kind != TaskKind::run || chunk.count == 0) return;
  std::vector<std::int32_t> attempts;
  for (std::int64_t i = 0; i < chunk.count; ++i) attempts.push_back(attempts_before(chunk.run(i)) + more);
  results_.write_attempts(chunk.run(0), attempts);
}

void Inventory::start(const Chunk& chunk) {
  write_attempts(chunk, 1);
}

void Inventory::undo_start(const Chunk& chunk) {
  write_attempts(chunk, 0);
}

void Inventory::take(Report& report) {
  busy_seconds_ += report.seconds;
  for (const Failure& failure : report.failures) add_failure(failure);
  for (std::size_t i = 0; i < report.solutions.size(); ++i) {
    const CaseId id(report.solutions.seeds[i]);
    open_cells(id, results_.file().case_format().record(report.solutions, i, results_.file().layout().K(id)));
  }
  results_.write_cases(report.solutions);
  counts_.done += static_cast<std::int64_t>(report.solutions.size() + report.runs.size());
  if (report.runs.empty()) return;
  const RunFormat& format = results_.file().run_format();
  const auto attempts = format.values(report.runs, &RunRecord::attempts);
  const auto status = format.values(report.runs, &RunRecord::status);
  const auto seconds = format.values(report.runs, &RunRecord::seconds);
  const auto steps = format.values(report.runs, &RunRecord::steps);
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const RunName run = report.runs.name(i);
    attempts[i] = attempts_before(run) + 1;
    if (status[i] == TaskStatus::failed) continue;
    scheduler_.learn(run.cell, seconds[i]);
    steps_ += static_cast<double>(steps[i]);
  }
  results_.write_runs(report.runs);
}

}  // namespace tasfg
