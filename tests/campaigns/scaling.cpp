// How a sweep would do on a large cluster: a discrete-event simulation of ranks and coordinator, with the
// real scheduler and dispatch and with costs that were measured.
//
//   scaling MEASURED.h5 REPLICATIONS [ROW_SECONDS MESSAGE_SECONDS LATENCY_SECONDS [THREADS [WORKERS ...]]]
//
// MEASURED.h5 is a result file whose runs say what tasks cost; each simulated task costs what a random one of
// its cell did. The coordinator takes MESSAGE_SECONDS for each lease that it sends and each report that it
// gets, and ROW_SECONDS for each row that it writes (measured by tests/campaigns/many_ranks); a message takes
// LATENCY_SECONDS. Ranks have THREADS threads each (64), which take bites of what is queued and report as in
// src/sweep/worker_pool.cpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <queue>
#include <random>
#include <vector>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/sweep/bite_queue.hpp"
#include "tasfg/sweep/dispatch.hpp"

namespace {

using tasfg::CellId;
using tasfg::Chunk;
using tasfg::Part;
using Measured = tasfg::Scheduler::Measured;

struct Costs {
  std::vector<std::vector<double>> seconds;  // by cell
  tasfg::CellGrid grid;
};

Costs read_costs(const char* path) {
  const tasfg::ResultFile file = tasfg::ResultFile::open(path, tasfg::Access::read);
  Costs costs;
  costs.grid = file.layout().grid();
  for (CellId cell; cell.value() < file.layout().cells(); ++cell) {
    const std::vector<tasfg::TaskStatus> status = file.run_values(&tasfg::RunRecord::status, cell);
    const std::vector<double> all = file.run_values(&tasfg::RunRecord::seconds, cell);
    std::vector<double>& seconds = costs.seconds.emplace_back();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (status[i] == tasfg::TaskStatus::done) seconds.push_back(all[i]);
    if (seconds.empty()) seconds.push_back(0.0);
  }
  return costs;
}

struct Parameters {
  double row = 0.2e-6, message = 20e-6, latency = 50e-6;
  int threads = 64;
};

struct Outcome {
  double makespan = 0.0, work = 0.0, coordinator = 0.0, longest = 0.0, last_task = 0.0;
  std::int64_t messages = 0;
};

/// What a rank has done of a chunk.
struct Done {
  Part part;
  CellId cell;
  Measured measured;
};

/// One rank, as src/sweep/worker_pool.cpp has it.
struct Rank {
  tasfg::BiteQueue queue;
  int idle;
  double last_report = 0.0;
  std::vector<Done> done{};

  explicit Rank(int threads) : queue(threads), idle(threads) {}
  [[nodiscard]] bool due(double now, double interval) const {
    return !done.empty() && (queue.half_taken() || now - last_report > interval);
  }
};

class Simulation {
 public:
  Simulation(const Costs& costs, std::int64_t replications, int workers, const Parameters& parameters)
      : costs_(costs),
        parameters_(parameters),
        threads_(std::min(parameters.threads, workers)),
        scheduler_(costs.grid),
        ranks_(static_cast<std::size_t>(workers / threads_), Rank(threads_)),
        dispatch_(scheduler_, static_cast<int>(ranks_.size())),
        interval_(tasfg::BiteQueue::report_interval(static_cast<int>(ranks_.size()))) {
    for (CellId cell; cell.value() < costs.seconds.size(); ++cell) {
      double mean = 0.0;
      for (const double each : costs.seconds[cell.value()])
        mean += each / static_cast<double>(costs.seconds[cell.value()].size());
      scheduler_.open_cell(cell, std::max(mean, 1e-7));
      scheduler_.add_runs(cell, 0, replications);
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      dispatch_.add_rank(static_cast<int>(rank), threads_);
  }

  Outcome run() {
    events_.push({0.0, -1, 0, {}});  // the first round
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.rank < 0)
        round(event.time);
      else if (event.what < 0)
        lease(event);
      else
        end_of_bite(event);
    }
    return outcome_;
  }

 private:
  struct Event {
    double time;
    int rank;   // −1: the coordinator's next round
    int what;   // −1: a lease that is in leases_; else the end of a bite
    Done done;  // of a bite
    std::vector<Chunk> chunks{};
    bool operator<(const Event& other) const { return time > other.time; }
  };

  void start_bites(int number, double now) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    for (; rank.idle > 0 && !rank.queue.empty(); --rank.idle) {
      const Chunk bite = rank.queue.bite();
      const std::vector<double>& choices = costs_.seconds[bite.cell.value()];
      Measured measured;
      for (std::int64_t i = 0; i < bite.count; ++i) measured.add(choices[random_() % choices.size()]);
      outcome_.work += measured.sum;
      outcome_.longest = std::max(outcome_.longest, measured.longest);
      events_.push(
          {now + measured.sum, number, 0, {{bite.id, bite.first, bite.count, 0}, bite.cell, measured}, {}});
    }
  }

  void lease(const Event& event) {
    ranks_[static_cast<std::size_t>(event.rank)].queue.push(event.chunks);
    start_bites(event.rank, event.time);
  }

  void end_of_bite(const Event& event) {
    Rank& rank = ranks_[static_cast<std::size_t>(event.rank)];
    outcome_.last_task = std::max(outcome_.last_task, event.time);
    rank.done.push_back(event.done);
    ++rank.idle;
    start_bites(event.rank, event.time);
    if (!rank.due(event.time, interval_)) return;
    rank.queue.mark();
    rank.last_report = event.time;
    const double arrives = event.time + parameters_.latency;
    reports_.push_back({arrives, std::exchange(rank.done, {})});
    if (asleep_) {
      asleep_ = false;
      events_.push({std::max(arrives, free_), -1, 0, {}, {}});
    }
  }

  /// The coordinator takes what has arrived, writes it, and hands out.
  void round(double now) {
    double busy = 0.0;
    while (!reports_.empty() && reports_.front().first <= now) {
      busy += parameters_.message;
      ++outcome_.messages;
      for (const Done& each : reports_.front().second) {
        busy += parameters_.row * static_cast<double>(each.part.done);
        scheduler_.learn(each.cell, each.measured);
        (void)dispatch_.take_back(each.part);
      }
      reports_.pop_front();
    }
    for (tasfg::Order& order : dispatch_.hand_out(now + busy, std::numeric_limits<double>::infinity())) {
      busy += parameters_.message;
      ++outcome_.messages;
      events_.push({now + busy + parameters_.latency, order.rank, -1, {}, std::move(order.chunks)});
    }
    outcome_.coordinator += busy;
    free_ = now + busy;
    outcome_.makespan = std::max(outcome_.makespan, free_);
    asleep_ = reports_.empty();
    if (!asleep_) events_.push({std::max(free_, reports_.front().first), -1, 0, {}, {}});
  }

  const Costs& costs_;
  const Parameters parameters_;
  const int threads_;
  tasfg::Scheduler scheduler_;
  std::vector<Rank> ranks_;
  tasfg::Dispatch dispatch_;
  const double interval_;
  std::mt19937_64 random_{1};
  std::priority_queue<Event> events_;
  std::deque<std::pair<double, std::vector<Done>>>
      reports_;  // under way to the coordinator, or waiting for it
  bool asleep_ = false;
  double free_ = 0.0;
  Outcome outcome_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc < 6) {
    std::fprintf(stderr,
                 "usage: scaling MEASURED.h5 REPLICATIONS [ROW MESSAGE LATENCY [THREADS [WORKERS ...]]]\n");
    return 2;
  }
  try {
    const Costs costs = read_costs(argv[1]);
    const auto replications = static_cast<std::int64_t>(std::atof(argv[2]));
    Parameters parameters;
    if (argc >= 6) parameters = {std::atof(argv[3]), std::atof(argv[4]), std::atof(argv[5]), 64};
    if (argc >= 7) parameters.threads = std::atoi(argv[6]);
    std::vector<int> workers;
    for (int i = 7; i < argc; ++i) workers.push_back(std::atoi(argv[i]));
    if (workers.empty()) workers = {10, 100, 1000, 10'000};
    std::printf("%8s %12s %11s %12s %12s %11s %10s %14s\n", "workers", "makespan/s", "efficiency", "messages",
                "messages/s", "coordinator", "longest/s", "after the last");
    for (const int asked : workers) {
      // Whole ranks.
      const int each = std::max(1, asked / parameters.threads) * std::min(parameters.threads, asked);
      const Outcome outcome = Simulation(costs, replications, each, parameters).run();
      std::printf("%8d %12.1f %10.1f%% %12lld %12.0f %10.1f%% %10.2f %12.2f s\n", each, outcome.makespan,
                  100.0 * outcome.work / (each * outcome.makespan), static_cast<long long>(outcome.messages),
                  static_cast<double>(outcome.messages) / outcome.makespan,
                  100.0 * outcome.coordinator / outcome.makespan, outcome.longest,
                  outcome.makespan - outcome.last_task);
      std::fflush(stdout);
    }
  } catch (const tasfg::InputError& error) {
    std::fprintf(stderr, "scaling: %s\n", error.what());
    return 2;
  }
  return 0;
}
