/// The ranks of a sweep as rank 0 sees them: its own worker threads and the other ranks take the same orders
/// and send the same messages.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/messages.hpp"
#include "tasfg/sweep/worker_pool.hpp"

namespace tasfg {

class Team {
 public:
  /// Starts the threads of rank 0.
  Team(Link& link, const Grid& grid, int threads);

  [[nodiscard]] int size() const { return link_.size(); }
  [[nodiscard]] bool alone() const { return link_.alone(); }
  /// Messages between rank 0 and the others so far.
  [[nodiscard]] std::int64_t messages() const { return link_.messages(); }

  void order(int rank, std::vector<Chunk> chunks);
  void drain();
  void cancel();
  /// A sign of life to everybody.
  void beat();
  /// Hands every message that is there to `handle`, with the rank that it comes from.
  void receive(const std::function<void(int from, ToCoordinator message)>& handle);
  /// Sleeps until rank 0's own threads report something, but no longer than `at_most`.
  void wait(std::chrono::microseconds at_most) { pool_.wait(at_most); }
  /// Sends the other ranks home with this exit status. MPI must not be left while a message is under way, so
  /// it waits until each has sent its last one.
  void dismiss(int status);
  /// Some may not answer any more: leaves without them.
  void abandon() { link_.abandon(); }

 private:
  void tell_others(const ToWorker& message);

  Link& link_;
  std::optional<Hello> hello_;  // rank 0's own, until it is received
  WorkerPool pool_;
};

}  // namespace tasfg
