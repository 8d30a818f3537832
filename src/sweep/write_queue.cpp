#include "tasfg/sweep/write_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tasfg/base/stopwatch.hpp"

namespace tasfg {

WriteQueue::~WriteQueue() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  rows_come_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WriteQueue::push(std::vector<PackedRows> packs) {
  std::unique_lock lock(mutex_);
  rows_go_.wait(lock, [this] { return bytes_ < kMostBytes || error_ != nullptr; });
  rethrow();
  for (const PackedRows& each : packs) bytes_ += each.bytes.size();
  std::move(packs.begin(), packs.end(), std::back_inserter(waiting_));
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  rows_come_.notify_one();
}

void WriteQueue::finish() {
  std::unique_lock lock(mutex_);
  rows_go_.wait(lock, [this] { return (waiting_.empty() && !busy_) || error_ != nullptr; });
  rethrow();
}

void WriteQueue::rethrow() {
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WriteQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    rows_come_.wait(lock, [this] { return !waiting_.empty() || ends_; });
    if (waiting_.empty()) return;
    std::vector<PackedRows> rows = std::exchange(waiting_, {});
    bytes_ = 0;
    busy_ = true;
    lock.unlock();
    std::exception_ptr error;
    try {
      write_(rows);
    } catch (...) {
      error = std::current_exception();
    }
    rows.clear();
    cpu_seconds_ = thread_cpu_seconds();
    lock.lock();
    busy_ = false;
    if (error != nullptr) {
      error_ = error;
      waiting_.clear();
      bytes_ = 0;
    }
    rows_go_.notify_all();
  }
}

}  // namespace tasfg
