#include "coordinator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/crash_log.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/interruption.hpp"
#include "tasfg/sweep/slurm.hpp"

namespace tasfg {
namespace {

constexpr double kReserve = 15.0;  // seconds before the end of the walltime in which nothing runs
constexpr double kLookInterval =
    0.05;  // seconds: with thousands of ranks a look at all of them takes a while
constexpr double kNoAnswer = 2.5 * kBeat;  // silence of a rank that is asked to end

Cause cause_of(bool time_is_short) {
  return time_is_short ? Cause::out_of_time : Cause::other;
}

}  // namespace

Coordinator::Coordinator(const SweepOptions& options, const Grid& grid, ResultWriter& results, Team& team,
                         Progress& progress)
    : options_(options),
      digest_(grid.digest()),
      results_(results),
      team_(team),
      progress_(progress),
      scheduler_({grid.cases.size(), grid.algorithms.size()}),
      inventory_(grid, results, scheduler_, [&progress](const std::string& text) { progress.say(text); }),
      dispatch_(scheduler_, team.size()),
      back_off_(team.alone() ? BackOff::kLongestAlone : BackOff::kLongest) {}

int Coordinator::run() {
  try {
    begin();
    while (!scheduler_.finished() && end_.phase() != Phase::given_up) round();
    return finish();
  } catch (...) {  // the disk, or a rank that sees other files
    team_.cancel();
    team_.dismiss(kExitError);
    results_.look();  // where the file was lost, that is what went wrong
    throw;
  }
}

void Coordinator::begin() {
  cpu_before_ = thread_cpu_seconds();
  if (!team_.alone())
    announce_interruptions(
        "tasfg: told to stop; should it be killed now, run the same command again to go on\n");
  inventory_.collect(options_.shard, read_crashes(options_.output, digest_));
  done_before_ = inventory_.counts().done;
  receive();  // rank 0's own hello: the file is to say how many threads it has
  results_.write_live();
}

void Coordinator::round() {
  const bool received = receive();
  const bool handed_out = hand_out();
  const double now = clock_.seconds();
  if (now >= next_look_) {
    next_look_ = now + kLookInterval;
    show_progress(now);
    keep_file(now);
    watch_ranks(now);
  }
  end_in_time(now);
  team_.wait(back_off_.after_round(!received && !handed_out));
}

/// Handles all messages that are there; whether there was any report among them.
bool Coordinator::receive() {
  bool reported = false;
  team_.receive([&](int from, ToCoordinator message) {
    liveness_.heard(from, clock_.seconds());
    std::visit(Handle{
                   [&](const Hello& hello) { greet(from, hello); },
                   [&](Report& report) {
                     take(std::move(report));
                     reported = true;
                   },
                   [&](const Interrupted& told) {
                     interrupt(fmt::format("{} was told to stop", liveness_.name(from)),
                               cause_of(told.time_is_short));
                   },
                   [](const Alive&) {},
                   [](const Bye&) {},
               },
               message);
  });
  inventory_.flush();
  return reported;
}

void Coordinator::greet(int rank, const Hello& hello) {
  const std::string name = fmt::format("rank {} on {}", rank, hello.host);
  if (!hello.complaint.empty()) throw InputError(name, remark(hello.complaint));
  if (hello.digest != digest_) throw InputError(name, remark("reads another job or graph file than rank 0"));
  results_.add_rank(hello.host, hello.threads);
  dispatch_.add_rank(rank, hello.threads);
  if (rank != 0) liveness_.watch(rank, name, clock_.seconds());
}

void Coordinator::take(Report report) {
  for (const Part& part : report.parts) inventory_.undo_start(dispatch_.take_back(part));
  inventory_.take(std::move(report));
}

bool Coordinator::hand_out() {
  if (!end_.running()) return false;
  const double now = clock_.seconds();
  std::vector<Order> orders = dispatch_.hand_out(now, options_.walltime - kReserve - now);
  for (Order& order : orders) {
    inventory_.start(order.chunks);
    team_.order(order.rank, std::move(order.chunks));
  }
  return !orders.empty();
}

void Coordinator::show_progress(double now) {
  if (!progress_.due(now)) return;
  const Inventory::Counts& tasks = inventory_.counts();
  progress_.update(now, {tasks.done, tasks.total, tasks.failed, inventory_.steps(),
                         scheduler_.seconds_left(now) + inventory_.seconds_to_come(),
                         dispatch_.busy_threads(), dispatch_.threads()});
}

void Coordinator::keep_file(double now) {
  results_.set_busy(dispatch_.busy_threads());
  if (!results_.keep(now)) interrupt("another sweep took the lock of the result file");
}

/// Ends the sweep when a rank is silent: it would wait for what that rank runs.
void Coordinator::watch_ranks(double now) {
  if (liveness_.beat_due(now)) team_.beat();
  if (!end_.running()) return;
  const std::string silent = liveness_.silent_ranks(now, options_.lost_after);
  if (silent.empty()) return;
  lost_rank_ = true;
  interrupt(fmt::format("no sign of life for {:.0f} s from {}", options_.lost_after, silent));
}

void Coordinator::end_in_time(double now) {
  if (interruptions() > 0) interrupt(interruption_name(), cause_of(time_is_short()));
  // Where nothing runs and nothing was handed out, what is left cannot end in time.
  const bool stuck = scheduler_.waiting() > 0 && dispatch_.out().empty() && dispatch_.threads() > 0;
  if (stuck || now > options_.walltime - kReserve / 2)
    interrupt("the walltime is nearly over", Cause::out_of_time);
  const Haste haste = nobody_answers(now)   ? Haste::nobody_answers
                      : interruptions() > 1 ? Haste::cancel_now
                                            : Haste::none;
  if (end_.advance(now, haste) && end_.phase() == Phase::cancelled) team_.cancel();
}

/// Begins the end, unless it has begun before.
void Coordinator::interrupt(const std::string& why, Cause cause) {
  const double now = clock_.seconds();
  if (!end_.begin(now, why, cause)) return;
  name_silent_ranks(now);
  team_.drain();
  if (lost_rank_) progress_.say(fmt::format("ending ({})", end_.why()));
}

/// A signal may have come because a host is lost: says which one.
void Coordinator::name_silent_ranks(double now) {
  if (lost_rank_) return;
  const std::string silent = liveness_.silent_ranks(now, kNoAnswer);
  if (silent.empty()) return;
  lost_rank_ = true;
  end_.add_reason(fmt::format("; no answer from {}", silent));
}

/// Whether all that is handed out, if anything, is with ranks that are silent.
bool Coordinator::nobody_answers(double now) const {
  return std::all_of(dispatch_.out().begin(), dispatch_.out().end(),
                     [&](const auto& each) { return liveness_.silence(each.second, now) > kNoAnswer; });
}

int Coordinator::finish() {
  const double seconds = clock_.seconds();
  const bool complete = scheduler_.finished();
  const bool failed = inventory_.counts().failed > 0;
  for (const auto& [chunk, rank] : dispatch_.out()) inventory_.abandon(scheduler_.chunk(chunk));
  results_.close(!complete ? "interrupted" : failed ? "failed" : "complete");
  if (complete) expect_complete();
  progress_.finish();
  const int status = !complete ? kExitInterrupted : failed ? kExitFailed : 0;
  if (!complete) say_interrupted(seconds);
  // Before any rank leaves: srun ends the step, this process included, when one has left with status 75.
  if (!complete && end_.cause() == Cause::out_of_time && options_.requeue) queue_again();
  if (!dispatch_.out().empty() || lost_rank_)
    team_.abandon();
  else
    team_.dismiss(status);
  if (complete && !failed) forget_crashes(options_.output);
  if (complete) say_done(seconds);
  return status;
}

/// Whoever opens the file by its name must find in it what this sweep believes to have written.
void Coordinator::expect_complete() const {
  const std::int64_t pending = pending_tasks(ResultFile::open(options_.output, Access::read), options_.shard);
  if (pending > 0)
    throw SystemError(
        options_.output,
        remark(fmt::format("lacks {} tasks that were done: something else has changed it", pending),
               "run the same command again"));
}

void Coordinator::queue_again() {
  if (inventory_.counts().done > done_before_)
    (void)slurm_requeue();
  else
    progress_.say(
        "not queued again: no task could be done in the time that the job had (give it a longer --time)");
}

void Coordinator::say_interrupted(double seconds) {
  name_silent_ranks(seconds);
  progress_.say(fmt::format("interrupted ({}) with {} of {} tasks done; run the same command again to go on",
                            end_.why(), inventory_.counts().done, inventory_.counts().total));
}

void Coordinator::say_done(double seconds) {
  const Inventory::Counts& tasks = inventory_.counts();
  const int threads = dispatch_.threads();
  if (!options_.quiet && tasks.done == done_before_)
    progress_.say(fmt::format("{}: nothing left to do", options_.output));
  else if (!options_.quiet)
    progress_.say(
        fmt::format("{}: {} of {} tasks done{} in {} ({} chunks{}); {} steps; {} threads busy {:.1f} %, "
                    "coordinator {:.2f} % "
                    "of a core",
                    options_.output, tasks.done - tasks.failed, tasks.total,
                    tasks.failed > 0 ? fmt::format(", {} failed", tasks.failed) : "", duration_text(seconds),
                    dispatch_.chunks(), team_.alone() ? "" : fmt::format(", {} messages", team_.messages()),
                    count_text(inventory_.steps()), threads,
                    100.0 * inventory_.busy_seconds() / (seconds * std::max(1, threads)),
                    100.0 * (thread_cpu_seconds() - cpu_before_ + results_.cpu_seconds()) / seconds));
  if (tasks.failed > 0)
    progress_.say(fmt::format("{} tasks failed: `tasfg status {}` lists them, --retry-failed runs them again",
                              tasks.failed, options_.output));
}

}  // namespace tasfg
