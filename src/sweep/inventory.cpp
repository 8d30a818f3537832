#include "tasfg/sweep/inventory.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

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

/// Runs need the solution of their case, whichever shard they are in.
bool holds_case(const Shard& shard, CaseId id, const CellGrid& grid) {
  return grid.algorithms > 0 || shard.holds(id);
}

}  // namespace

std::int64_t pending_tasks(const ResultFile& file, const Shard& shard) {
  const CellGrid grid = file.layout().grid();
  const Splitting splitting = splitting_of(file.layout());
  std::int64_t pending = 0;
  const std::vector<TaskStatus> cases = file.case_values(&CaseSolution::status);
  for (CaseId id; id.value() < grid.cases; ++id)
    pending += cases[id.value()] == TaskStatus::pending && holds_case(shard, id, grid) ? 1 : 0;
  for (CellId cell; cell.value() < grid.cells(); ++cell) {
    const std::vector<TaskStatus> runs = file.run_values(&RunRecord::status, cell);
    for (RunName run{cell, 0}; run.seed < file.layout().replications; ++run.seed)
      pending +=
          runs[static_cast<std::size_t>(run.seed)] == TaskStatus::pending && shard.holds(run, splitting) ? 1
                                                                                                         : 0;
  }
  return pending;
}

Inventory::Inventory(const Grid& grid, ResultWriter& results, Scheduler& scheduler,
                     std::function<void(const std::string&)> say)
    : grid_(grid),
      splitting_(splitting_of(results.file().layout())),
      cells_(scheduler.grid().cells()),
      results_(results),
      scheduler_(scheduler),
      say_(std::move(say)) {}

void Inventory::collect(const Shard& shard, const CrashCounts& crashes) {
  shard_ = shard;
  crashes_ = crashes;
  collect_cases(shard, crashes);
  const CellGrid& grid = scheduler_.grid();
  if (grid_.precision.asked())  // what a sitting that was killed, or a job that has grown, has left
    for (CaseId id; id.value() < grid.cases; ++id) (void)results_.settle(id, {});
  for (CellId cell; cell.value() < grid.cells(); ++cell) collect_runs(cell);
  for (CaseId id; id.value() < grid.cases && grid_.precision.asked(); ++id) decide(id);
}

void Inventory::collect_cases(const Shard& shard, const CrashCounts& crashes) {
  const std::vector<TaskStatus> status = results_.file().case_values(&CaseSolution::status);
  for (CaseId id; id.value() < grid_.cases.size(); ++id) {
    if (!holds_case(shard, id, scheduler_.grid())) continue;
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

void Inventory::collect_runs(CellId cell) {
  const std::vector<TaskStatus> status = results_.file().run_values(&RunRecord::status, cell);
  for (RunName run{cell, 0}; run.seed < grid_.replications; ++run.seed) {
    const TaskStatus each = status[static_cast<std::size_t>(run.seed)];
    if (!shard_.holds(run, splitting_)) continue;
    ++counts_.total;
    if (each == TaskStatus::pending || each == TaskStatus::not_needed) continue;
    ++counts_.done;
    ++cells_[cell.value()].taken;
    if (each == TaskStatus::failed) ++counts_.failed;
  }
  if (!grid_.precision.asked()) release(cell, grid_.replications);
}

void Inventory::release(CellId cell, std::int64_t end) {
  CellState& state = cells_[cell.value()];
  if (end <= state.released) return;
  const std::vector<TaskStatus> status = results_.file().run_values(&RunRecord::status, cell);
  const std::vector<std::int32_t> attempts = results_.file().run_values(&RunRecord::attempts, cell);
  // Whether the run is to be handed out in its turn; settles what else there is to do about it.
  const auto waits = [&](RunName run) {
    const auto s = static_cast<std::size_t>(run.seed);
    if (!shard_.holds(run, splitting_) || status[s] != TaskStatus::pending) return false;
    if (attempts[s] == 0) return true;
    attempts_[run] = attempts[s];
    if (crashes_too_often(crashes_, run)) {
      fail_run(run);
      return false;
    }
    if (attempts[s] < kSuspectStarts) return true;
    scheduler_.add_runs(cell, run.seed, run.seed + 1, Turn::last);
    return false;
  };
  // Intervals are added from the last to the first: the scheduler takes the last one added.
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
  for (std::int64_t seed = state.released; seed < end; ++seed) {
    if (!waits({cell, seed})) continue;
    if (!intervals.empty() && intervals.back().second == seed)
      ++intervals.back().second;
    else
      intervals.emplace_back(seed, seed + 1);
  }
  for (auto it = intervals.rbegin(); it != intervals.rend(); ++it)
    scheduler_.add_runs(cell, it->first, it->second);
  state.released = end;
}

bool Inventory::holds(CellId cell) const {
  return shard_.holds({cell, 0}, splitting_);
}

void Inventory::decide(CaseId id) {
  const CellGrid& grid = scheduler_.grid();
  for (bool again = true; again;) {
    std::vector<std::int64_t> skip;
    for (AlgorithmId a; a.value() < grid.algorithms; ++a)
      skip.push_back(cells_[grid.cell(id, a).value()].skip);
    const std::optional<ResultFile::Settlement> settled = results_.settle(id, skip);
    if (!settled) return;
    counts_.failed -= settled->failures_dropped;
    bool waits = false, all_there = true;
    for (AlgorithmId a; a.value() < grid.algorithms; ++a) {
      const CellId cell = grid.cell(id, a);
      const Decision& decision = settled->decisions[a.value()];
      CellState& state = cells_[cell.value()];
      if (!holds(cell) || state.ended) continue;
      if (decision.settled()) {
        end_cell(cell, decision);
        continue;
      }
      const bool enough = decision.width.excess <= 1.0;  // of its own: others wait for it
      if (decision.looked > 0 && !enough) state.skip = decision.looked + 1;
      state.look = decision.n;
      state.decision = decision;
      release(cell, decision.likely);
      const std::vector<TaskStatus> status = results_.file().run_values(&RunRecord::status, cell);
      state.left = std::count(status.begin(), status.begin() + state.look, TaskStatus::pending);
      waits = true;
      all_there &= state.left == 0;
    }
    again = waits && all_there;  // all that is missing has failed
  }
}

/// The runs below the decision are all that the cell needs.
void Inventory::end_cell(CellId cell, const Decision& decision) {
  CellState& state = cells_[cell.value()];
  scheduler_.end_runs(cell, decision.n);
  counts_.total -= grid_.replications - decision.n;
  counts_.done -= state.taken - decision.n;
  state.taken = state.released = state.look = decision.n;
  state.decision = decision;
  state.left = 0;
  state.ended = true;
  attempts_.erase(attempts_.lower_bound({cell, decision.n}),
                  attempts_.upper_bound({cell, grid_.replications}));
}

double Inventory::seconds_to_come() const {
  if (!grid_.precision.asked()) return 0.0;
  std::vector<Decision> decisions;
  for (const CellState& state : cells_) decisions.push_back(state.decision);
  const std::vector<std::int64_t> foreseen =
      foreseen_runs(decisions, scheduler_.grid().algorithms, grid_.replications);
  double seconds = 0.0;
  for (CellId cell; cell.value() < cells_.size(); ++cell)
    if (holds(cell))
      seconds += static_cast<double>(
                     std::max<std::int64_t>(0, foreseen[cell.value()] - cells_[cell.value()].released)) *
                 scheduler_.expected(cell);
  return seconds;
}

/// Leaves out what a decision has made needless since it was handed out.
void Inventory::drop_unneeded(Report& report) const {
  const auto needed = [&](CellId cell, std::int64_t seed) {
    const CellState& state = cells_[cell.value()];
    return !state.ended || seed < state.released;
  };
  for (PackedRows& runs : report.runs)
    for (Stretch& each : runs.stretches)
      while (each.count > 0 && !needed(CellId(each.cell), each.first + each.count - 1)) --each.count;
  std::erase_if(report.failures, [&](const Failure& failure) {
    return failure.algorithm >= 0 &&
           !needed(scheduler_.grid().cell(CaseId(failure.case_index), AlgorithmId(failure.algorithm)),
                   failure.seed);
  });
}

void Inventory::open_cells(CaseId id, const CaseSolution& solution) {
  const CellGrid& cells = scheduler_.grid();
  for (AlgorithmId a; a.value() < cells.algorithms; ++a) {
    const double seconds = expected_seconds(grid_, id, a, solution);
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
  ++cells_[run.cell.value()].taken;
}

void Inventory::add_failure(const Failure& failure) {
  ++counts_.failed;
  results_.add_failure(failure);
  const CaseId id(failure.case_index);
  const std::string& label = grid_.at(id).label;
  if (failure.algorithm < 0) {
    say_(fmt::format("failed: the solution of {}: {}", label, failure.message));
    return;
  }
  const AlgorithmId algorithm(failure.algorithm);
  say_(fmt::format("failed: {} {} seed {}: {}\n  replay: {}", label, grid_.at(algorithm).algorithm.name,
                   failure.seed, failure.message, grid_.replay_command(id, algorithm, failure.seed)));
}

std::int32_t Inventory::attempts_before(RunName run) const {
  const auto found = attempts_.find(run);
  return found == attempts_.end() ? 0 : found->second;
}

void Inventory::write_attempts(const Chunk& chunk, std::int32_t more) {
  if (chunk.kind != TaskKind::run || chunk.count == 0) return;
  std::vector<std::int32_t> attempts(static_cast<std::size_t>(chunk.count), more);
  for (std::int64_t i = 0; i < chunk.count && !attempts_.empty(); ++i)
    attempts[static_cast<std::size_t>(i)] += attempts_before(chunk.run(i));
  results_.write_attempts(chunk.run(0), attempts);
}

void Inventory::start(std::span<const Chunk> chunks) {
  Chunk joined;  // neighbours are written with one call
  for (const Chunk& chunk : chunks) {
    if (joined.kind == chunk.kind && joined.cell == chunk.cell &&
        joined.first + joined.count == chunk.first) {
      joined.count += chunk.count;
      continue;
    }
    write_attempts(joined, 1);
    joined = chunk;
  }
  write_attempts(joined, 1);
}

void Inventory::undo_start(const Chunk& chunk) {
  write_attempts(chunk, 0);
}

void Inventory::abandon(const Chunk& chunk) {
  if (chunk.kind != TaskKind::run) return;
  results_.finish_writing();
  const std::vector<TaskStatus> status = results_.file().run_values(&RunRecord::status, chunk.cell);
  for (std::int64_t i = 0; i < chunk.count; ++i)
    if (status[static_cast<std::size_t>(chunk.run(i).seed)] == TaskStatus::pending)
      undo_start(chunk.part(i, 1));
}

void Inventory::take(Report report) {
  busy_seconds_ += report.seconds;
  if (grid_.precision.asked()) drop_unneeded(report);
  for (const Failure& failure : report.failures) add_failure(failure);
  for (std::size_t i = 0; i < report.solutions.size(); ++i) {
    const CaseId id(report.solutions.seeds[i]);
    open_cells(id, results_.file().case_format().record(report.solutions, i, results_.file().layout().K(id)));
  }
  results_.write_cases(report.solutions);
  counts_.done += static_cast<std::int64_t>(report.solutions.size());
  std::vector<Stretch> names;
  for (PackedRows& runs : report.runs) {
    counts_.done += runs.size();
    learn_from(runs);
    names.insert(names.end(), runs.stretches.begin(), runs.stretches.end());
    unwritten_.push_back(std::move(runs));
  }
  if (!grid_.precision.asked() || names.empty()) return;
  flush();
  decide_on(names);
}

/// Fills in what workers do not know, counts, and tells the scheduler.
void Inventory::learn_from(PackedRows& runs) {
  const RunFormat& format = results_.file().run_format();
  const auto attempts = format.values(runs, &RunRecord::attempts);
  const auto status = format.values(runs, &RunRecord::status);
  const auto seconds = format.values(runs, &RunRecord::seconds);
  const auto steps = format.values(runs, &RunRecord::steps);
  std::ranges::fill(attempts, 1);
  for (const Stretch& stretch : runs.stretches) {
    Scheduler::Measured measured;
    for (std::int64_t i = 0; i < stretch.count; ++i) {
      const auto row = static_cast<std::size_t>(stretch.row + i);
      if (!attempts_.empty()) attempts[row] += attempts_before({CellId(stretch.cell), stretch.first + i});
      if (status[row] == TaskStatus::failed) continue;
      measured.add(seconds[row]);
      steps_ += static_cast<double>(steps[row]);
    }
    cells_[CellId(stretch.cell).value()].taken += stretch.count;
    scheduler_.learn(CellId(stretch.cell), measured);
  }
}

void Inventory::flush() {
  if (!unwritten_.empty()) results_.write_runs(std::exchange(unwritten_, {}));
}

/// Looks at the cases whose next look these runs complete.
void Inventory::decide_on(std::span<const Stretch> runs) {
  std::set<CaseId> to_decide;
  for (const Stretch& stretch : runs) {
    CellState& state = cells_[CellId(stretch.cell).value()];
    const std::int64_t awaited = std::clamp<std::int64_t>(state.look - stretch.first, 0, stretch.count);
    state.left -= awaited;
    if (awaited > 0 && state.left == 0) to_decide.insert(scheduler_.grid().case_of(CellId(stretch.cell)));
  }
  for (const CaseId id : to_decide) decide(id);
}

}  // namespace tasfg
