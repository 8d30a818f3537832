#include "tasfg/sweep/worker_pool.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <tuple>
#include <utility>

#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/grid_layout.hpp"
#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {

WorkerPool::WorkerPool(const Grid& grid, int threads, int ranks)
    : grid_(grid),
      samplers_(grid),
      cells_{grid.cases.size(), grid.algorithms.size()},
      run_format_(shape_of(grid)),
      case_format_(shape_of(grid)),
      interval_(BiteQueue::report_interval(ranks)),
      queue_(threads) {
  if (std::any_of(grid.algorithms.begin(), grid.algorithms.end(),
                  [](const JobAlgorithm& each) { return each.algorithm.external != nullptr; }))
    watch_.emplace(RuleWatch::usual_patience());
  for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  cancel();
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  chunks_come_.notify_all();
}

void WorkerPool::push(std::span<const Chunk> chunks) {
  {
    const std::scoped_lock lock(mutex_);
    queue_.push(chunks);
  }
  chunks_come_.notify_all();
}

std::chrono::duration<double> WorkerPool::due_in() const {
  const std::chrono::duration<double> since = Clock::now() - last_report_;
  return std::chrono::duration<double>(harvest_.due_in(queue_, since.count(), interval_.count()));
}

Report WorkerPool::take() {
  Report report;
  std::vector<Results> results;
  {
    const std::scoped_lock lock(mutex_);
    if (due_in().count() > 0.0) return report;
    queue_.mark();
    last_report_ = Clock::now();
    std::tie(report.parts, results) = harvest_.take();
  }
  for (Results& each : results) {
    report.seconds += each.seconds;
    std::ranges::move(each.runs, std::back_inserter(report.runs));
    report.solutions.append(each.solutions);
    std::ranges::move(each.failures, std::back_inserter(report.failures));
  }
  return report;
}

void WorkerPool::join_runs(Report& report) const {
  if (report.runs.size() <= 1) return;
  PackedRows all = run_format_.join(report.runs);
  report.runs.clear();
  report.runs.push_back(std::move(all));
}

void WorkerPool::wait(std::chrono::microseconds at_most) {
  std::unique_lock lock(mutex_);
  const auto end = Clock::now() + at_most;
  while (true) {
    const auto left = end - Clock::now();
    const auto until_due = due_in();
    if (left.count() <= 0 || until_due.count() <= 0.0) return;
    reports_come_.wait_for(lock, std::min<std::chrono::duration<double>>(left, until_due));
  }
}

bool WorkerPool::supplied() const {
  const std::scoped_lock lock(mutex_);
  return !queue_.empty();
}

void WorkerPool::drain() {
  draining_ = true;
}

void WorkerPool::cancel() {
  draining_ = true;
  cancelled_ = true;
}

void WorkerPool::send(const Part& part, Results results) {
  {
    const std::scoped_lock lock(mutex_);
    const auto before = due_in();
    harvest_.add(part, std::move(results));
    if (due_in() >= before) return;
  }
  reports_come_.notify_one();
}

void WorkerPool::work() {
  TaskRunner runner(grid_, samplers_);
  while (const auto next = bite()) run(*next, runner);
}

std::optional<Chunk> WorkerPool::bite() {
  std::unique_lock lock(mutex_);
  chunks_come_.wait(lock, [this] { return ended_ || !queue_.empty(); });
  if (queue_.empty()) return {};
  const Chunk taken = draining_ ? queue_.whole() : queue_.bite();
  harvest_.begin(taken);
  return taken;
}

void WorkerPool::run(const Chunk& bite, TaskRunner& runner) {
  Results results;
  std::optional<RunCollector> rows;
  if (bite.kind == TaskKind::run)
    rows.emplace(run_format_, bite.run(0), bite.count, vertices(cells_.case_of(bite.cell)));
  auto last_sent = Clock::now();
  std::int64_t sent = 0;
  const auto send_report = [&](std::int64_t done, std::int64_t undone, Clock::time_point now) {
    results.seconds = std::chrono::duration<double>(now - last_sent).count();
    if (rows) results.runs = rows->take();
    send({bite.id, bite.first + sent, done - sent, undone}, std::exchange(results, {}));
    last_sent = now;
    sent = done;
  };
  for (std::int64_t i = 0; i < bite.count; ++i) {
    // A bite of cheap tasks is given back from its next task on; one that runs may end.
    std::optional<double> seconds;
    if (!draining_) {
      const TaskMark mark(bite.task(i));
      seconds = rows ? simulate(bite.run(i), runner, *rows, results) : solve(bite.solved_case(i), results);
    }
    if (!seconds) return send_report(i, bite.count - i, Clock::now());
    // A look at the clock takes as long as a part of a very short task.
    constexpr double kShort = 1e-4;
    constexpr std::int64_t kWithoutALook = 64;
    if (*seconds < kShort && (i + 1) % kWithoutALook != 0) continue;
    if (const auto now = Clock::now(); now - last_sent > interval_) send_report(i + 1, 0, now);
  }
  if (sent < bite.count) send_report(bite.count, 0, Clock::now());
}

double WorkerPool::solve(CaseId id, Results& results) const {
  CaseSolution solution;
  try {
    solution = solve_case(grid_, id);
  } catch (const std::exception& error) {
    solution.status = TaskStatus::failed;
    results.failures.push_back(failure_of(cells_, id, error.what()));
  }
  case_format_.append(results.solutions, name_of(id), vertices(id), solution);
  return solution.seconds;
}

std::optional<double> WorkerPool::simulate(RunName run, TaskRunner& runner, RunCollector& rows,
                                           Results& results) {
  std::optional<RuleWatch::Guard> guard;
  if (grid_.at(cells_.algorithm_of(run.cell)).algorithm.external != nullptr) guard.emplace(*watch_);
  RunRecord record;
  try {
    record = runner.run(run, cancelled_);
    if (record.status == TaskStatus::pending) return {};
  } catch (const std::exception& error) {
    record.status = TaskStatus::failed;
    results.failures.push_back(failure_of(cells_, run, error.what()));
  }
  rows.add(record);
  return record.seconds;
}

}  // namespace tasfg
