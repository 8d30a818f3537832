/// The worker threads of one process: chunks in, reports out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tasfg/io/result_file.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sweep/scheduler.hpp"

namespace tasfg {

/// What became of a chunk, or of a first part of it.
struct Report {
  std::int64_t chunk = 0;
  bool closed = false;      // nothing more comes of this chunk
  std::int64_t undone = 0;  // tasks at its end that were not run (it was cancelled)
  double seconds = 0.0;     // that a thread spent on this part
  RunBatch runs;            // failed ones included
  CaseBatch solutions;
  std::vector<Failure> failures;

  [[nodiscard]] std::vector<std::int64_t> to_words() const;
  [[nodiscard]] static Report from_words(const std::vector<std::int64_t>& words);
};

class WorkerPool {
 public:
  WorkerPool(const Grid& grid, int threads);
  /// Cancels what runs.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()); }
  void push(const Chunk& chunk);
  /// Chunks queued or running.
  [[nodiscard]] int load() const { return load_.load(); }
  [[nodiscard]] int busy() const { return busy_.load(); }
  /// Reports so far.
  [[nodiscard]] std::vector<Report> take();
  /// Sleeps until there is a report, or so long.
  void wait(std::chrono::microseconds at_most);
  /// Gives back what is queued; what runs goes on.
  void drain();
  /// Ends what runs, too.
  void cancel();

 private:
  void work();
  void run(const Chunk& chunk, class TaskRunner& runner);
  void report(Report report);

  const Grid& grid_;
  RunFormat run_format_;
  CaseFormat case_format_;
  mutable std::mutex mutex_;
  std::condition_variable chunks_come_, reports_come_;
  std::deque<Chunk> queue_;
  std::vector<Report> reports_;
  std::atomic<bool> cancelled_{false}, draining_{false};
  bool ended_ = false;
  std::atomic<int> load_{0}, busy_{0};
  std::vector<std::jthread> workers_;
};

}  // namespace tasfg
