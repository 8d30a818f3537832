/// Which task runs next. No clock, no messages: the coordinator and the simulation of large clusters
/// (tests/campaigns/scaling.cpp) drive the same code.
///
/// Tasks of one cell (case, algorithm) cost about the same, cells differ by orders of magnitude. So: first
/// one task of every cell, dearest first by the prediction, to learn what it costs; then, as long as all
/// tasks are short beside what is left, every cell in proportion to its work, so that rows come evenly; and
/// then always the cell whose tasks are dearest, so that what runs last is short. Cheap tasks travel in
/// chunks of neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "tasfg/sweep/chunk.hpp"

namespace tasfg {

/// When runs have their turn. Those that were under way when a process died more than once run after all
/// others: should they do it again, nothing else is lost.
enum class Turn { by_cost, last };

/// Who works: threads, and the ranks that they belong to. A number stands for so many ranks of one thread
/// each.
struct Crew {
  double threads = 1.0, ranks = 1.0;
  Crew(double both) : threads(both), ranks(both) {}
  Crew(double of_threads, double of_ranks) : threads(of_threads), ranks(of_ranks) {}
};

class Scheduler {
 public:
  explicit Scheduler(CellGrid grid);
  [[nodiscard]] const CellGrid& grid() const { return grid_; }

  // What there is to do.
  void add_case(CaseId id, double expected_seconds);
  /// Seeds [first, last) of a cell.
  void add_runs(CellId cell, std::int64_t first, std::int64_t last, Turn turn = Turn::by_cost);
  /// Seeds from `end` on are not needed: those that wait are forgotten, and those that come back.
  void end_runs(CellId cell, std::int64_t end);
  /// Predicts the seconds of one run of a cell; until then its runs wait.
  void open_cell(CellId cell, double predicted_seconds);

  // Handing out and taking back.
  /// The next chunk for `width` threads of a rank, at time `now`; nothing where all is handed out, or where
  /// nothing can end within `time_left`.
  [[nodiscard]] std::optional<Chunk> next(double now, const Crew& crew, double time_left, int width = 1);
  /// Seconds that a chunk is to take. While nobody knows what most of the work takes they are few: chunks of
  /// cells that nobody has measured hold few runs, and hundreds of them would go to each rank before the
  /// first of them comes back.
  [[nodiscard]] double chunk_seconds(const Crew& crew) const;
  /// Expected seconds of the task that would come next; 0 where none would.
  [[nodiscard]] double next_expected() const;
  /// A small part of each thread's share of what waits, in seconds: a task that is shorter does not matter
  /// for the end.
  [[nodiscard]] double share(double threads) const { return waiting_seconds_ / (kChunksPerThread * threads); }
  /// Seconds of runs of one cell: how many, their sum, the longest.
  struct Measured {
    std::int64_t count = 0;
    double sum = 0.0, longest = 0.0;
    void add(double seconds) {
      ++count;
      sum += seconds;
      longest = std::max(longest, seconds);
    }
  };
  /// Corrects what is expected of the cell, and of its algorithm, by what its runs took.
  void learn(CellId cell, const Measured& runs);
  void learn(CellId cell, double seconds) { learn(cell, {1, seconds, seconds}); }
  /// A chunk that is handed out.
  [[nodiscard]] const Chunk& chunk(ChunkId id) const;
  /// What is left of it: tasks that are neither done nor given back. 0 where it is not out.
  [[nodiscard]] std::int64_t left(ChunkId id) const;
  /// So many of its tasks are done.
  void finish(ChunkId id, std::int64_t done);
  /// `count` of its tasks from `first` on, a case or a seed, wait again; returns them.
  Chunk give_back(ChunkId id, std::int64_t first, std::int64_t count);

  // How far it is.
  [[nodiscard]] bool finished() const { return waiting_ == 0 && outstanding_.empty(); }
  [[nodiscard]] std::int64_t waiting() const { return waiting_; }  // tasks not handed out
  /// Expected seconds of all that is not done, chunks under way included.
  [[nodiscard]] double seconds_left(double now) const;
  /// Expected seconds of one run of the cell.
  [[nodiscard]] double expected(CellId cell) const;

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
    bool tried = false;                   // one of its runs was handed out
    std::vector<Interval> by_cost, last;  // runs that wait; the next interval is at the back
    std::int64_t count = 0;               // in by_cost
    std::int64_t end = std::numeric_limits<std::int64_t>::max();  // seeds from here on are not needed
  };
  struct Ratio {  // measured over predicted, by algorithm
    double log_sum = 0.0;
    double largest = 0.0;
    std::int64_t count = 0;
  };
  struct UnderWay {
    Chunk chunk;
    double since;
    Turn turn;
    std::int64_t left;  // tasks
  };

  /// What a task of the cell may well cost: a cell of which little is known may have runs as long as any of
  /// its algorithm's, whatever its first ones took. Decides the order.
  [[nodiscard]] double risk(CellId cell) const;
  void sort(double now);
  [[nodiscard]] std::optional<Chunk> take(CellId cell, std::int64_t at_most, Turn turn, double now);
  [[nodiscard]] std::optional<Chunk> next_case(double now, double time_left, int width);
  [[nodiscard]] std::optional<Chunk> next_run(double now, const Crew& crew, double time_left, int width);
  [[nodiscard]] std::optional<CellId> in_proportion(const Crew& crew);
  [[nodiscard]] Chunk hand_out(Chunk chunk, double now, Turn turn);
  [[nodiscard]] UnderWay& under_way(ChunkId id);

  [[nodiscard]] Cell& at(CellId cell) { return cells_[cell.value()]; }
  [[nodiscard]] const Cell& at(CellId cell) const { return cells_[cell.value()]; }
  [[nodiscard]] const Ratio& ratio_of(CellId cell) const { return ratios_[grid_.algorithm_of(cell).value()]; }

  CellGrid grid_;
  std::vector<Cell> cells_;
  std::vector<Ratio> ratios_;
  std::vector<double> case_seconds_;
  std::vector<Interval> cases_;  // unsolved, the next at the back
  std::vector<CellId> fresh_;    // open cells of which nothing was handed out; the dearest at the back
  std::vector<CellId> order_;    // cells with waiting runs, the dearest at the back
  std::vector<double> work_;     // expected seconds of these at the last sort, each added to those before it
  double turn_ = 0.0;            // where among them, as a part of all
  std::map<ChunkId, UnderWay> outstanding_;
  std::int64_t waiting_ = 0, last_waiting_ = 0;  // tasks; those of Turn::last
  ChunkId next_id_;
  double left_ = 0.0;             // seconds_left at the last sort
  double waiting_seconds_ = 0.0;  // the part of it that is not handed out
  double sorted_at_ = -1e300;
  bool mostly_measured_ = false;  // at the last sort, of what waited: some of its cell's runs were
  bool stale_ = true;             // cells were opened or given back since the last sort
};

}  // namespace tasfg
