/// What there is to do and what is done: finds out from the result file what is left, fills the scheduler
/// with it, takes results in, and counts. No clock, no messages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tasfg/job/job.hpp"
#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/report.hpp"
#include "tasfg/sweep/result_writer.hpp"
#include "tasfg/sweep/scheduler.hpp"
#include "tasfg/sweep/shard.hpp"

namespace tasfg {

/// Tasks of a shard that a file calls pending.
[[nodiscard]] std::int64_t pending_tasks(const ResultFile& file, const Shard& shard);

class Inventory {
 public:
  /// Tasks of the part of the grid that this sweep has. Failed ones are done, too.
  struct Counts {
    std::int64_t total = 0, done = 0, failed = 0;
  };
  /// `say` gets a text for people about every task that fails.
  Inventory(const Grid& grid, ResultWriter& results, Scheduler& scheduler,
            std::function<void(const std::string&)> say);

  /// Reads the file and hands what it calls pending to the scheduler. Runs that were started several times
  /// and never ended come last; what has crashed its process too often is marked failed.
  void collect(const Shard& shard, const CrashCounts& crashes);
  /// Chunks are handed out: notes in the file that their runs were started once more.
  void start(std::span<const Chunk> chunks);
  void start(const Chunk& chunk) { start(std::span(&chunk, 1)); }
  /// It was given back, or never came back, without a fault of its runs: the start does not count.
  void undo_start(const Chunk& chunk);
  /// The same for a chunk of which some runs may have come back.
  void abandon(const Chunk& chunk);
  /// Takes in what a report says, and lets the scheduler learn from it. Its runs are written by the next
  /// flush.
  void take(Report report);
  /// Writes down the runs that were taken in.
  void flush();

  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Expected seconds of runs that the scheduler does not have yet: whether they are needed, others decide.
  [[nodiscard]] double seconds_to_come() const;
  /// Draws of all runs that were taken in.
  [[nodiscard]] double steps() const { return steps_; }
  /// Seconds that threads spent on what was taken in.
  [[nodiscard]] double busy_seconds() const { return busy_seconds_; }

 private:
  void collect_cases(const Shard& shard, const CrashCounts& crashes);
  void collect_runs(CellId cell);
  /// Hands seeds of a cell to the scheduler, up to this one.
  void release(CellId cell, std::int64_t end);
  [[nodiscard]] bool holds(CellId cell) const;
  /// Looks whether the runs of a case are enough, and acts on it.
  void decide(CaseId id);
  void end_cell(CellId cell, const Decision& decision);
  void drop_unneeded(Report& report) const;
  void learn_from(PackedRows& runs);
  void decide_on(std::span<const Stretch> runs);
  void open_cells(CaseId id, const CaseSolution& solution);
  void fail_case(CaseId id);
  void fail_run(RunName run);
  void add_failure(const Failure& failure);
  void write_attempts(const Chunk& chunk, std::int32_t more);
  [[nodiscard]] std::int32_t attempts_before(RunName run) const;

  /// How far a cell is.
  struct CellState {
    std::int64_t released = 0;  // seeds below it were handed to the scheduler
    std::int64_t taken = 0;     // runs that were counted
    std::int64_t look = 0;      // seeds below it are to be settled before the next decision
    std::int64_t left = 0;      // of these, not settled yet
    std::int64_t skip = 0;      // looks below it were not enough
    bool ended = false;         // no seed from `released` on is needed
    Decision decision;          // the last one
  };

  const Grid& grid_;
  Shard shard_;
  Splitting splitting_;
  CrashCounts crashes_;
  std::vector<CellState> cells_;
  ResultWriter& results_;
  Scheduler& scheduler_;
  std::function<void(const std::string&)> say_;
  std::map<RunName, std::int32_t> attempts_;  // of pending runs that were started in earlier sittings
  std::vector<PackedRows> unwritten_;
  Counts counts_;
  double steps_ = 0.0, busy_seconds_ = 0.0;
};

}  // namespace tasfg
