/// Which task runs next. No clock, no messages: the coordinator and the simulation of large clusters
/// (tests/campaigns/scaling.cpp) drive the same code.
///
/// Tasks of one cell (case, algorithm) cost about the same, cells differ by orders of magnitude. So: first
/// one task of every cell, dearest first by the prediction, to learn what it costs; then always the cell
/// whose tasks are dearest, so that what runs last is short. Cheap tasks travel in chunks of neighbours.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tasfg {

enum class ChunkKind : std::int64_t { solve, run };

/// Work for one thread: cases [first, first + count), or seeds [first, first + count) of a cell.
struct Chunk {
  std::int64_t id = 0;
  ChunkKind kind = ChunkKind::run;
  std::int64_t cell = 0;  // unused where kind is solve
  std::int64_t first = 0;
  std::int64_t count = 0;
  double expected = 0.0;  // seconds
};

class Scheduler {
 public:
  Scheduler(std::size_t cases, std::size_t algorithms);

  // What there is to do.
  void add_case(std::size_t case_index, double expected_seconds);
  /// Seeds [first, last) of a cell. Suspects were under way when a process died more than once: they run
  /// after all others.
  void add_runs(std::size_t cell, std::int64_t first, std::int64_t last, bool suspect = false);
  /// Predicted seconds of one task of a cell; until then its runs wait.
  void open_cell(std::size_t cell, double expected_seconds);

  // Handing out and taking back.
  /// The next chunk for one of `threads` threads, at time `now`; nothing where all is handed out, or where
  /// nothing can end within `time_left`.
  [[nodiscard]] std::optional<Chunk> next(double now, double threads, double time_left);
  /// Expected seconds of the task that would come next; 0 where none would.
  [[nodiscard]] double next_expected() const;
  /// A small part of each thread's share of what waits, in seconds: a task that is shorter does not matter
  /// for the end.
  [[nodiscard]] double share(double threads) const { return waiting_seconds_ / (kChunksPerThread * threads); }
  /// A task of the cell took so long.
  void measured(std::size_t cell, double seconds);
  /// A chunk has ended; `undone` of it, counted from its end, goes back.
  void closed(std::int64_t id, std::int64_t undone = 0);

  // How far it is.
  [[nodiscard]] bool finished() const { return waiting_ == 0 && outstanding_.empty(); }
  [[nodiscard]] std::int64_t waiting() const { return waiting_; }  // tasks not handed out
  [[nodiscard]] std::size_t outstanding() const { return outstanding_.size(); }
  /// Expected seconds of all that is not done, chunks under way included.
  [[nodiscard]] double seconds_left(double now) const;
  /// Expected seconds of one task of the cell.
  [[nodiscard]] double expected(std::size_t cell) const;

 private:
  static constexpr double kChunksPerThread = 8.0;  // that the remaining work is split into, at least
  struct Interval {
    std::int64_t first, last;
  };
  struct Cell {
    double predicted = 0.0;  // 0: not open yet
    double sum = 0.0;        // of measured seconds
    double floor = 0.0;      // what a task under way has taken already
    std::int64_t measured = 0;
    bool tried = false;
    std::vector<Interval> pending, suspects;  // the next interval is at the back
    std::int64_t count = 0;                   // in pending
  };
  struct Ratio {  // measured over predicted, by algorithm
    double log_sum = 0.0;
    double largest = 0.0;
    std::int64_t count = 0;
  };
  struct UnderWay {
    Chunk chunk;
    double since;
    bool suspect;
  };

  /// What a task of the cell may well cost: a cell of which little is known may have runs as long as any of
  /// its algorithm's, whatever its first ones took. Decides the order.
  [[nodiscard]] double risk(std::size_t cell) const;
  void sort(double now);
  [[nodiscard]] std::optional<Chunk> take(std::size_t cell, std::int64_t at_most, bool suspect, double now);
  [[nodiscard]] std::optional<Chunk> next_case(double now, double time_left);
  [[nodiscard]] std::optional<Chunk> next_run(double now, double threads, double time_left);

  std::size_t algorithms_;
  std::vector<Cell> cells_;
  std::vector<Ratio> ratios_;
  std::vector<double> case_seconds_;
  std::vector<Interval> cases_;     // unsolved, the next at the back
  std::vector<std::size_t> fresh_;  // open cells of which nothing was handed out; the dearest at the back
  std::vector<std::size_t> order_;  // cells with pending runs, the dearest at the back
  std::map<std::int64_t, UnderWay> outstanding_;
  std::int64_t waiting_ = 0, suspects_waiting_ = 0, next_id_ = 1;
  double left_ = 0.0;             // seconds_left at the last sort
  double waiting_seconds_ = 0.0;  // the part of it that is not handed out
  double sorted_at_ = -1e300;
  bool stale_ = true;  // cells were opened or given back since the last sort
};

}  // namespace tasfg
