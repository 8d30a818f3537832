/// Rank 0's part of a sweep: hands out chunks, takes reports, writes them down.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tasfg/io/result_file.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/progress.hpp"
#include "tasfg/sweep/scheduler.hpp"
#include "tasfg/sweep/sweep.hpp"
#include "tasfg/sweep/worker_pool.hpp"

namespace tasfg {

class Coordinator {
 public:
  Coordinator(const SweepOptions& options, const Grid& grid, ResultFile& file, WriterLock& lock, Link& link,
              Progress& progress, int threads, LiveState live);
  /// Until all is done, or interrupted; returns the exit status.
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    int threads = 0;  // 0: not heard of yet
    std::string host;
    Hearing hearing;
    std::multiset<double> chunks;  // handed out and not closed: their expected seconds
    [[nodiscard]] int load() const { return static_cast<int>(chunks.size()); }
    [[nodiscard]] int longer_than(double seconds) const {
      return static_cast<int>(std::distance(chunks.upper_bound(seconds), chunks.end()));
    }
  };
  struct Dispatch {
    int rank;
    Chunk chunk;
  };
  enum class Phase { running, draining, cancelled };

  void collect_tasks();
  void loop();
  void greet(const Message& message);
  void receive_all();
  void apply(Report& report);
  void write_down();
  void hand_out();
  bool hand_to(int rank, double now);
  void open_cells(std::size_t case_index, const CaseSolution& solution);
  void fail_run(std::size_t cell, std::int64_t seed, const std::string& why);
  void note_failure(const Failure& failure);
  void note_attempts(const Chunk& chunk, bool started);
  void interrupt(const std::string& why, bool out_of_time = false);
  void keep_alive(double now);
  void listen(double now);
  void note_silent_ranks(double now);
  [[nodiscard]] bool nobody_answers(double now) const;
  [[nodiscard]] std::string silent_ranks(double now, double longer_than) const;
  void tell_all(Tag tag, const std::vector<std::int64_t>& words);
  void part(int status);
  int finish();
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  [[nodiscard]] ProgressState state(double now) const;
  [[nodiscard]] int total_threads() const;

  const SweepOptions& options_;
  const Grid& grid_;
  ResultFile& file_;
  WriterLock& lock_;
  Link& link_;
  Progress& progress_;
  LiveState live_;
  Clock::time_point start_ = Clock::now();
  std::unique_ptr<WorkerPool> pool_;
  Scheduler scheduler_;
  std::vector<Rank> ranks_;
  std::map<std::int64_t, Dispatch> dispatched_;
  std::map<TaskName, std::int32_t> attempts_;  // of pending runs that were started before
  RunBatch runs_;                              // to be written
  std::set<std::string> hosts_;
  Phase phase_ = Phase::running;
  std::string why_interrupted_;
  double interrupted_at_ = 0.0, last_beat_ = 0.0, last_sync_ = 0.0;
  double last_look_ = 0.0, last_alive_ = 0.0;
  double busy_seconds_ = 0.0;
  std::int64_t done_ = 0, done_before_ = 0, total_ = 0, failed_ = 0, handed_over_ = 0, chunks_ = 0;
  double steps_ = 0.0, cpu_at_start_ = 0.0;
  bool lost_lock_ = false;
  bool out_of_time_ = false;
  bool lost_rank_ = false;  // one gave no sign of life
  bool idle_ = false;       // there was nothing to do
};

}  // namespace tasfg
