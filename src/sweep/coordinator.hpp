/// Rank 0's part of a sweep: finds out what is left to do (Inventory), hands it out (Dispatch) to the ranks
/// (Team), writes down what comes back (ResultWriter), watches who is alive (Liveness), and ends it all,
/// early where it must (EarlyEnd).
#pragma once

#include <cstdint>
#include <string>

#include "tasfg/base/stopwatch.hpp"
#include "tasfg/sweep/dispatch.hpp"
#include "tasfg/sweep/early_end.hpp"
#include "tasfg/sweep/inventory.hpp"
#include "tasfg/sweep/liveness.hpp"
#include "tasfg/sweep/progress.hpp"
#include "tasfg/sweep/result_writer.hpp"
#include "tasfg/sweep/scheduler.hpp"
#include "tasfg/sweep/sweep.hpp"
#include "tasfg/sweep/team.hpp"

namespace tasfg {

class Coordinator {
 public:
  Coordinator(const SweepOptions& options, const Grid& grid, ResultWriter& results, Team& team,
              Progress& progress);
  /// Until all is done, or interrupted; returns the exit status. Whatever it throws, the other ranks are sent
  /// home first.
  int run();

 private:
  void begin();
  void round();
  int finish();

  bool receive();
  void greet(int rank, const Hello& hello);
  void take(Report report);
  bool hand_out();
  void show_progress(double now);
  void keep_file(double now);
  void watch_ranks(double now);
  void end_in_time(double now);
  void interrupt(const std::string& why, Cause cause = Cause::other);
  void name_silent_ranks(double now);
  [[nodiscard]] bool nobody_answers(double now) const;
  void expect_complete() const;
  void queue_again();
  void say_interrupted(double seconds);
  void say_done(double seconds);

  const SweepOptions& options_;
  const std::uint64_t digest_;
  ResultWriter& results_;
  Team& team_;
  Progress& progress_;
  Stopwatch clock_;
  Scheduler scheduler_;
  Inventory inventory_;
  Dispatch dispatch_;
  Liveness liveness_;
  BackOff back_off_;
  EarlyEnd end_;
  double next_look_ = 0.0;        // at ranks and file
  bool lost_rank_ = false;        // one gave no sign of life
  std::int64_t done_before_ = 0;  // tasks, in earlier sittings
  double cpu_before_ = 0.0;       // seconds of this thread
};

}  // namespace tasfg
