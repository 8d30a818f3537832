/// The part of a rank other than 0 in a sweep: runs what it is sent, reports, and gives up when the
/// coordinator is gone.
#pragma once

#include <optional>

#include "tasfg/base/stopwatch.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/liveness.hpp"
#include "tasfg/sweep/messages.hpp"
#include "tasfg/sweep/worker_pool.hpp"

namespace tasfg {

class Worker {
 public:
  /// `grid` is null where this rank cannot work and waits for its dismissal. `lost_after` as in SweepOptions.
  Worker(Link& link, const Grid* grid, int threads, double lost_after);
  /// Until it is dismissed; returns the exit status. Leaves the process where the coordinator is lost.
  int run();

 private:
  bool receive(double now);
  bool report();
  void pass_on_signals();
  void watch_coordinator(double now) const;
  void wait(std::chrono::microseconds at_most);

  Link& link_;
  double lost_after_;
  Stopwatch clock_;
  std::optional<WorkerPool> pool_;
  Liveness liveness_;
  BackOff back_off_, calm_;           // while it waits for work, and while it has enough
  bool interrupted_ = false;          // and rank 0 was told
  std::optional<int> exit_status_{};  // once it is dismissed
};

}  // namespace tasfg
