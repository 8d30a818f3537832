/// What a rank has to do, for its threads to take bites of. No clock, no threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>

#include "tasfg/base/contract.hpp"
#include "tasfg/sweep/chunk.hpp"

namespace tasfg {

class BiteQueue {
 public:
  /// Of what is queued, each thread takes a part of this size, within these limits in seconds.
  static constexpr double kBitesPerThread = 4.0, kShortest = 1e-3, kLongest = 0.1;

  /// Seconds after which a rank reports what it has, whatever else; later where more ranks do so, since one
  /// coordinator reads all reports.
  [[nodiscard]] static double report_interval(int ranks) {
    return 0.2 + std::max(std::min(4e-3 * ranks, 1.0), 2e-3 * ranks);
  }

  explicit BiteQueue(int threads) : threads_(threads) {}

  void push(std::span<const Chunk> chunks) {
    for (const Chunk& chunk : chunks) {
      chunks_.push_back(chunk);
      seconds_ += chunk.expected;
    }
    mark();
  }
  [[nodiscard]] bool empty() const { return chunks_.empty(); }

  /// Neighbouring tasks of the first chunk, for one thread; the fewer the less there is.
  [[nodiscard]] Chunk bite() {
    TASFG_EXPECT(!empty());
    const Chunk& first = chunks_.front();
    const double seconds = std::clamp(seconds_ / (kBitesPerThread * threads_), kShortest, kLongest);
    if (first.expected <= seconds) return whole();
    const double share = static_cast<double>(first.count) * seconds / first.expected;
    return take(std::max<std::int64_t>(1, static_cast<std::int64_t>(share)));
  }
  /// All of the first chunk.
  [[nodiscard]] Chunk whole() { return take(chunks_.front().count); }

  /// Remembers how much there is now.
  void mark() { half_ = 0.5 * seconds_; }
  /// Whether half of that is taken.
  [[nodiscard]] bool half_taken() const { return empty() || seconds_ <= half_; }

 private:
  Chunk take(std::int64_t count) {
    Chunk& first = chunks_.front();
    const Chunk bite = first.part(0, count);
    first = first.part(count, first.count - count);
    seconds_ -= bite.expected;
    if (first.count == 0) chunks_.pop_front();
    if (empty()) seconds_ = 0.0;
    return bite;
  }

  int threads_;
  std::deque<Chunk> chunks_;
  double seconds_ = 0.0;  // expected, of all that is queued
  double half_ = 0.0;
};

}  // namespace tasfg
