/// Rows on their way to the file: a thread of its own writes them, so that who takes reports in need not wait
/// for the file system.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "tasfg/io/packed_rows.hpp"

namespace tasfg {

class WriteQueue {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // that wait
  /// `write` gets all rows that wait, in the order in which they came. What it throws is thrown again at the
  /// caller, by the next call of `push` or `finish`; rows that came before that are dropped.
  explicit WriteQueue(std::function<void(std::span<PackedRows>)> write) : write_(std::move(write)) {}
  /// Writes what waits; an error is lost then, so call `finish` first.
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  /// Waits while there is too much to write already.
  void push(std::vector<PackedRows> packs);
  /// Waits until all is written.
  void finish();
  /// CPU time of its thread.
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_; }

 private:
  void work();
  void rethrow();

  std::function<void(std::span<PackedRows>)> write_;
  std::mutex mutex_;
  std::condition_variable rows_come_, rows_go_;
  std::vector<PackedRows> waiting_;
  std::size_t bytes_ = 0;  // that wait
  bool busy_ = false, ends_ = false;
  std::exception_ptr error_;
  std::atomic<double> cpu_seconds_ = 0.0;
  std::thread thread_;  // begins with the first rows
};

}  // namespace tasfg
