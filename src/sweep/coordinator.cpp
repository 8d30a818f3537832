#include "coordinator.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <future>
#include <thread>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/cost_model.hpp"
#include "tasfg/sweep/interruption.hpp"
#include "tasfg/sweep/slurm.hpp"

namespace tasfg {
namespace {

constexpr double kGrace = 4.0;      // seconds for what runs to end by itself after a signal
constexpr double kLastWait = 3.0;   // and then for the ranks to give up what they run
constexpr double kPartWait = 60.0;  // for a rank that still reads the job when all is done
constexpr double kReserve = 15.0;   // before the end of the walltime
constexpr double kNoAnswer = 2.5 * kBeat;
constexpr double kSyncInterval = 30.0;
constexpr int kSuspectStarts = 3;   // starts without an end after which a run waits for all others
constexpr double kShortTask = 0.1;  // seconds; longer ones are not queued behind others near the end
constexpr std::chrono::microseconds kShortestWait{50};
constexpr std::chrono::microseconds kLongestWait{3000};        // between two looks for messages
constexpr std::chrono::microseconds kLongestWaitAlone{50000};  // nobody sends any

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Coordinator::Coordinator(const SweepOptions& options, const Grid& grid, ResultFile& file, WriterLock& lock,
                         Link& link, Progress& progress, int threads, LiveState live)
    : options_(options),
      grid_(grid),
      file_(file),
      lock_(lock),
      link_(link),
      progress_(progress),
      live_(std::move(live)),
      pool_(std::make_unique<WorkerPool>(grid, threads)),
      scheduler_(grid.cases.size(), grid.algorithms.size()),
      ranks_(static_cast<std::size_t>(link.size())) {
  ranks_[0].threads = threads;
  live_.threads = threads;
  hosts_.insert(live_.hosts);
  // Hosts of earlier sittings stay.
  const std::string before = file.live().hosts;
  for (std::size_t at = 0; at < before.size();) {
    const std::size_t comma = std::min(before.find(',', at), before.size());
    if (comma > at) hosts_.insert(before.substr(at, comma - at));
    at = comma + 1;
  }
  live_.hosts = fmt::format("{}", fmt::join(hosts_, ","));
}

int Coordinator::total_threads() const {
  int total = 0;
  for (const Rank& rank : ranks_) total += rank.threads;
  return total;
}

void Coordinator::tell_all(Tag tag, const std::vector<std::int64_t>& words) {
  for (int rank = 1; rank < link_.size(); ++rank) link_.send(rank, tag, words);
}

void Coordinator::note_failure(const Failure& failure) {
  ++failed_;
  file_.add_failure(failure);
  const Case& each = grid_.cases[static_cast<std::size_t>(failure.case_index)];
  if (failure.algorithm < 0) {
    progress_.say(fmt::format("failed: the solution of {}: {}", each.label, failure.message));
    return;
  }
  const auto algorithm = static_cast<std::size_t>(failure.algorithm);
  progress_.say(fmt::format(
      "failed: {} {} seed {}: {}\n  replay: {}", each.label, grid_.algorithms[algorithm].algorithm.name,
      failure.seed, failure.message,
      grid_.replay_command(static_cast<std::size_t>(failure.case_index), algorithm, failure.seed)));
}

void Coordinator::fail_run(std::size_t cell, std::int64_t seed, const std::string& why) {
  const CellGrid cells{grid_.cases.size(), grid_.algorithms.size()};
  const CaseId case_id = cells.case_of(CellId(cell));
  RunRecord record;
  record.status = TaskStatus::failed;
  record.attempts = attempts_[{static_cast<std::int64_t>(cell), seed}];
  file_.run_format().append(runs_, {CellId(cell), seed}, file_.layout().K(case_id), record);
  note_failure({static_cast<std::int32_t>(case_id.value()),
                static_cast<std::int32_t>(cells.algorithm_of(CellId(cell)).value()), seed, why});
}

void Coordinator::open_cells(std::size_t case_index, const CaseSolution& solution) {
  for (std::size_t a = 0; a < grid_.algorithms.size(); ++a) {
    const double seconds = expected_seconds(grid_, case_index, a, solution);
    scheduler_.open_cell(case_index * grid_.algorithms.size() + a, std::isfinite(seconds) ? seconds : 1.0);
  }
}

/// What the file calls pending, and what the cost model can learn from what it calls done.
void Coordinator::collect_tasks() {
  const std::map<TaskName, int> crashes = read_crashes(options_.output, grid_.digest());
  const auto crashed = [&](TaskName task) {
    const auto found = crashes.find(task);
    return found == crashes.end() ? 0 : found->second;
  };
  const auto text = fmt::format("crashed its process {} times", kMostCrashes);
  const std::vector<TaskStatus> case_status = file_.case_values(&CaseSolution::status);
  const bool curves = grid_.algorithms.empty();
  for (std::size_t c = 0; c < grid_.cases.size(); ++c) {
    if (curves && !options_.shard.holds_case(c)) continue;
    ++total_;
    if (case_status[c] == TaskStatus::pending) {
      if (crashed({static_cast<std::int64_t>(c), -1}) >= kMostCrashes) {
        CaseSolution result;
        result.status = TaskStatus::failed;
        CaseBatch batch;
        file_.case_format().append(batch, name_of(CaseId(c)), file_.layout().K(CaseId(c)), result);
        file_.write_cases(batch);
        note_failure({static_cast<std::int32_t>(c), -1, -1, text});
        open_cells(c, result);
        ++done_;
      } else {
        scheduler_.add_case(c, expected_solution_seconds(grid_.cases[c]));
      }
    } else {
      open_cells(c, file_.read_case(CaseId(c)));
      ++done_;
      failed_ += case_status[c] == TaskStatus::failed ? 1 : 0;
    }
  }
  const std::int64_t seeds = grid_.replications;
  for (std::size_t cell = 0; cell < grid_.cells(); ++cell) {
    const std::vector<TaskStatus> status = file_.run_values(&RunRecord::status, CellId(cell));
    const std::vector<std::int32_t> attempts = file_.run_values(&RunRecord::attempts, CellId(cell));
    std::int64_t begin = -1;  // of an interval of pending seeds
    // Intervals are added from the last to the first: the scheduler takes the last one added.
    std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
    for (std::int64_t seed = 0; seed <= seeds; ++seed) {
      const auto s = static_cast<std::size_t>(seed);
      bool plain = seed < seeds && options_.shard.holds(cell, seed, seeds);
      if (plain) {
        ++total_;
        if (status[s] != TaskStatus::pending) {
          ++done_;
          failed_ += status[s] == TaskStatus::failed ? 1 : 0;
          plain = false;
        }
      }
      if (plain && attempts[s] > 0) {
        const TaskName task{static_cast<std::int64_t>(cell), seed};
        attempts_[task] = attempts[s];
        if (crashed(task) >= kMostCrashes) {
          fail_run(cell, seed, text);
          ++done_;
          plain = false;
        } else if (attempts[s] >= kSuspectStarts) {
          scheduler_.add_runs(cell, seed, seed + 1, true);
          plain = false;
        }
      }
      if (plain && begin < 0) begin = seed;
      if (!plain && begin >= 0) {
        intervals.emplace_back(begin, seed);
        begin = -1;
      }
    }
    for (auto it = intervals.rbegin(); it != intervals.rend(); ++it)
      scheduler_.add_runs(cell, it->first, it->second);
  }
  write_down();
}

void Coordinator::note_attempts(const Chunk& chunk, bool started) {
  if (chunk.kind != ChunkKind::run || chunk.count == 0) return;
  std::vector<std::int32_t> counts;
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    const auto before = attempts_.find({chunk.cell, chunk.first + i});
    counts.push_back((before != attempts_.end() ? before->second : 0) + (started ? 1 : 0));
  }
  file_.write_attempts(CellId(chunk.cell), chunk.first, counts);
}

bool Coordinator::hand_to(int rank, double time) {
  const double left = options_.walltime - kReserve - time;
  const auto chunk = scheduler_.next(time, total_threads(), left);
  if (!chunk) return false;
  note_attempts(*chunk, true);
  dispatched_.emplace(chunk->id, Dispatch{rank, *chunk});
  ranks_[static_cast<std::size_t>(rank)].chunks.insert(chunk->expected);
  ++chunks_;
  if (rank == 0)
    pool_->push(*chunk);
  else
    link_.send(rank, Tag::chunks,
               {chunk->id, static_cast<std::int64_t>(chunk->kind), chunk->cell, chunk->first, chunk->count});
  return true;
}

void Coordinator::hand_out() {
  if (phase_ != Phase::running || scheduler_.waiting() == 0) return;
  const double time = now();
  // First a chunk for every idle thread, then one in reserve, so that none waits for a message. Nothing is
  // put behind a long task, and no long task behind another: a thread elsewhere may come sooner. What is long
  // depends on how much there is to do besides.
  const double long_task = std::max(kShortTask, scheduler_.share(total_threads()));
  for (const int reserve : {0, 1})
    for (int rank = 0; rank < link_.size(); ++rank) {
      const Rank& it = ranks_[static_cast<std::size_t>(rank)];
      while (it.load() < it.threads + reserve * std::max(0, it.threads - it.longer_than(long_task))) {
        if (reserve == 1 && scheduler_.next_expected() > long_task) return;
        if (!hand_to(rank, time)) return;
      }
    }
}

void Coordinator::greet(const Message& message) {
  std::size_t at = 2;
  const std::string host = get_text(message.words, at);
  const std::string complaint = get_text(message.words, at);
  const auto digest = static_cast<std::uint64_t>(message.words[1]);
  if (!complaint.empty() || digest != grid_.digest()) {
    throw InputError(
        fmt::format("rank {} on {}: {}", message.from, host,
                    complaint.empty() ? "reads another job or graph file than rank 0" : complaint));
  }
  Rank& rank = ranks_[static_cast<std::size_t>(message.from)];
  rank.threads = static_cast<int>(message.words[0]);
  rank.host = host;
  live_.threads += message.words[0];
  hosts_.insert(host);
  live_.hosts = fmt::format("{}", fmt::join(hosts_, ","));
}

void Coordinator::apply(Report& report) {
  const auto found = dispatched_.find(report.chunk);
  if (found == dispatched_.end()) return;
  busy_seconds_ += report.seconds;
  if (!report.runs.empty()) {
    const RunFormat& format = file_.run_format();
    const auto attempts = format.values(report.runs, &RunRecord::attempts);
    const auto status = format.values(report.runs, &RunRecord::status);
    const auto seconds = format.values(report.runs, &RunRecord::seconds);
    const auto steps = format.values(report.runs, &RunRecord::steps);
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
      const RunName name = report.runs.name(i);
      const auto before = attempts_.find({name.cell.number(), name.seed});
      attempts[i] = (before != attempts_.end() ? before->second : 0) + 1;
      if (status[i] != TaskStatus::failed) {
        scheduler_.measured(name.cell.value(), seconds[i]);
        steps_ += static_cast<double>(steps[i]);
      }
    }
    done_ += static_cast<std::int64_t>(report.runs.size());
    runs_.append(report.runs);
  }
  for (std::size_t i = 0; i < report.solutions.size(); ++i) {
    const CaseId c(report.solutions.seeds[i]);
    open_cells(c.value(), file_.case_format().record(report.solutions, i, file_.layout().K(c)));
    ++done_;
  }
  file_.write_cases(report.solutions);
  for (const Failure& failure : report.failures) note_failure(failure);
  if (!report.closed) return;
  Chunk undone = found->second.chunk;
  undone.first += undone.count - report.undone;
  undone.count = report.undone;
  note_attempts(undone, false);
  auto& chunks = ranks_[static_cast<std::size_t>(found->second.rank)].chunks;
  chunks.erase(chunks.find(found->second.chunk.expected));
  scheduler_.closed(report.chunk, report.undone);
  dispatched_.erase(found);
}

void Coordinator::write_down() {
  if (runs_.empty() || lost_lock_) return;
  file_.write_runs(runs_);
  handed_over_ += static_cast<std::int64_t>(runs_.size());
  runs_.clear();
}

void Coordinator::receive_all() {
  for (Report& report : pool_->take()) apply(report);
  while (auto message = link_.receive()) {
    ranks_[static_cast<std::size_t>(message->from)].hearing.heard(now());
    switch (message->tag) {
      case Tag::hello:
        greet(*message);
        break;
      case Tag::report: {
        Report report = Report::from_words(message->words);
        apply(report);
        break;
      }
      case Tag::signal:
        interrupt(fmt::format("rank {} on {} was told to stop", message->from,
                              ranks_[static_cast<std::size_t>(message->from)].host),
                  message->words.at(0) != 0);
        break;
      case Tag::alive:
      case Tag::chunks:
      case Tag::drain:
      case Tag::cancel:
      case Tag::stop:
      case Tag::bye:
        break;
    }
  }
  write_down();
}

void Coordinator::interrupt(const std::string& why, bool out_of_time) {
  if (phase_ != Phase::running) return;
  out_of_time_ = out_of_time;
  phase_ = Phase::draining;
  why_interrupted_ = why;
  interrupted_at_ = now();
  note_silent_ranks(interrupted_at_);
  pool_->drain();
  tell_all(Tag::drain, {});
  if (lost_rank_) progress_.say(fmt::format("ending ({})", why_interrupted_));
}

/// "rank 2 on n7, rank 3 on n7 and 14 more"; empty where all were heard of.
std::string Coordinator::silent_ranks(double time, double longer_than) const {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> names;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank)
    if (ranks_[rank].threads > 0 && ranks_[rank].hearing.silence(time) > longer_than)
      names.push_back(fmt::format("rank {} on {}", rank, ranks_[rank].host));
  const std::size_t more = names.size() - std::min(names.size(), kNamed);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Whether all that is handed out, if anything, is with ranks that are silent.
bool Coordinator::nobody_answers(double time) const {
  return std::all_of(dispatched_.begin(), dispatched_.end(), [&](const auto& each) {
    const int rank = each.second.rank;
    return rank != 0 && ranks_[static_cast<std::size_t>(rank)].hearing.silence(time) > kNoAnswer;
  });
}

/// A signal may have come because a host is lost: says which one.
void Coordinator::note_silent_ranks(double time) {
  if (lost_rank_) return;
  const std::string silent = silent_ranks(time, kNoAnswer);
  if (silent.empty()) return;
  lost_rank_ = true;
  why_interrupted_ += fmt::format("; no answer from {}", silent);
}

/// Ends the sweep when a rank is silent: neither MPI nor mpirun notices a host that is cut off before minutes
/// have passed, and the sweep would wait for what it runs.
void Coordinator::listen(double time) {
  if (link_.alone()) return;
  if (time - last_look_ > kBeat)
    for (Rank& rank : ranks_) rank.hearing.paused(time - last_look_);
  last_look_ = time;
  if (time - last_alive_ > kBeat) {
    last_alive_ = time;
    tell_all(Tag::alive, {});
  }
  if (phase_ != Phase::running) return;
  const std::string silent = silent_ranks(time, options_.lost_after);
  if (silent.empty()) return;
  lost_rank_ = true;
  interrupt(fmt::format("no sign of life for {:.0f} s from {}", options_.lost_after, silent));
}

ProgressState Coordinator::state(double time) const {
  ProgressState state{done_, total_, failed_, steps_, scheduler_.seconds_left(time), 0, total_threads()};
  for (const Rank& rank : ranks_) state.busy += std::min(rank.load(), rank.threads);
  return state;
}

void Coordinator::keep_alive(double time) {
  if (progress_.due(time)) progress_.update(time, state(time));
  if (time - last_beat_ > std::chrono::duration<double>(WriterLock::kBeat).count()) {
    last_beat_ = time;
    if (!lock_.beat()) {
      lost_lock_ = true;
      interrupt("another sweep took the lock of the result file");
      return;
    }
    live_.updated = iso_time();
    file_.write_live(live_);
  }
}

void Coordinator::loop() {
  auto wait = kShortestWait;
  const auto longest = link_.alone() ? kLongestWaitAlone : kLongestWait;
  std::future<void> syncing;
  while (!scheduler_.finished()) {
    const std::int64_t before = handed_over_ + static_cast<std::int64_t>(dispatched_.size());
    receive_all();
    hand_out();
    const double time = now();
    keep_alive(time);
    listen(time);
    if (time - last_sync_ > kSyncInterval) {  // beside the work: a slow disk must not keep workers waiting
      last_sync_ = time;
      syncing = std::async(std::launch::async, [this] { file_.sync(); });
    }
    if (interruptions() > 0 && phase_ == Phase::running) interrupt(interruption_name(), time_is_short());
    if (phase_ == Phase::running && scheduler_.waiting() > 0 && dispatched_.empty() && total_threads() > 0) {
      // Nothing runs and nothing was handed out: what is left cannot end in time.
      interrupt("the walltime is nearly over", true);
    }
    if (phase_ == Phase::running && time > options_.walltime - kReserve / 2) {
      interrupt("the walltime is nearly over", true);
    }
    if (phase_ == Phase::draining &&
        (nobody_answers(time) || time - interrupted_at_ > kGrace || interruptions() > 1)) {
      phase_ = Phase::cancelled;
      pool_->cancel();
      tell_all(Tag::cancel, {});
    }
    if (phase_ == Phase::cancelled && (nobody_answers(time) || time - interrupted_at_ > kGrace + kLastWait))
      break;
    const bool idle = before == handed_over_ + static_cast<std::int64_t>(dispatched_.size());
    wait = idle ? std::min(2 * wait, longest) : kShortestWait;
    pool_->wait(wait);
  }
  if (syncing.valid()) syncing.get();
}

/// Ends the other ranks. MPI must not be left while a message is under way, so each answers with its last
/// one.
void Coordinator::part(int status) {
  tell_all(Tag::stop, {status});
  int left = link_.size() - 1;
  for (const double end = now() + kPartWait; left > 0 && now() < end;) {
    while (const auto message = link_.receive()) left -= message->tag == Tag::bye ? 1 : 0;
    if (left > 0) std::this_thread::sleep_for(kShortestWait);
  }
  if (left > 0)
    link_.abandon();  // what was sent to it may never leave
  else
    link_.flush();
}

int Coordinator::finish() {
  const double wall = now();
  const bool complete = scheduler_.finished();
  live_.status = !complete ? "interrupted" : failed_ > 0 ? "failed" : "complete";
  live_.updated = iso_time();
  if (!lost_lock_) {
    for (const auto& [id, dispatch] : dispatched_) note_attempts(dispatch.chunk, false);
    file_.write_live(live_);
    file_.sync();
  }
  progress_.finish();
  const int status = !complete ? kExitInterrupted : failed_ > 0 ? 1 : 0;
  if (!complete) note_silent_ranks(wall);
  if (!complete)
    progress_.say(
        fmt::format("interrupted ({}) with {} of {} tasks done; run the same command again to go on",
                    why_interrupted_, done_, total_));
  if (!complete && out_of_time_ && options_.requeue) {
    // Before any rank leaves: srun ends the step, this process included, when one has left with status 75.
    if (done_ > done_before_)
      (void)slurm_requeue();
    else
      progress_.say(
          "not queued again: no task could be done in the time that the job had (give it a longer --time)");
  }
  if (!dispatched_.empty() || lost_rank_)
    link_.abandon();  // a rank did not answer
  else
    part(status);
  if (complete) {
    if (failed_ == 0) forget_crashes(options_.output);
    if (!options_.quiet && idle_)
      progress_.say(fmt::format("{}: nothing left to do", options_.output));
    else if (!options_.quiet)
      progress_.say(fmt::format(
          "{}: {} of {} tasks done{} in {} ({} chunks); {} steps; {} threads busy {:.1f} %, coordinator "
          "{:.2f} % "
          "of a core",
          options_.output, done_ - failed_, total_, failed_ > 0 ? fmt::format(", {} failed", failed_) : "",
          duration_text(wall), chunks_, count_text(steps_), total_threads(),
          100.0 * busy_seconds_ / (wall * std::max(1, total_threads())),
          100.0 * (thread_cpu_seconds() - cpu_at_start_) / wall));
    if (failed_ > 0)
      progress_.say(
          fmt::format("{} tasks failed: `tasfg status {}` lists them, --retry-failed runs them again",
                      failed_, options_.output));
  }
  return status;
}

int Coordinator::run() {
  try {
    cpu_at_start_ = thread_cpu_seconds();
    if (!link_.alone())
      announce_interruptions(
          "tasfg: told to stop; should it be killed now, run the same command again to go on\n");
    collect_tasks();
    idle_ = scheduler_.finished();
    done_before_ = done_;
    file_.write_live(live_);
    loop();
    return finish();
  } catch (const InputError&) {  // the disk, or a rank that sees other files
    pool_->cancel();
    tell_all(Tag::cancel, {});
    part(2);
    throw;
  }
}

}  // namespace tasfg
