/// The result file while a sweep writes it: the one place through which a running sweep changes the file, and
/// only as long as it owns the file's lock.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "tasfg/io/result_file.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sim/task.hpp"
#include "tasfg/sweep/background.hpp"

namespace tasfg {

class ResultWriter {
 public:
  /// `live` is what the file says of this sitting at its start; hosts of earlier sittings are kept.
  ResultWriter(ResultFile& file, WriterLock& lock, LiveState live);

  /// For reading.
  [[nodiscard]] const ResultFile& file() const { return file_; }

  // Each does nothing once the lock is lost: the file is another sweep's then.
  void write_runs(RunBatch& batch);
  void write_cases(CaseBatch& batch);
  void write_attempts(RunName first, std::span<const std::int32_t> attempts);
  void add_failure(const Failure& failure);

  /// A rank has come.
  void add_rank(const std::string& host, int threads);
  void write_live();
  /// In every round: moves the lock's counter on, says in the file that the sweep lives, and has the file
  /// brought to the disk, each where it is time to. False where another sweep has taken the lock. Throws what
  /// went wrong while the file was brought to the disk.
  [[nodiscard]] bool keep(double now);
  /// The end of the sitting: `status` as in LiveState, everything on the disk.
  void close(const std::string& status);

 private:
  ResultFile& file_;
  WriterLock& lock_;
  LiveState live_;
  std::set<std::string> hosts_;
  bool owned_ = true;
  double last_beat_ = 0.0;
  Background sync_;  // beside the work: a slow disk must not keep workers waiting
};

}  // namespace tasfg
