/// What the threads of a rank have done until it is reported. Rows go to the file with one call for each
/// value of each run of neighbours, so that many short runs cost rank 0 far more than one long one: what is
/// done stands back while a task before it is under way, until the next report. No clock, no threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tasfg/base/contract.hpp"
#include "tasfg/sweep/bite_queue.hpp"
#include "tasfg/sweep/chunk.hpp"
#include "tasfg/sweep/report.hpp"

namespace tasfg {

/// `Rows` is what comes with a part.
template <typename Rows>
class Harvest {
 public:
  /// A thread has taken a bite.
  void begin(const Chunk& bite) {
    under_way_.push_back({bite.id, bite.kind, bite.first, bite.first + bite.count});
  }
  /// So much of a bite is done, or given back. A bite comes in parts one after the other.
  void add(const Part& part, Rows rows) {
    const auto bite = std::find_if(under_way_.begin(), under_way_.end(), [&](const Bite& each) {
      return each.chunk == part.chunk && each.first == part.first;
    });
    TASFG_EXPECT(bite != under_way_.end());
    bite->first += part.done + part.undone;
    if (bite->first == bite->end) under_way_.erase(bite);
    done_.push_back({part, std::move(rows), false});
  }
  [[nodiscard]] bool empty() const { return done_.empty(); }
  /// Seconds until it is time for a report, where the last one was `since` seconds ago: soon after half of
  /// what was queued is taken, so that the next chunks come before the last are done; at once when nothing is
  /// left to do; and seldom otherwise. Never where there is nothing to report.
  [[nodiscard]] double due_in(const BiteQueue& queue, double since, double interval) const {
    constexpr double kSoon =
        0.125;  // of the interval: a rank that waits for work must not flood who hands it out
    if (empty()) return std::numeric_limits<double>::infinity();
    if (queue.empty() && under_way_.empty()) return 0.0;
    return std::max(0.0, (queue.half_taken() ? kSoon : 1.0) * interval - since);
  }

  /// What is to be reported now: all that nothing before it in its chunk is under way of, and what has stood
  /// back once. Neighbouring parts are one; the rows come in any order.
  std::pair<std::vector<Part>, std::vector<Rows>> take() {
    std::pair<std::vector<Part>, std::vector<Rows>> taken;
    auto& [parts, rows] = taken;
    for (Done& each : done_) {
      each.late = each.late || std::none_of(under_way_.begin(), under_way_.end(),
                                            [&](const Bite& bite) { return bite.holds_back(each.part); });
      if (!each.late) continue;
      parts.push_back(each.part);
      rows.push_back(std::move(each.rows));
    }
    std::erase_if(done_, [](const Done& each) { return each.late; });
    for (Done& each : done_) each.late = true;
    join(parts);
    return taken;
  }

 private:
  struct Bite {
    ChunkId chunk;
    TaskKind kind;
    std::int64_t first, end;

    /// Runs wait for each other; a solution is waited for.
    [[nodiscard]] bool holds_back(const Part& part) const {
      return kind == TaskKind::run && chunk == part.chunk && first < part.first;
    }
  };
  struct Done {
    Part part;
    Rows rows;
    bool late;  // it must not wait any longer
  };

  static void join(std::vector<Part>& parts) {
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return std::pair(a.chunk, a.first) < std::pair(b.chunk, b.first);
    });
    std::size_t last = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      Part& before = parts[last];
      const Part& next = parts[i];
      if (before.chunk == next.chunk && before.undone == 0 && before.first + before.done == next.first) {
        before.done += next.done;
        before.undone = next.undone;
      } else {
        parts[++last] = next;
      }
    }
    if (!parts.empty()) parts.resize(last + 1);
  }

  std::vector<Bite> under_way_;
  std::vector<Done> done_;
};

}  // namespace tasfg
