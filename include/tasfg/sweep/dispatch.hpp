/// Who does what: keeps the threads of all ranks busy with chunks from the scheduler. No clock, no messages;
/// rank 0 is a rank like the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tasfg/sweep/report.hpp"
#include "tasfg/sweep/scheduler.hpp"

namespace tasfg {

/// Chunks and the rank that is to run them.
struct Order {
  int rank = 0;
  std::vector<Chunk> chunks;
};

class Dispatch {
 public:
  Dispatch(Scheduler& scheduler, int ranks)
      : scheduler_(scheduler), ranks_(static_cast<std::size_t>(ranks)) {}

  /// From now on `rank` takes work for so many threads.
  void add_rank(int rank, int threads);
  /// What to send to whom at time `now`: something for every idle thread, and some in reserve. Nothing that
  /// cannot end within `time_left` seconds.
  [[nodiscard]] std::vector<Order> hand_out(double now, double time_left);
  /// Takes a part of a chunk back; what is undone is to be handed out again. Returns that.
  Chunk take_back(const Part& part);

  /// The chunks that are handed out, and to which rank.
  [[nodiscard]] const std::map<ChunkId, int>& out() const { return rank_of_; }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] int busy_threads() const;
  /// Chunks handed out so far.
  [[nodiscard]] std::int64_t chunks() const { return chunks_; }

 private:
  struct Rank {
    int threads = 0;                // 0: it has not come yet
    int chunks = 0;                 // handed out and not come back
    std::int64_t tasks = 0;         // of these
    double seconds = 0.0;           // expected, of the tasks
    std::multiset<double> singles;  // expected seconds of those that travelled alone
    [[nodiscard]] int busy() const { return static_cast<int>(std::min<std::int64_t>(tasks, threads)); }
    [[nodiscard]] int longer_than(double limit) const {
      return static_cast<int>(std::distance(singles.upper_bound(limit), singles.end()));
    }
  };
  enum class For { idle, reserve };
  /// Threads of a rank that a chunk is wanted for.
  [[nodiscard]] int wanted(const Rank& rank, For what, double long_task) const;
  /// False where the scheduler has nothing.
  bool fill(int number, For what, double now, double time_left, std::vector<Order>& orders);
  [[nodiscard]] Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] Crew crew() const { return {static_cast<double>(threads_), static_cast<double>(come_)}; }

  Scheduler& scheduler_;
  std::vector<Rank> ranks_;
  std::set<int> open_;  // ranks that may want something: others have not changed since they had enough
  std::map<ChunkId, int> rank_of_;
  int threads_ = 0, come_ = 0;
  std::int64_t chunks_ = 0;
};

}  // namespace tasfg
