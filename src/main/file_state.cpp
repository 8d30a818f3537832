#include "file_state.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/stored_job.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sweep/cost_model.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/inventory.hpp"

namespace tasfg {
namespace {

/// The job as it stands in the file; nothing where this program does not understand it.
std::optional<Grid> grid_of(const std::shared_ptr<const ResultFile>& file) {
  try {
    const StoredJob job = stored_job(file);
    return expand_job(job.text, job.origin, job.overrides, job.reader);
  } catch (const Error&) {
    return {};
  }
}

/// `foreseen`: runs that the cell will have in the end.
Tally tally(const FileState& state, const Splitting& splitting, CellId cell, std::int64_t foreseen) {
  const ResultFile& file = *state.file;
  const std::vector<TaskStatus> status = file.run_values(&RunRecord::status, cell);
  const std::vector<std::int64_t> steps = file.run_values(&RunRecord::steps, cell);
  const std::vector<double> seconds = file.run_values(&RunRecord::seconds, cell);
  Tally sum;
  std::int64_t measured = 0;
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (!state.shard.holds({cell, static_cast<std::int64_t>(i)}, splitting)) continue;
    ++sum.count[static_cast<std::size_t>(status[i])];
    if (status[i] != TaskStatus::done && status[i] != TaskStatus::capped) continue;
    sum.steps += static_cast<double>(steps[i]);
    sum.seconds += seconds[i];
    ++measured;
  }
  sum.foreseen = std::clamp<std::int64_t>(foreseen - sum.settled(), 0, sum.count[0]);
  double each = measured > 0 ? sum.seconds / static_cast<double>(measured) : 0.0;
  if (measured == 0 && sum.foreseen > 0 && state.grid) {
    const CaseId case_id = file.layout().grid().case_of(cell);
    const CaseSolution solution = file.read_case(case_id);
    if (solution.status == TaskStatus::done)
      each = expected_seconds(*state.grid, case_id, file.layout().grid().algorithm_of(cell), solution);
  }
  sum.seconds_left = each * static_cast<double>(sum.foreseen);
  return sum;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
  foreseen += other.foreseen;
  steps += other.steps;
  seconds += other.seconds;
  seconds_left += other.seconds_left;
  return *this;
}

int FileState::exit_status() const {
  if (!ended() || pending > 0 || !writer.empty()) return kExitInterrupted;
  return live.status == "failed" || all.count[3] > 0 || cases_failed > 0 ? kExitFailed : 0;
}

std::string FileState::words() const {
  if (!writer.empty()) return fmt::format("being written by {}", printable(writer));
  if (live.status == "running") return "its writer is gone; run the same sweep again to go on";
  if (ended() && pending > 0)
    return fmt::format("calls itself {}, but {} tasks are pending; run the same sweep again to go on",
                       live.status, pending);
  return printable(live.status);
}

std::string FileState::name(CellId cell) const {
  const CellGrid names = layout().grid();
  return fmt::format("{}, {}", printable(layout().cases[names.case_of(cell).value()].label),
                     printable(layout().algorithms[names.algorithm_of(cell).value()].name));
}

std::string FileState::words(const Width& width) const {
  const KnownValue& known = width.interval;
  const std::string where = fmt::format("at delta {:.3g}", layout().delta[width.delta]);
  const char* what = kQuantityNames[known.quantity];
  if (known.doubt != Doubt::none) return fmt::format("{} {}: {}", what, where, text_of(known.doubt));
  return fmt::format("{} {:.5g} +- {:.3g} % ({:.3g} % asked) {}", what, known.value, 100.0 * known.relative,
                     100.0 * width.target, where);
}

FileState state_of(const std::string& path) {
  FileState state;
  state.file = std::make_shared<const ResultFile>(ResultFile::open(path, Access::read));
  const ResultFile& file = *state.file;
  const ResultLayout& layout = file.layout();
  state.live = file.live();
  state.writer = writer_of(path);
  state.grid = grid_of(state.file);
  if (!layout.shard.empty()) state.shard = parse_shard(layout.shard, within(path, "shard"));
  state.pending = pending_tasks(file, state.shard);
  const std::vector<TaskStatus> cases = file.case_values(&CaseSolution::status);
  state.cases = std::ssize(cases);
  state.cases_done = std::count_if(cases.begin(), cases.end(),
                                   [](TaskStatus status) { return status != TaskStatus::pending; });
  state.cases_failed = std::count(cases.begin(), cases.end(), TaskStatus::failed);
  state.by_algorithm.resize(layout.algorithms.size());
  const Splitting splitting = splitting_of(layout);
  const CellGrid grid = layout.grid();
  std::vector<Decision> decisions;
  std::vector<std::int64_t> foreseen(grid.cells(), layout.replications);
  if (file.precision().asked()) {
    for (CaseId c; c.value() < grid.cases; ++c)
      for (const Decision& each : file.decisions(c)) decisions.push_back(each);
    foreseen = foreseen_runs(decisions, grid.algorithms, layout.replications);
  }
  for (CellId cell; cell.value() < grid.cells(); ++cell) {
    const Tally of_cell = tally(state, splitting, cell, foreseen[cell.value()]);
    state.by_algorithm[grid.algorithm_of(cell).value()] += of_cell;
    state.all += of_cell;
    if (!decisions.empty() && state.shard.holds({cell, 0}, splitting))
      state.cells.push_back({cell, decisions[cell.value()]});
  }
  std::stable_sort(state.cells.begin(), state.cells.end(),
                   [](const CellPrecision& x, const CellPrecision& y) {
                     return x.decision.width.excess > y.decision.width.excess;
                   });
  return state;
}

}  // namespace tasfg
