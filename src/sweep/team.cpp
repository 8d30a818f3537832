#include "tasfg/sweep/team.hpp"

#include <thread>
#include <utility>

#include "tasfg/base/stopwatch.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sweep/liveness.hpp"

namespace tasfg {
namespace {

constexpr double kLongestGoodbye = 60.0;  // seconds, for a rank that still reads the job when all is done

}  // namespace

Team::Team(Link& link, const Grid& grid, int threads)
    : link_(link),
      hello_(Hello{threads, grid.digest(), host_name(), ""}),
      pool_(grid, threads, link.size()) {}

void Team::tell_others(const ToWorker& message) {
  if (alone()) return;
  const std::string bytes = pack(message);
  for (int rank = 1; rank < size(); ++rank) link_.send(rank, bytes);
}

void Team::order(int rank, std::vector<Chunk> chunks) {
  if (rank == 0)
    pool_.push(chunks);
  else
    link_.send(rank, pack<ToWorker>(Lease{std::move(chunks)}));
}

void Team::drain() {
  pool_.drain();
  tell_others(Drain{});
}

void Team::cancel() {
  pool_.cancel();
  tell_others(Cancel{});
}

void Team::beat() {
  tell_others(Alive{});
}

void Team::receive(const std::function<void(int from, ToCoordinator message)>& handle) {
  if (hello_) handle(0, *std::exchange(hello_, {}));
  if (Report report = pool_.take(); !report.empty()) handle(0, std::move(report));
  while (auto parcel = link_.receive()) handle(parcel->from, unpack<ToCoordinator>(std::move(parcel->bytes)));
}

void Team::dismiss(int status) {
  tell_others(Stop{status});
  int left = size() - 1;
  for (const Stopwatch waited; left > 0 && waited.seconds() < kLongestGoodbye;) {
    while (auto parcel = link_.receive())
      left -= std::holds_alternative<Bye>(unpack<ToCoordinator>(std::move(parcel->bytes))) ? 1 : 0;
    if (left > 0) std::this_thread::sleep_for(BackOff::kShortest);
  }
  if (left > 0)
    link_.abandon();  // what was sent to it may never leave
  else
    link_.flush();
}

}  // namespace tasfg
