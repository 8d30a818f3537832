/// What a result file says of a sweep, whether it still runs or not: for `tasfg status` and `tasfg watch`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tasfg/io/result_file.hpp"
#include "tasfg/job/job.hpp"
#include "tasfg/sweep/shard.hpp"

namespace tasfg {

/// Of one algorithm, or of all.
struct Tally {
  std::array<std::int64_t, kTaskStatuses> count{};  // by status
  std::int64_t foreseen = 0;                        // of those pending, that will probably be needed
  double steps = 0.0, seconds = 0.0, seconds_left = 0.0;

  [[nodiscard]] std::int64_t total() const {
    return std::accumulate(count.begin(), count.end(), std::int64_t{0});
  }
  /// Runs that were made.
  [[nodiscard]] std::int64_t settled() const { return count[1] + count[2] + count[3]; }
  /// Of the runs that will probably be needed.
  [[nodiscard]] double percent() const {
    const auto made = static_cast<double>(settled()), all = static_cast<double>(settled() + foreseen);
    return all > 0.0 ? 100.0 * made / all : 100.0;
  }
  Tally& operator+=(const Tally& other);
};

/// How precise a cell is.
struct CellPrecision {
  CellId cell;
  Decision decision;
};

struct FileState {
  std::shared_ptr<const ResultFile> file;
  std::optional<Grid> grid;  // nothing where this program does not understand the job
  LiveState live;
  Shard shard;
  std::string writer;  // empty: nobody writes
  std::int64_t pending = 0;
  std::int64_t cases = 0, cases_done = 0, cases_failed = 0;
  std::vector<Tally> by_algorithm;
  Tally all;
  std::vector<CellPrecision> cells;  // where the job stops at precision; the widest first

  [[nodiscard]] const ResultLayout& layout() const { return file->layout(); }
  [[nodiscard]] bool ended() const { return live.status == "complete" || live.status == "failed"; }
  [[nodiscard]] int exit_status() const;
  [[nodiscard]] double seconds_left_on_threads() const {
    return all.seconds_left / static_cast<double>(std::max<std::int64_t>(1, live.threads));
  }
  [[nodiscard]] std::int64_t cells_that_are(Decision::State state) const {
    return std::count_if(cells.begin(), cells.end(),
                         [&](const CellPrecision& each) { return each.decision.state == state; });
  }
  /// "being written by ...", "complete".
  [[nodiscard]] std::string words() const;
  /// "ring K=5 p=0.3, uniform".
  [[nodiscard]] std::string name(CellId cell) const;
  /// "mean 123.4 +- 2.1 % (2 % asked) at delta 0.368"; or why nothing is known.
  [[nodiscard]] std::string words(const Width& width) const;
};
[[nodiscard]] FileState state_of(const std::string& path);

}  // namespace tasfg
