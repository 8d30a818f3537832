// Where a job stops at precision: what the runs in a file say of each cell, and statuses that fit it.
#include <algorithm>

#include "result_impl.hpp"

#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

constexpr double kNoResult = kNaN;
constexpr double kNoStop = kInfinity;

/// The first seed that has neither a result nor failed.
std::int64_t settled_of(std::span<const TaskStatus> status) {
  const auto open = std::find_if(status.begin(), status.end(), [](TaskStatus each) {
    return each == TaskStatus::pending || each == TaskStatus::not_needed;
  });
  return open - status.begin();
}

/// `count` values at one δ, from seed 0 on.
template <typename T>
std::vector<T> values_at(const ResultFile::Impl& file, std::string_view name, CellId cell, std::size_t delta,
                         std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  file.read_bytes(file.runs.place(file.runs.named(name), cell.value(), delta, 0), values.data(),
                  values.size() * sizeof(T));
  return values;
}

CellValues cell_values(const ResultFile::Impl& file, CellId cell, std::span<const TaskStatus> status,
                       std::int64_t count) {
  CellValues values;
  for (std::size_t d = 0; d < file.layout.delta.size(); ++d) {
    std::vector<double>& of = values.emplace_back();
    if (file.layout.weighted) {
      of = values_at<double>(file, "log_weight", cell, d, count);
    } else {
      const auto tau = values_at<std::int64_t>(file, "tau", cell, d, count);
      const auto stopped = values_at<std::int8_t>(file, "stopped", cell, d, count);
      for (std::size_t i = 0; i < tau.size(); ++i)
        of.push_back(stopped[i] == 1 ? static_cast<double>(tau[i]) : kNoStop);
    }
    for (std::size_t i = 0; i < of.size(); ++i)
      if (status[i] == TaskStatus::failed) of[i] = kNoResult;
  }
  return values;
}

/// Calls act(first, last) for every stretch of seeds from `begin` on whose status is as wanted.
template <typename Wanted, typename Act>
void each_stretch(std::span<const TaskStatus> status, std::int64_t begin, Wanted wanted, Act act) {
  const auto at = [&](std::int64_t seed) { return status[static_cast<std::size_t>(seed)]; };
  for (std::int64_t first = begin; first < std::ssize(status);) {
    std::int64_t last = first;
    while (last < std::ssize(status) && wanted(at(last))) ++last;
    if (last > first) act(first, last);
    first = last + 1;
  }
}

}  // namespace

std::vector<Decision> ResultFile::Impl::decisions(CaseId case_id, std::span<const std::int64_t> skip) const {
  const CellGrid grid = layout.grid();
  std::vector<CellValues> values(grid.algorithms);
  std::vector<CellRuns> cells(grid.algorithms);
  for (AlgorithmId a; a.value() < grid.algorithms; ++a) {
    const CellId cell = grid.cell(case_id, a);
    const std::vector<TaskStatus> status = statuses(cell);
    const std::int64_t settled = settled_of(status);
    values[a.value()] = cell_values(*this, cell, status, settled);
    cells[a.value()] = {settled, &values[a.value()]};
  }
  return decide(precision, layout.replications, cells, skip);
}

ResultFile::Settlement ResultFile::Impl::settle(CaseId case_id, std::span<const std::int64_t> skip) const {
  Settlement made{decisions(case_id, skip), 0};
  const std::size_t K = layout.K(case_id);
  const auto set_statuses = [&](CellId cell, std::int64_t first, std::int64_t last, TaskStatus status) {
    const std::vector<TaskStatus> all(static_cast<std::size_t>(last - first), status);
    write_bytes(runs.place(runs.named("status"), cell.value(), 0, static_cast<std::uint64_t>(first)),
                all.data(), all.size());
  };
  for (AlgorithmId a; a.value() < made.decisions.size(); ++a) {
    const Decision& decision = made.decisions[a.value()];
    const CellId cell = layout.grid().cell(case_id, a);
    const std::vector<TaskStatus> status = statuses(cell);
    if (!decision.settled()) {
      each_stretch(
          status, 0, [](TaskStatus each) { return each == TaskStatus::not_needed; },
          [&](auto first, auto last) { set_statuses(cell, first, last, TaskStatus::pending); });
      continue;
    }
    made.failures_dropped += std::count(status.begin() + decision.n, status.end(), TaskStatus::failed);
    // Whoever is killed in between leaves pending runs, never ones that are called done without their values.
    each_stretch(
        status, decision.n,
        [](TaskStatus each) { return each != TaskStatus::not_needed && each != TaskStatus::pending; },
        [&](auto first, auto last) { set_statuses(cell, first, last, TaskStatus::pending); });
    RunRecord record;
    record.status = TaskStatus::not_needed;
    each_stretch(
        status, decision.n, [](TaskStatus each) { return each != TaskStatus::not_needed; },
        [&](auto first, auto last) {
          for (const std::int64_t block = runs.block(); first < last; first += block) {
            RunBatch batch;
            for (std::int64_t seed = first; seed < std::min(first + block, last); ++seed)
              run_format.append(batch, {cell, seed}, K, record);
            write_runs(batch);
          }
        });
    for (const FailureEntry& entry : failure_entries()) {
      if (entry.failure.case_index != case_id.number() || entry.failure.algorithm != a.number() ||
          entry.failure.seed < decision.n)
        continue;
      const std::int32_t none = -1;
      write_bytes(failure_list.named("case").offset + entry.place * sizeof none, &none, sizeof none);
    }
  }
  return made;
}

std::vector<Decision> ResultFile::decisions(CaseId case_id, std::span<const std::int64_t> skip) const {
  return impl_->decisions(case_id, skip);
}

ResultFile::Settlement ResultFile::settle(CaseId case_id, std::span<const std::int64_t> skip) {
  return impl_->settle(case_id, skip);
}

}  // namespace tasfg
