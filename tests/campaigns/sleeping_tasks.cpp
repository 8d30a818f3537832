// A test double of src/sweep/task_runner.cpp, for tests/campaigns/many_ranks: runs sleep instead of
// computing, so that hundreds of ranks fit on a machine with few cores. All else is the program.
//
// $TASFG_SLEEP is the mean of their seconds. The law has a heavy tail: one over the cube root of a uniform
// number, so that one run in a hundred takes three times the mean and one in a million 67 times. It depends
// on the run alone. Each process adds a line to the file $TASFG_SLEEP_LOG: when its first run began and its
// last one ended, as seconds since 1970.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {
namespace {

double mean_seconds() {
  static const char* const kText = std::getenv("TASFG_SLEEP");
  static const double kSeconds = kText != nullptr ? std::strtod(kText, nullptr) : 0.0;
  return kSeconds;
}

double seconds_of(RunName name) {
  if (mean_seconds() == 0.0) return 0.0;
  std::uint64_t x = 0x9E3779B97F4A7C15U * (static_cast<std::uint64_t>(name.cell.number()) + 1) +
                    0xBF58476D1CE4E5B9U * (static_cast<std::uint64_t>(name.seed) + 1);
  for (const int shift : {30, 27, 31}) x = (x ^ (x >> shift)) * 0x94D049BB133111EBU;
  const double uniform = (static_cast<double>(x >> 11) + 0.5) * 0x1p-53;
  return mean_seconds() / (1.5 * std::cbrt(uniform));
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// When this process ran its first and its last run; noted when it ends.
struct Times {
  std::atomic<double> first = 0.0, last = 0.0;
  Times() = default;
  Times(const Times&) = delete;
  Times& operator=(const Times&) = delete;
  ~Times() {
    const char* const path = std::getenv("TASFG_SLEEP_LOG");
    if (path == nullptr || first == 0.0) return;
    if (std::FILE* file = std::fopen(path, "a"); file != nullptr) {
      std::fprintf(file, "%.3f %.3f\n", first.load(), last.load());
      std::fclose(file);
    }
  }
} times;

}  // namespace

CaseSolution solve_case(const Grid& grid, CaseId case_id) {
  return solve_case(grid.instance(case_id), grid.options, grid.log_inv_delta);
}

const ErrorSampler* ErrorSamplers::of(CellId /*id*/, const std::atomic<bool>& /*cancel*/) {
  return nullptr;
}

TaskRunner::TaskRunner(const Grid& grid, ErrorSamplers& samplers)
    : grid_(grid), samplers_(samplers), cells_(grid.cell_grid()) {}

RunRecord TaskRunner::run(RunName name, const std::atomic<bool>& cancel) {
  return plain_run(name, cancel);
}

RunRecord TaskRunner::plain_run(RunName name, const std::atomic<bool>& cancel) {
  RunRecord record;
  const auto start = std::chrono::steady_clock::now();
  if (const double seconds = seconds_of(name); seconds > 0.0) {
    if (times.first == 0.0) times.first = now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    times.last = now();
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (cancel) return record;
  const std::size_t deltas = grid_.log_inv_delta.size();
  record.status = TaskStatus::done;
  record.steps = name.seed;
  record.tau.assign(deltas, name.seed);
  record.recommended.assign(deltas, 0);
  record.correct.assign(deltas, 1);
  record.stopped.assign(deltas, 1);
  record.pulls.assign(static_cast<std::size_t>(grid_.at(cells_.case_of(name.cell)).K), 1);
  return record;
}

}  // namespace tasfg
