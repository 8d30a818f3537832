/// One trajectory: a sampling rule in an environment until the stopping rule fires at every δ.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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
#include "tasfg/sim/run_record.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

enum class StreamKind { philox, numpy };
inline constexpr EnumNames<StreamKind> kStreamNames = {"philox", "numpy"};

/// What the runs of a case are made for.
enum class Measure {
  time,   // stopping times: runs are drawn from the case itself
  error,  // the probability of a wrong answer: weighted runs (sim/error_probability.hpp)
};
inline constexpr EnumNames<Measure> kMeasureNames = {"time", "error"};

/// Counts the changes after which the same job gives other runs (CHANGELOG: "Results changed"). A result file
/// is continued only by a program with the version that began it, and with its digests (results_digest.hpp).
inline constexpr int kResultsVersion = 3;

/// How a case is simulated; the same for all its trajectories.
struct SimulationOptions {
  Setting setting = Setting::informed;
  Conventions conventions;
  ThresholdKind threshold = ThresholdKind::practical;
  StreamKind stream = StreamKind::philox;
  std::uint64_t master_seed = 0;  // of the Philox streams
  bool skip = true;  // many draws at once, where nothing depends on how they come; results are the same
  std::int64_t max_steps = 1'000'000'000;
  Measure measure = Measure::time;        // what a study's runs are; Simulation itself does not look at it
  bool pulls_by_delta = false;            // whether to keep the pulls at every δ's stop
  std::vector<std::int64_t> checkpoints;  // draws after which to note what the learner would answer; rising
};

/// Whether many draws can be made at once where this algorithm chooses (base/dyadic.hpp,
/// src/sim/skipper.hpp), and where rewards are of this family. Both must be so; and the stream must be
/// philox.
[[nodiscard]] bool skips(const Algorithm& algorithm);
[[nodiscard]] bool skips(const RewardFamily& reward);

/// How the draws of a run were made.
struct RunWork {
  std::int64_t jumps = 0, looks = 0;   // many draws at once: made, and tried
  std::int64_t skipped = 0;            // draws made so
  std::int64_t walks = 0, walked = 0;  // draws that were looked through and made together; how many in all
  std::int64_t visits = 0;             // of nodes of trees (base/dyadic.hpp), blocks included
};

/// A trajectory under another law than the case's own, which the learner knows nothing of.
struct Detour {
  const Instance& shown;   // whose edges fire and whose rewards are seen
  std::int64_t max_steps;  // in the place of the options' one
  /// What goes into RunRecord::log_weight when the run stops at a δ.
  std::function<double(const Estimate&)> log_weight;
};

/// A case made ready: what its trajectories share. Keeps a reference to the instance.
class Simulation {
 public:
  /// Throws InputError where the combination makes no sense, and says why.
  Simulation(const Instance& instance, const SimulationOptions& options);

  /// Whether this algorithm can run here; an InputError says why not.
  void check(const Algorithm& algorithm) const;

  /// Runs one trajectory. `log_inv_delta` holds ln(1/δ) in any order. Safe to call from several threads.
  /// It goes on to the last checkpoint where every δ has stopped before; nothing but what is noted there
  /// depends on the checkpoints. Soon after `cancel` becomes true the run ends with status pending, and its
  /// record means nothing. `work` is for measurements.
  [[nodiscard]] RunRecord run(const Algorithm& algorithm, std::span<const double> log_inv_delta,
                              std::uint64_t seed, const std::atomic<bool>* cancel = nullptr,
                              RunWork* work = nullptr, const Detour* detour = nullptr) const;

  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] const SimulationOptions& options() const { return options_; }
  /// Of the instance's content.
  [[nodiscard]] StreamKey content() const { return content_; }

 private:
  const Instance& instance_;
  SimulationOptions options_;
  StreamKey content_;
  mutable std::once_flag solved_;
  mutable CharacteristicTime optimum_;  // solved when the oracle or a checkpoint first asks

  [[nodiscard]] const CharacteristicTime& optimum() const;
};

}  // namespace tasfg
