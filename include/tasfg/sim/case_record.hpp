/// The record of one case: what it is (known before any work) and its solution.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tasfg/base/elementary.hpp"
#include "tasfg/model/instance.hpp"
#include "tasfg/sim/run_record.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

struct CaseDescription {
  static constexpr double kNone = kNaN;

  std::string graph, label, parameters, reward, reward_parameters, observability;
  std::int32_t K = 0;
  std::int32_t best = 0;
  double p = kNone, q = kNone, r = kNone;  // NaN where the graph has no such parameter
  double variance = kNone;                 // NaN where the reward family has none
  std::int64_t edges = 0;
  std::uint64_t key = 0;  // of the instance's content
  std::vector<double> means;
};

struct CaseSolution {
  static constexpr double kMissing = kNaN;

  TaskStatus status = TaskStatus::pending;
  double T_star = kMissing, T_star_lower = kMissing, T_heuristic = kMissing, T_uniform = kMissing;
  double m_norm = kMissing, tv_heuristic = kMissing, seconds = kMissing;
  std::int32_t alpha = -1, alpha_upper = -1, weak_domination = -1, weak_domination_lower = -1;
  std::int32_t domination = -1, self_loops = -1, face_dimension = -1, iterations = -1;
  std::vector<double> omega, omega_heuristic, m;     // one for each vertex
  std::vector<double> lower_bound, practical_bound;  // one for each δ
  std::int32_t sitting = -1;                         // as of a run
  std::uint32_t checksum = 0;  // of what the table says; filled in when the record joins a batch
};

/// Solves a case: T* with its certificate, the other allocations, the graph's quantities, and the bounds at
/// each δ. Throws where the solver ends without a certificate.
[[nodiscard]] CaseSolution solve_case(const Instance& instance, const SimulationOptions& options,
                                      std::span<const double> log_inv_delta);

/// T*·kl(δ, 1−δ): the least mean number of draws of any δ-correct algorithm (Theorem thm:lb_general).
[[nodiscard]] double lower_bound(double T_star, double log_inv_delta);

/// The t with t = T*·β(t, δ): when a learner that draws at ω* from the start, and sees what it expects to
/// see, would stop.
[[nodiscard]] double practical_bound(double T_star, ThresholdKind threshold, double log_inv_delta, int K);

}  // namespace tasfg
