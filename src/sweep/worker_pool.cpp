#include "tasfg/sweep/worker_pool.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/grid_layout.hpp"
#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {
namespace {

/// How long a chunk whose tasks take longer than expected runs before it reports what it has.
constexpr std::chrono::milliseconds kReportInterval{200};

}  // namespace

WorkerPool::WorkerPool(const Grid& grid, int threads)
    : grid_(grid),
      samplers_(grid),
      cells_{grid.cases.size(), grid.algorithms.size()},
      run_format_(shape_of(grid)),
      case_format_(shape_of(grid)) {
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

void WorkerPool::push(const Chunk& chunk) {
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(chunk);
  }
  chunks_come_.notify_one();
}

std::vector<Report> WorkerPool::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(reports_, {});
}

void WorkerPool::wait(std::chrono::microseconds at_most) {
  std::unique_lock lock(mutex_);
  reports_come_.wait_for(lock, at_most, [this] { return !reports_.empty(); });
}

void WorkerPool::drain() {
  draining_ = true;
}

void WorkerPool::cancel() {
  draining_ = true;
  cancelled_ = true;
}

void WorkerPool::send(Report report) {
  {
    const std::scoped_lock lock(mutex_);
    reports_.push_back(std::move(report));
  }
  reports_come_.notify_one();
}

void WorkerPool::work() {
  TaskRunner runner(grid_, samplers_);
  while (true) {
    Chunk chunk;
    {
      std::unique_lock lock(mutex_);
      chunks_come_.wait(lock, [this] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      chunk = queue_.front();
      queue_.pop_front();
    }
    run(chunk, runner);
  }
}

void WorkerPool::run(const Chunk& chunk, TaskRunner& runner) {
  Report report;
  auto last_sent = std::chrono::steady_clock::now();
  const auto send_report = [&](std::chrono::steady_clock::time_point now) {
    report.chunk = chunk.id;
    report.seconds = std::chrono::duration<double>(now - last_sent).count();
    last_sent = now;
    send(std::exchange(report, {}));
  };
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    // A chunk of cheap tasks is given back from its next task on; one that runs may end.
    bool done = !draining_;
    if (done) {
      const TaskMark mark(chunk.task(i));
      if (chunk.kind == TaskKind::solve)
        solve(chunk.solved_case(i), report);
      else
        done = simulate(chunk.run(i), runner, report);
    }
    if (!done) {
      report.undone = chunk.count - i;
      break;
    }
    if (const auto now = std::chrono::steady_clock::now(); now - last_sent > kReportInterval)
      send_report(now);
  }
  report.closed = true;
  send_report(std::chrono::steady_clock::now());
}

void WorkerPool::solve(CaseId id, Report& report) const {
  CaseSolution solution;
  try {
    solution = solve_case(grid_, id);
  } catch (const std::exception& error) {
    solution.status = TaskStatus::failed;
    report.failures.push_back(failure_of(cells_, id, error.what()));
  }
  case_format_.append(report.solutions, name_of(id), vertices(id), solution);
}

bool WorkerPool::simulate(RunName run, TaskRunner& runner, Report& report) {
  std::optional<RuleWatch::Guard> guard;
  if (grid_.at(cells_.algorithm_of(run.cell)).algorithm.external != nullptr) guard.emplace(*watch_);
  RunRecord record;
  try {
    record = runner.run(run, cancelled_);
    if (record.status == TaskStatus::pending) return false;
  } catch (const std::exception& error) {
    record.status = TaskStatus::failed;
    report.failures.push_back(failure_of(cells_, run, error.what()));
  }
  run_format_.append(report.runs, run, vertices(cells_.case_of(run.cell)), record);
  return true;
}

}  // namespace tasfg
