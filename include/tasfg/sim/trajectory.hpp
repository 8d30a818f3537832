/// One trajectory: a sampling rule in an environment until the stopping rule fires at every δ.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/algo/conventions.hpp"
#include "tasfg/algo/estimate.hpp"
#include "tasfg/algo/thresholds.hpp"
#include "tasfg/base/enum_names.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

enum class StreamKind { philox, numpy };
inline constexpr EnumNames<StreamKind> kStreamNames = {"philox", "numpy"};

/// Counts the changes after which the same job gives other runs (CHANGELOG: "Results changed"): a result file
/// is continued only by a program with the version that began it.
inline constexpr int kResultsVersion = 2;

/// How a case is simulated; the same for all its trajectories.
struct SimulationOptions {
  Setting setting = Setting::informed;
  Conventions conventions;
  ThresholdKind threshold = ThresholdKind::practical;
  StreamKind stream = StreamKind::philox;
  std::uint64_t master_seed = 0;  // of the Philox streams
  std::int64_t max_steps = 1'000'000'000;
};

enum class RunStatus { done, capped, cancelled };

/// What happened at one δ.
struct StoppingTime {
  std::int64_t tau = 0;  // as the conventions report it; where capped, the draws made
  int recommended = 0;
  bool correct = false;
  RunStatus status = RunStatus::capped;
};

struct TrajectoryRecord {
  std::vector<StoppingTime> at;     // one per δ, in the order given
  std::vector<std::int64_t> pulls;  // N_v at the end
  std::int64_t steps = 0;           // draws
  RunStatus status = RunStatus::capped;
};

/// A case made ready: what its trajectories share. Keeps a reference to the instance.
class Simulation {
 public:
  /// Throws InputError where the combination makes no sense, and says why.
  Simulation(const Instance& instance, const SimulationOptions& options);

  /// Whether this algorithm can run here; an InputError says why not.
  void check(const Algorithm& algorithm) const;

  /// Runs one trajectory. `log_inv_delta` holds ln(1/δ) in any order. Safe to call from several threads.
  /// Soon after `cancel` becomes true the run ends with status cancelled, and its record means nothing.
  [[nodiscard]] TrajectoryRecord run(const Algorithm& algorithm, std::span<const double> log_inv_delta,
                                     std::uint64_t seed, const std::atomic<bool>* cancel = nullptr) const;

 private:
  const Instance& instance_;
  SimulationOptions options_;
  StreamKey content_;
  mutable std::once_flag solved_;
  mutable std::vector<double> optimal_;  // ω*, solved when the oracle first asks

  [[nodiscard]] const std::vector<double>& optimal() const;
};

}  // namespace tasfg
