/// The worker threads of one process: chunks in, reports out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tasfg/job/job.hpp"
#include "tasfg/sweep/chunk.hpp"
#include "tasfg/sweep/report.hpp"
#include "tasfg/sweep/rule_watch.hpp"
#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {

class WorkerPool {
 public:
  WorkerPool(const Grid& grid, int threads);
  /// Cancels what runs.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void push(const Chunk& chunk);
  /// Reports so far.
  [[nodiscard]] std::vector<Report> take();
  /// Sleeps until there is a report, but no longer than `at_most`.
  void wait(std::chrono::microseconds at_most);
  /// Gives back what is queued; what runs goes on.
  void drain();
  /// Ends what runs, too.
  void cancel();

 private:
  void work();
  void run(const Chunk& chunk, TaskRunner& runner);
  void solve(CaseId id, Report& report) const;
  /// False where it was cancelled.
  bool simulate(RunName run, TaskRunner& runner, Report& report);
  void send(Report report);
  [[nodiscard]] std::size_t vertices(CaseId id) const { return static_cast<std::size_t>(grid_.at(id).K); }

  const Grid& grid_;
  ErrorSamplers samplers_;
  CellGrid cells_;
  RunFormat run_format_;
  CaseFormat case_format_;
  std::mutex mutex_;
  std::condition_variable chunks_come_, reports_come_;
  std::deque<Chunk> queue_;
  std::vector<Report> reports_;
  std::atomic<bool> cancelled_{false}, draining_{false};
  bool ended_ = false;
  std::optional<RuleWatch> watch_;  // where the job has rules of libraries
  std::vector<std::jthread> workers_;
};

}  // namespace tasfg
