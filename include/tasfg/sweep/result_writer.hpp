/// The result file while a sweep writes it: the one place through which a running sweep changes the file, and
/// only as long as it owns the file's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "tasfg/base/stopwatch.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sim/task.hpp"
#include "tasfg/sweep/background.hpp"
#include "tasfg/sweep/write_queue.hpp"

namespace tasfg {

class ResultWriter {
 public:
  /// `live` is what the file says of this sitting at its start; hosts of earlier sittings are kept.
  ResultWriter(ResultFile& file, const WriterLock& lock, LiveState live);

  /// For reading.
  [[nodiscard]] const ResultFile& file() const { return file_; }

  // Each does nothing once the lock is lost: the file is another sweep's then.
  /// Does not wait for them to be written; `finish_writing` does. Throws what went wrong with earlier ones.
  void write_runs(std::vector<PackedRows> packs) { rows_.push(std::move(packs)); }
  void write_runs(const RunBatch& batch);
  void write_cases(CaseBatch& batch);
  void write_attempts(RunName first, std::span<const std::int32_t> attempts);
  void add_failure(const Failure& failure);

  /// Makes the statuses of a case fit what its runs say; nothing where the lock is lost.
  [[nodiscard]] std::optional<ResultFile::Settlement> settle(CaseId id, std::span<const std::int64_t> skip);

  /// From then on the file holds all runs that were to be written.
  void finish_writing() { rows_.finish(); }
  /// CPU time that writing runs took.
  [[nodiscard]] double cpu_seconds() const { return rows_.cpu_seconds(); }

  /// What the file is to say of this sweep at the next beat.
  void set_busy(int threads) { live_.busy = threads; }
  /// A rank has come.
  void add_rank(const std::string& host, int threads);
  void write_live();
  /// In every round: looks whose the lock is, says in the file that the sweep lives, and has the file
  /// brought to the disk, each where it is time to. False where another sweep has taken the lock. Throws what
  /// went wrong while the file was brought to the disk, and a SystemError where the file is not at its path
  /// any more.
  [[nodiscard]] bool keep(double now);
  /// Looks at once whose the file is; for any thread. Throws a SystemError where it is not at its path any
  /// more, or was cut.
  void look();
  /// The end of the sitting: `status` as in LiveState, everything on the disk, at its path.
  void close(const std::string& status);

 private:
  /// Whether the file is still this sweep's; for any thread. Looks once a second at most, so that a process
  /// that was stopped for long does before it writes.
  bool owned();
  void look_locked();
  void expect_in_place() const;
  [[noreturn]] void fail_truncated() const;

  ResultFile& file_;
  const WriterLock& lock_;
  LiveState live_;
  struct ::stat opened_ {};  // of the path, when it was opened
  std::set<std::string> hosts_;
  Stopwatch clock_;
  std::mutex looking_;
  double last_look_ = 0.0;
  std::atomic<bool> owned_ = true;
  double last_beat_ = 0.0;
  WriteQueue rows_;
  Background sync_;  // beside the work: a slow disk must not keep workers waiting
};

}  // namespace tasfg
