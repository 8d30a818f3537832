#include "worker.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/interruption.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {
namespace {

/// Rank 0 is silent while the disk keeps it waiting: the others give it so many times the patience.
constexpr double kPatienceWithCoordinator = 5.0;
constexpr std::chrono::microseconds kWhileSending{1000};  // between two looks: rank 0 waits
/// But one that was told to stop waits so many seconds at most.
constexpr double kLongestAnswer = 10.0;

}  // namespace

Worker::Worker(Link& link, const Grid* grid, int threads, double lost_after)
    : link_(link),
      lost_after_(lost_after),
      back_off_(BackOff::longest_of(link.size())),
      calm_(BackOff::longest_supplied(link.size())) {
  if (grid != nullptr) pool_.emplace(*grid, threads, link.size());
  liveness_.watch(0, "rank 0, the coordinator", 0.0);
}

int Worker::run() {
  while (true) {
    const double now = clock_.seconds();
    const bool received = receive(now);
    if (exit_status_) return *exit_status_;
    const bool reported = report();
    pass_on_signals();
    if (reported) liveness_.sent(now);  // a sign of life, too
    if (liveness_.beat_due(now)) link_.send(0, pack<ToCoordinator>(Alive{}));
    watch_coordinator(now);
    BackOff& back_off = pool_ && pool_->supplied() ? calm_ : back_off_;
    const std::chrono::microseconds rest = back_off.after_round(!received && !reported);
    wait(link_.sending() ? std::min(rest, kWhileSending) : rest);
  }
}

/// Handles all messages that are there; whether there was any.
bool Worker::receive(double now) {
  bool any = false;
  while (auto parcel = link_.receive()) {
    any = true;
    liveness_.heard(0, now);
    std::visit(Handle{
                   [&](const Lease& lease) { pool_->push(lease.chunks); },
                   [&](Drain) {
                     if (pool_) pool_->drain();
                   },
                   [&](Cancel) {
                     if (pool_) pool_->cancel();
                   },
                   [&](Stop stop) {
                     link_.send(0, pack<ToCoordinator>(Bye{}));
                     link_.flush();
                     exit_status_ = stop.status;
                   },
                   [](Alive) {},
               },
               unpack<ToWorker>(std::move(parcel->bytes)));
    if (exit_status_) break;  // nothing may follow the goodbye
  }
  return any;
}

/// Sends what the threads have to report; whether there was anything.
bool Worker::report() {
  if (!pool_) return false;
  Report report = pool_->take();
  if (report.empty()) return false;
  pool_->join_runs(report);
  link_.send(0, pack<ToCoordinator>(std::move(report)));
  return true;
}

void Worker::pass_on_signals() {
  if (interrupted_ || interruptions() == 0) return;
  interrupted_ = true;
  link_.send(0, pack<ToCoordinator>(Interrupted{time_is_short()}));
}

void Worker::watch_coordinator(double now) const {
  // All ranks lose rank 0 at the same time. They give up one after the other: the first one's end ends them
  // all.
  const double turn = 0.5 * std::min(link_.rank() - 1, 10);
  const double patience =
      interrupted_ ? std::min(kLongestAnswer, lost_after_) : kPatienceWithCoordinator * lost_after_;
  if (liveness_.silence(0, now) <= patience + turn) return;
  say(fmt::format("rank {} on {}: no sign of life from {} for {:.0f} s; run the same command again to go on",
                  link_.rank(), host_name(), liveness_.name(0), liveness_.silence(0, now)));
  std::_Exit(kExitInterrupted);  // what its threads run may take long
}

void Worker::wait(std::chrono::microseconds at_most) {
  if (pool_)
    pool_->wait(at_most);
  else
    std::this_thread::sleep_for(at_most);
}

}  // namespace tasfg
