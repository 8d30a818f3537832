/// The probability that a learner stops with a wrong answer, however small: importance sampling.
///
/// Runs are drawn from a mixture Q (sim/proposal.hpp) in which errors are common, and a wrong answer counts
/// (dP/dQ)(τ). Components other than the instance itself are followed for `horizon` draws only: means that
/// nearly tie make runs endless. What stops later is left to the plain runs, of which there are always some,
/// with the weight 1/plain. So
///
///     P(wrong at δ) = E_Q[1{wrong, τ ≤ horizon}/(dQ/dP)(τ) + 1{wrong, τ > horizon, the run is plain}/plain]
///
/// holds exactly, whatever proposal and horizon are; they decide how much the estimate varies. Both are found
/// by pilot runs, which depend on the case, the algorithm and the options alone.
///
/// A proposal that misses a way to err gives too small an estimate, and its own weights do not show it.
/// Therefore two pilots search apart from each other, Q is the mean of what they find, and where they
/// contradict each other, or the runs of Q one of them, there is no interval.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "tasfg/sim/proposal.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

struct ErrorEstimate {
  double error = 0.0, std_error = 0.0;
  double lower = 0.0, upper = 0.0;  // 95 % interval; NaN where there is none to be trusted
  std::int64_t runs = 0;
  double ess = 0.0;            // number of equal weights that would vary as much: (Σw)²/Σw²
  double largest_share = 0.0;  // of one run in the estimate

  [[nodiscard]] bool has_interval() const { return lower == lower; }
};

/// From ln of what each run counts, −∞ for nothing. No run counts more than `most`. NaN where a weight is +∞,
/// or NaN.
[[nodiscard]] ErrorEstimate error_estimate(std::span<const double> log_weights, double most);
/// From plain runs, of which so many were wrong (Wilson's interval).
[[nodiscard]] ErrorEstimate plain_error_estimate(std::int64_t wrong, std::int64_t runs);
/// Whether two independent estimates can be of the same probability: within four standard errors of the
/// difference of their logarithms, both based on a few runs at least, or both without any error.
[[nodiscard]] bool agree(const ErrorEstimate& a, const ErrorEstimate& b);

/// Draws weighted runs of one algorithm.
class ErrorSampler {
 public:
  /// Pilot runs of each round, of both pilots.
  static constexpr std::size_t kPilotRuns = 8000;

  /// Makes the pilot runs, in so many threads; the result does not depend on their number. Once `cancel` is
  /// true it returns soon, and the sampler is of no use. Keeps a reference to the simulation.
  ErrorSampler(const Simulation& simulation, Algorithm algorithm, std::vector<double> log_inv_delta,
               int threads = 1, const std::atomic<bool>* cancel = nullptr,
               std::size_t pilot_runs = kPilotRuns);

  /// One weighted run. Its log_weight holds ln of what it counts where it stopped with a wrong answer, else
  /// −∞.
  [[nodiscard]] RunRecord run(std::uint64_t seed, const std::atomic<bool>* cancel = nullptr) const;

  [[nodiscard]] const Proposal& proposal() const { return proposal_; }
  [[nodiscard]] std::int64_t horizon() const { return horizon_; }
  /// Whether the pilots agree at the δ of this position, and, where there is such an estimate, it with them.
  [[nodiscard]] bool trusted(std::size_t delta, const ErrorEstimate* estimate = nullptr) const;

 private:
  const Simulation& simulation_;
  Algorithm algorithm_;
  std::vector<double> log_inv_delta_;
  std::int64_t horizon_ = 0;
  Proposal proposal_;
  struct PilotDelta {
    double log_inv_delta;
    ErrorEstimate first, second;  // of the two pilots
  };
  std::vector<PilotDelta> pilot_;  // δ in falling order: all of them, or some where there are many
};

enum class ErrorMethod { weighted, plain };
/// The error probability at every δ from runs with the seeds 0, 1, …: all that there is to do, in one call.
/// The result does not depend on the number of threads. Once `cancel` is true it returns soon, and the result
/// is of no use.
[[nodiscard]] std::vector<ErrorEstimate> measured_error(
    const Simulation& simulation, const Algorithm& algorithm, std::span<const double> log_inv_delta,
    std::int64_t runs, ErrorMethod method, int threads = 1, std::size_t pilot_runs = ErrorSampler::kPilotRuns,
    const std::atomic<bool>* cancel = nullptr);

}  // namespace tasfg
