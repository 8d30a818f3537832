/// One writer at a time, also where file locking does not work (NFS, Lustre).
///
/// The lock is a file beside the result file, made with O_EXCL, which file systems do atomically. It names
/// its owner and carries a counter that a thread of the owner moves on every few seconds, whatever else the
/// owner does. A lock whose owner is gone (same machine: the process is looked up; another machine: the
/// counter stands still) is taken over.
///
/// An owner that was stopped for long can lose its lock without noticing. So it must ask before it changes
/// what the lock guards: `owned`, or `expect_owned`.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tasfg {

class WriterLock {
 public:
  /// Locks the file that `path` leads to. Throws a BusyError that names who holds it, or a SystemError where
  /// the lock cannot be made or read. `announce` is called once with a text for people where the owner is on
  /// another machine and must be watched for a while. `stopped` is asked meanwhile, and by expect_owned:
  /// where it says true, both end with a BusyError.
  WriterLock(const std::string& path, void (*announce)(const std::string& text), bool (*stopped)() = nullptr);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  /// Whether the lock is still this process's, as the lock file says now. Once it is not, it never is again.
  [[nodiscard]] bool owned() const;
  /// Throws a BusyError where it is not, or where the program is to stop.
  void expect_owned() const;

  static constexpr std::chrono::seconds kBeat{3};
  static constexpr std::chrono::seconds kPatience{20};
  static constexpr const char* kThreadName = "tasfg-lock";

 private:
  void acquire(void (*announce)(const std::string& text));
  void beat();
  void keep_beating();
  [[nodiscard]] std::string line() const;

  std::string file_, path_;  // what is locked, and the lock
  bool (*stopped_)();
  std::string owner_;
  std::uint64_t count_ = 0;
  mutable std::atomic<bool> lost_ = false;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread beating_;
};

/// This machine's name.
[[nodiscard]] std::string host_name();

/// Who holds the lock of a result file ("host h, process 12, since ..."); empty where nobody alive does. An
/// owner on another machine counts as alive while its lock file was changed within kPatience.
[[nodiscard]] std::string writer_of(const std::string& path);

}  // namespace tasfg
