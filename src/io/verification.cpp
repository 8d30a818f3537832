#include "tasfg/io/verification.hpp"

#include <algorithm>
#include <array>

#include "result_impl.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr const char* kUnsound = "does not fit its checksum";

template <typename T>
bool all_within(const std::vector<T>& values, std::int64_t low, std::int64_t high) {
  return std::all_of(values.begin(), values.end(), [&](T value) { return value >= low && value <= high; });
}

/// What is impossible in a record whose checksum fits; empty where nothing is. −1 is a missing value.
std::string impossible(const RunRecord& run, std::int64_t K) {
  if (!all_within(run.recommended, -1, K - 1)) return "recommends a vertex that there is not";
  if (!all_within(run.checkpoint_recommended, -1, K - 1)) return "recommends a vertex that there is not";
  if (!all_within(run.correct, -1, 1) || !all_within(run.stopped, -1, 1) ||
      !all_within(run.checkpoint_correct, -1, 1))
    return "has an answer that is neither yes nor no";
  constexpr std::int64_t kMost = INT64_MAX;
  if (!all_within(run.tau, -1, kMost) || !all_within(run.pulls, -1, kMost) ||
      !all_within(run.pulls_at, -1, kMost) || run.steps < -1)
    return "has a negative number of draws";
  if (run.status == TaskStatus::not_needed && run.steps >= 0) return "is called not needed, but has results";
  const bool ended = run.status == TaskStatus::done || run.status == TaskStatus::capped;
  return ended && run.steps < 0 ? "has no results" : "";
}

std::string impossible(const CaseSolution& solution, std::int64_t K) {
  return solution.alpha > K || solution.weak_domination > K || solution.domination > K ||
                 solution.self_loops > K
             ? "counts more vertices than there are"
             : "";
}

/// Checks one file, and keeps the list.
class Verifier {
 public:
  Verifier(const ResultFile::Impl& file, std::size_t listed)
      : file_(file), layout_(file.layout), sittings_(file.sitting_entries()), listed_(listed) {}

  Verification run() {
    check_constants(file_, [this](std::string what) { tell(std::move(what)); });
    for (CaseId c; c.value() < layout_.cases.size(); ++c) check_case(c);
    for (CellId cell; cell.value() < layout_.cells(); ++cell) check_cell(cell);
    if (file_.precision.asked())
      for (CaseId c; c.value() < layout_.cases.size(); ++c) check_decisions(c);
    check_failures();
    check_sittings();
    check_live();
    return std::move(found_);
  }

 private:
  void tell(std::string what) {
    if (found_.damages++ < listed_) found_.list.push_back(std::move(what));
  }
  [[nodiscard]] std::string name(CaseId c) const {
    return fmt::format("case {} ({})", c.value(), quotable(layout_.cases[c.value()].label));
  }
  [[nodiscard]] std::string name(RunName run) const {
    return fmt::format("{}, {}, seed {}", name(layout_.grid().case_of(run.cell)),
                       quotable(layout_.algorithms[layout_.grid().algorithm_of(run.cell).value()].name),
                       run.seed);
  }

  void check_case(CaseId c) {
    try {
      (void)file_.graph(c);
      ++found_.graphs;
    } catch (const InputError&) {
      tell(fmt::format("the graph of {}: does not fit its key", name(c)));
    }
    const CaseBatch batch = file_.read_cases(c, 1);
    if (!file_.case_format.sound(batch, 0, layout_.K(c)))
      return tell(fmt::format("the solution of {}: {}", name(c), kUnsound));
    const CaseSolution solution = file_.case_format.record(batch, 0, layout_.K(c));
    if (solution.status == TaskStatus::pending) return;
    ++found_.solutions;
    std::string why = impossible(solution, layout_.cases[c.value()].K);
    if (why.empty()) why = impossible_sitting(solution.sitting);
    if (!why.empty()) tell(fmt::format("the solution of {}: {}", name(c), why));
  }

  void check_cell(CellId cell) {
    const std::size_t K = layout_.K(layout_.grid().case_of(cell));
    const std::int64_t block = file_.runs.block();
    for (std::int64_t first = 0; first < layout_.replications; first += block) {
      const RunBatch batch = file_.read_runs(cell, first, std::min(block, layout_.replications - first));
      for (std::size_t i = 0; i < batch.size(); ++i) check_run(batch, i, K);
    }
  }

  void check_run(const RunBatch& batch, std::size_t row, std::size_t K) {
    if (!file_.run_format.sound(batch, row, K))
      return tell(fmt::format("{}: {}", name(batch.name(row)), kUnsound));
    if (file_.run_format.values(batch, &RunRecord::status)[row] == TaskStatus::pending) {
      ++found_.pending;
      return;
    }
    const bool not_needed = file_.run_format.values(batch, &RunRecord::status)[row] == TaskStatus::not_needed;
    ++(not_needed ? found_.not_needed : found_.runs);
    const RunRecord run = file_.run_format.record(batch, row, K);
    std::string why = impossible(run, static_cast<std::int64_t>(K));
    if (why.empty()) why = impossible_sitting(run.sitting);
    if (!why.empty()) tell(fmt::format("{}: {}", name(batch.name(row)), why));
  }

  /// A run is called not needed only where the runs before it are enough.
  void check_decisions(CaseId c) {
    const std::vector<Decision> decisions = file_.decisions(c, {});
    for (AlgorithmId a; a.value() < decisions.size(); ++a) {
      const CellId cell = layout_.grid().cell(c, a);
      const std::vector<TaskStatus> status = file_.statuses(cell);
      const auto first = std::find(status.begin(), status.end(), TaskStatus::not_needed);
      const auto seed = first - status.begin();
      // Where a run before it is pending, a sweep is about to look again.
      if (first == status.end() || std::find(status.begin(), first, TaskStatus::pending) != first) continue;
      if (!decisions[a.value()].settled() || decisions[a.value()].n > seed)
        tell(fmt::format("{}: is called not needed, but the runs before it are not enough",
                         name({cell, seed})));
    }
  }

  void check_failures() {
    for (const auto& entry : file_.failure_entries())
      if (!entry.possible) tell(fmt::format("failures[{}]: is of a task that there is not", entry.place));
  }

  void check_sittings() {
    for (std::size_t i = 0; i < sittings_.size(); ++i)
      if (!sittings_[i].sound) tell(fmt::format("sittings[{}]: {}", i, kUnsound));
  }
  [[nodiscard]] std::string impossible_sitting(std::int32_t number) const {
    const bool possible = number == -1 || static_cast<std::uint32_t>(number) < sittings_.size();
    return possible ? "" : "was made in a sitting that there is not";
  }

  void check_live() {
    constexpr std::array<std::string_view, 4> kStatuses = {"running", "interrupted", "complete", "failed"};
    const LiveState live = file_.read_live();
    if (std::find(kStatuses.begin(), kStatuses.end(), live.status) == kStatuses.end())
      tell(fmt::format("live/status = {}", in_quotes(live.status)));
    if (live.ranks < 0 || live.threads < 0 || live.generation < 0) tell("live: has negative counts");
  }

  const ResultFile::Impl& file_;
  const ResultLayout& layout_;
  std::vector<ResultFile::Impl::SittingEntry> sittings_;
  std::size_t listed_;
  Verification found_;
};

}  // namespace

Verification ResultFile::verify(std::size_t listed) const {
  return Verifier(*impl_, listed).run();
}

}  // namespace tasfg
