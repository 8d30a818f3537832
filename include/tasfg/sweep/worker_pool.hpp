/// The worker threads of one process, which share its work: chunks in, reports out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "tasfg/io/row_collector.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sweep/bite_queue.hpp"
#include "tasfg/sweep/harvest.hpp"
#include "tasfg/sweep/report.hpp"
#include "tasfg/sweep/rule_watch.hpp"
#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {

class WorkerPool {
 public:
  /// One of so many `ranks`: where there are many, each reports less often.
  WorkerPool(const Grid& grid, int threads, int ranks);
  /// Cancels what runs.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void push(std::span<const Chunk> chunks);
  /// What was done since the last report, where it is time for one; else an empty one.
  [[nodiscard]] Report take();
  /// Puts all its runs into one pack, in long runs of neighbours: for a report that travels.
  void join_runs(Report& report) const;
  /// Sleeps until it is time for a report, but no longer than `at_most`.
  void wait(std::chrono::microseconds at_most);
  /// Whether there is more for its threads to take.
  [[nodiscard]] bool supplied() const;
  /// Gives back what is queued; what runs goes on.
  void drain();
  /// Ends what runs, too.
  void cancel();

 private:
  using Clock = std::chrono::steady_clock;
  /// Of tasks that one thread has run.
  struct Results {
    double seconds = 0.0;  // that it spent on them
    std::vector<PackedRows> runs;
    CaseBatch solutions;
    std::vector<Failure> failures;
  };
  void work();
  /// Neighbouring tasks of the first chunk, for one thread; nothing once the pool has ended.
  [[nodiscard]] std::optional<Chunk> bite();
  void run(const Chunk& bite, TaskRunner& runner);
  // These return seconds; NaN where it failed, nothing where it was cancelled.
  double solve(CaseId id, Results& results) const;
  std::optional<double> simulate(RunName run, TaskRunner& runner, RunCollector& rows, Results& results);
  void send(const Part& part, Results results);
  /// Until a report is due.
  [[nodiscard]] std::chrono::duration<double> due_in() const;
  [[nodiscard]] std::size_t vertices(CaseId id) const { return static_cast<std::size_t>(grid_.at(id).K); }

  const Grid& grid_;
  ErrorSamplers samplers_;
  CellGrid cells_;
  RunFormat run_format_;
  CaseFormat case_format_;
  const std::chrono::duration<double> interval_;  // between reports, at most
  mutable std::mutex mutex_;
  std::condition_variable chunks_come_, reports_come_;
  BiteQueue queue_;  // what nobody has taken yet
  Harvest<Results> harvest_;
  Clock::time_point last_report_ = Clock::now();
  std::atomic<bool> cancelled_{false}, draining_{false};
  bool ended_ = false;
  std::optional<RuleWatch> watch_;  // where the job has rules of libraries
  std::vector<std::jthread> workers_;
};

}  // namespace tasfg
