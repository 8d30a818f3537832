/// One writer at a time, also where file locking does not work (NFS, Lustre).
///
/// The lock is a file beside the result file, made by a hard link (or O_EXCL), which file systems do
/// atomically. It names its owner and carries a counter that the owner moves on every few seconds. A lock
/// whose owner is gone (same machine: the process is looked up; another machine: the counter stands still) is
/// taken over.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tasfg {

class WriterLock {
 public:
  /// Locks `path`, or throws an InputError that names who holds it. `announce` is called once with a text for
  /// people where the owner is on another machine and must be watched for a while.
  WriterLock(const std::string& path, void (*announce)(const std::string& text));
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  /// Moves the counter on; false where somebody else has taken the lock (after this process was stopped for
  /// long), and then nothing may be written any more.
  bool beat();

  static constexpr std::chrono::seconds kBeat{3};
  static constexpr std::chrono::seconds kPatience{20};

 private:
  [[nodiscard]] std::string line() const;

  std::string path_, owner_;
  std::uint64_t count_ = 0;
};

/// This machine's name.
[[nodiscard]] std::string host_name();

/// Who holds the lock of a result file ("host h, process 12, since ..."); empty where nobody alive does. An
/// owner on another machine counts as alive while its lock file is younger than kPatience.
[[nodiscard]] std::string writer_of(const std::string& path);

}  // namespace tasfg
