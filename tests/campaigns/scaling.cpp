// How a sweep would do on a large cluster: a discrete-event simulation of the coordinator, with the real
// scheduler and with costs that were measured.
//
//   scaling MEASURED.h5 REPLICATIONS [ROW_SECONDS CHUNK_SECONDS LATENCY_SECONDS]
//
// MEASURED.h5 is a result file whose runs say what tasks cost; each simulated task costs what a random one of
// its cell did. The coordinator takes CHUNK_SECONDS for each chunk that it hands out and takes back, and
// ROW_SECONDS for each row that it writes (measured by tests/campaigns/capacity.py); a message takes
// LATENCY_SECONDS. Each worker has one chunk running and, where tasks are short, one in reserve, as in
// src/sweep/dispatch.cpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <queue>
#include <random>
#include <vector>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/sweep/scheduler.hpp"

namespace {

using tasfg::Chunk;

struct Costs {
  std::vector<std::vector<double>> seconds;  // by cell
  std::size_t cases = 0, algorithms = 0;
};

Costs read_costs(const char* path) {
  const tasfg::ResultFile file = tasfg::ResultFile::open(path, tasfg::Access::read);
  Costs costs;
  costs.cases = file.layout().cases.size();
  costs.algorithms = file.layout().algorithms.size();
  for (tasfg::CellId cell; cell.value() < file.layout().cells(); ++cell) {
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
  double row = 1e-6, chunk = 20e-6, latency = 50e-6;
};

struct Outcome {
  double makespan = 0.0, work = 0.0, coordinator = 0.0, longest = 0.0;
  std::int64_t chunks = 0;
};

Outcome simulate(const Costs& costs, std::int64_t replications, int workers, const Parameters& parameters) {
  tasfg::Scheduler scheduler({costs.cases, costs.algorithms});
  for (std::size_t cell = 0; cell < costs.seconds.size(); ++cell) {
    double mean = 0.0;
    for (const double each : costs.seconds[cell])
      mean += each / static_cast<double>(costs.seconds[cell].size());
    scheduler.open_cell(tasfg::CellId(cell), std::max(mean, 1e-7));
    scheduler.add_runs(tasfg::CellId(cell), 0, replications);
  }
  struct Event {
    double time;
    int worker;
    Chunk chunk;  // that has come back; count 0: a worker's greeting
    double seconds;
    bool operator<(const Event& other) const { return time > other.time; }
  };
  std::mt19937_64 random(1);
  std::priority_queue<Event> events;
  std::vector<double> free_at(static_cast<std::size_t>(workers), 0.0);
  std::vector<int> load(static_cast<std::size_t>(workers), 0);
  for (int w = 0; w < workers; ++w) events.push({0.0, w, {}, 0.0});
  Outcome outcome;
  double coordinator_free = 0.0;
  constexpr double kShortTask = 0.1;
  while (!events.empty()) {
    const Event event = events.top();
    events.pop();
    double now = std::max(event.time, coordinator_free);
    const auto worker = static_cast<std::size_t>(event.worker);
    if (event.chunk.count > 0) {
      const double cost = 0.5 * parameters.chunk + parameters.row * static_cast<double>(event.chunk.count);
      now += cost;
      outcome.coordinator += cost;
      for (std::int64_t i = 0; i < event.chunk.count; ++i)
        scheduler.learn(event.chunk.cell, event.seconds / static_cast<double>(event.chunk.count));
      scheduler.close(event.chunk.id);
      --load[worker];
    }
    while (load[worker] < 2) {
      if (load[worker] == 1 && scheduler.next_expected() > std::max(kShortTask, scheduler.share(workers)))
        break;
      const auto chunk = scheduler.next(now, workers, std::numeric_limits<double>::infinity());
      if (!chunk) break;
      now += 0.5 * parameters.chunk;
      outcome.coordinator += 0.5 * parameters.chunk;
      ++outcome.chunks;
      const std::vector<double>& choices = costs.seconds[chunk->cell.value()];
      double seconds = 0.0;
      for (std::int64_t i = 0; i < chunk->count; ++i) {
        const double each = choices[random() % choices.size()];
        seconds += each;
        outcome.longest = std::max(outcome.longest, each);
      }
      outcome.work += seconds;
      const double begin = std::max(now + parameters.latency, free_at[worker]);
      free_at[worker] = begin + seconds;
      outcome.makespan = std::max(outcome.makespan, free_at[worker]);
      ++load[worker];
      events.push({free_at[worker] + parameters.latency, event.worker, *chunk, seconds});
    }
    coordinator_free = now;
    outcome.makespan = std::max(outcome.makespan, now);
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 6) {
    std::fprintf(stderr, "usage: scaling MEASURED.h5 REPLICATIONS [ROW CHUNK LATENCY]\n");
    return 2;
  }
  try {
    const Costs costs = read_costs(argv[1]);
    const auto replications = static_cast<std::int64_t>(std::atof(argv[2]));
    Parameters parameters;
    if (argc == 6) parameters = {std::atof(argv[3]), std::atof(argv[4]), std::atof(argv[5])};
    std::printf("%8s %14s %12s %12s %14s %12s\n", "workers", "makespan/s", "efficiency", "chunks",
                "coordinator", "longest/s");
    for (const int workers : {10, 100, 1000, 10000}) {
      const Outcome outcome = simulate(costs, replications, workers, parameters);
      std::printf("%8d %14.1f %11.1f%% %12lld %13.2f%% %12.2f\n", workers, outcome.makespan,
                  100.0 * outcome.work / (workers * outcome.makespan), static_cast<long long>(outcome.chunks),
                  100.0 * outcome.coordinator / outcome.makespan, outcome.longest);
      std::fflush(stdout);
    }
  } catch (const tasfg::InputError& error) {
    std::fprintf(stderr, "scaling: %s\n", error.what());
    return 2;
  }
  return 0;
}
