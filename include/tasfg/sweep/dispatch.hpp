/// Who does what: keeps the threads of all ranks busy with chunks from the scheduler. No clock, no messages;
/// rank 0 is a rank like the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tasfg/sweep/scheduler.hpp"

namespace tasfg {

/// A chunk and the rank that is to run it.
struct Order {
  int rank = 0;
  Chunk chunk;
};

class Dispatch {
 public:
  Dispatch(Scheduler& scheduler, int ranks)
      : scheduler_(scheduler), ranks_(static_cast<std::size_t>(ranks)) {}

  /// From now on `rank` takes work for so many threads.
  void add_rank(int rank, int threads);
  /// What to send to whom at time `now`: a chunk for every idle thread, and some in reserve. Nothing that
  /// cannot end within `time_left` seconds.
  [[nodiscard]] std::vector<Order> hand_out(double now, double time_left);
  /// Takes a chunk back; `undone` of its tasks, counted from its end, are to be handed out again. Returns
  /// these.
  Chunk close(ChunkId id, std::int64_t undone);

  [[nodiscard]] bool is_out(ChunkId id) const { return rank_of_.contains(id); }
  /// The chunks that are handed out, and to which rank.
  [[nodiscard]] const std::map<ChunkId, int>& out() const { return rank_of_; }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] int busy_threads() const;
  /// Chunks handed out so far.
  [[nodiscard]] std::int64_t chunks() const { return chunks_; }

 private:
  struct Rank {
    int threads = 0;               // 0: it has not come yet
    std::multiset<double> chunks;  // handed out and not closed: their expected seconds
    [[nodiscard]] int load() const { return static_cast<int>(chunks.size()); }
    [[nodiscard]] int longer_than(double seconds) const {
      return static_cast<int>(std::distance(chunks.upper_bound(seconds), chunks.end()));
    }
  };

  Scheduler& scheduler_;
  std::vector<Rank> ranks_;
  std::map<ChunkId, int> rank_of_;
  int threads_ = 0;
  std::int64_t chunks_ = 0;
};

}  // namespace tasfg
