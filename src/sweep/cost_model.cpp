#include "tasfg/sweep/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "tasfg/algo/thresholds.hpp"
#include "tasfg/base/contract.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {
namespace {

/// Which allocation's T scales with a rule's stopping time, by how much, and what a draw costs (nanoseconds:
/// fixed, per vertex, per edge of an average vertex). Measured on the paper's graphs with its conventions and
/// Gaussian rewards; other conventions and streams cost more.
struct RuleCost {
  double CaseSolution::*time;
  double factor;
  double fixed, per_vertex, per_degree;
};

RuleCost cost_of(RuleKind rule) {
  switch (rule) {
    case RuleKind::tas_optimal:
      return {&CaseSolution::T_star, 1.3, 75, 4.5, 7};
    case RuleKind::tas_heuristic:
    case RuleKind::tas_argmax:
    case RuleKind::tas_top_k:
      return {&CaseSolution::T_heuristic, 1.0, 75, 4.5, 7};
    case RuleKind::exp3_g:
      return {&CaseSolution::T_uniform, 2.0, 70, 1, 12};
    case RuleKind::ucb_fg_e:
      return {&CaseSolution::T_star, 2.5, 75, 3, 8.5};
    case RuleKind::ucb_fg_v:
      return {&CaseSolution::T_star, 1.0, 8, 0, 7.6};
    case RuleKind::eps_greedy:
    case RuleKind::eps_greedy_info:
      return {&CaseSolution::T_uniform, 5.0, 60, 3, 10};
    case RuleKind::uniform:
      return {&CaseSolution::T_uniform, 1.0, 17, 0, 6};
    case RuleKind::oracle:
      return {&CaseSolution::T_star, 1.6, 30, 0.7, 6.5};
    case RuleKind::external:  // unknown: as a plain rule; what is measured corrects it
      return {&CaseSolution::T_uniform, 1.0, 25, 0, 6};
  }
  TASFG_UNREACHABLE();
}

/// Seconds of one allocation: a close solve takes a few factorisations, one that is as close as the estimates
/// deserve less than one as a rule. Beyond the solver's small forms, chains of vertices keep their factors
/// sparse and dense graphs need few of their vertices; those in between are factored as a whole.
double allocation_seconds(double K, double degree, bool close) {
  constexpr double kLargestSmall = 16.0, kChain = 4.0, kDense = 0.6;
  if (close) return 1e-6 + 0.15e-6 * K + 0.015e-6 * K * K + 1e-9 * K * K * K;
  if (K <= kLargestSmall) return 0.05e-6 + 0.02e-6 * K + 0.003e-6 * K * K + 0.1e-9 * K * K * K;
  const bool whole = degree > kChain && degree < kDense * K;
  return 0.3e-6 * K + (whole ? 0.15e-9 * K * K * K : 0.0);
}

}  // namespace

double expected_steps(const Grid& grid, CaseId id, AlgorithmId algorithm, const CaseSolution& solution) {
  if (grid.log_inv_delta.empty()) return 0.0;
  const Case& each = grid.at(id);
  const RuleCost cost = cost_of(grid.at(algorithm).algorithm.rule);
  double time = solution.*cost.time;
  if (!std::isfinite(time)) time = 10.0 * solution.T_star;
  const double hardest = *std::max_element(grid.log_inv_delta.begin(), grid.log_inv_delta.end());
  const double base = threshold_base(grid.options.threshold, hardest, each.K);
  // UCB-FG-V keeps to what looks best and sees a rival some ln(t) times: its time grows exponentially.
  const bool exponential = grid.at(algorithm).algorithm.rule == RuleKind::ucb_fg_v;
  constexpr double kUcbExponent = 0.985;
  double steps = time * base;
  for (int i = 0; i < 3; ++i) {  // the threshold grows with the time itself, slowly
    const double threshold = base + threshold_growth(grid.options.threshold, std::max(steps, 3.0));
    steps = exponential ? std::exp(kUcbExponent * threshold) : cost.factor * time * threshold;
  }
  if (!grid.options.checkpoints.empty())
    steps = std::max(steps, static_cast<double>(grid.options.checkpoints.back()));
  return std::clamp(steps, 1.0, static_cast<double>(grid.options.max_steps));
}

double seconds_per_step(const Grid& grid, CaseId id, AlgorithmId algorithm) {
  const Case& each = grid.at(id);
  const Algorithm& rule = grid.at(algorithm).algorithm;
  const RuleCost cost = cost_of(rule.rule);
  const double K = each.K;
  const double degree = static_cast<double>(each.edges) / K;
  double seconds = 1e-9 * (cost.fixed + cost.per_vertex * K + cost.per_degree * degree);
  // Evidence of other rewards takes logarithms at every draw; that of Gaussian ones mostly two products.
  constexpr double kLogarithms = 50e-9;
  if (!std::holds_alternative<Gaussian>(each.reward)) seconds += kLogarithms;
  const bool rare = grid.options.conventions.allocation_update == AllocationUpdate::every_5K;
  if (rule.rule == RuleKind::tas_optimal)
    seconds += allocation_seconds(K, degree, rare || rule.gap > 0.0) /
               (rare ? 5.0 * K : static_cast<double>(rule.period));
  return seconds;
}

double expected_single_steps(const Grid& grid, CaseId id, AlgorithmId algorithm, double steps) {
  const Case& each = grid.at(id);
  const Algorithm& rule = grid.at(algorithm).algorithm;
  if (!grid.options.skip || grid.options.stream != StreamKind::philox || !skips(rule) || !skips(each.reward))
    return steps;
  // The first draws are made one by one, and then those near a change of UCB-FG-V's choice; its jumps are
  // counted by what they cost. The others jump until they stop, though the oracle has to find its pulls.
  // Measured with tests/bench/bench_skip.cpp.
  const double K = each.K, first = 5000.0 * K;
  if (steps <= first) return steps;
  const double span = std::log(steps / first);
  const double later = rule.rule == RuleKind::ucb_fg_v ? 400.0 * K * K * span * span : first * span;
  return first +
         std::clamp(later, rule.rule == RuleKind::oracle ? (steps - first) / 8.0 : 0.0, steps - first);
}

double expected_runs(const Grid& grid, CaseId id, AlgorithmId algorithm, const CaseSolution& solution) {
  const Precision& precision = grid.precision;
  const auto most = static_cast<double>(grid.replications);
  if (!precision.asked() || grid.log_inv_delta.empty()) return most;
  // The evidence against a rival is half the square of a normal variable, so that it walks up to the
  // threshold with a variance of twice its drift, whatever the rewards (Wilks): the time it takes has
  // 2/threshold as variance over squared mean. A learner's own detours come on top, other rivals take away:
  // 0.2 to 1.5 times that on the paper's graphs, 9 times for UCB-FG-E on one. A median's interval is wider, a
  // ratio has two of them, in part the same.
  const double easiest = *std::min_element(grid.log_inv_delta.begin(), grid.log_inv_delta.end());
  const double steps = std::max(3.0, expected_steps(grid, id, algorithm, solution));
  const double threshold = threshold_base(grid.options.threshold, easiest, grid.at(id).K) +
                           threshold_growth(grid.options.threshold, steps);
  const double spread = 2.0 / std::max(threshold, 0.1);
  constexpr double kOfError = 65.0;  // weights of wrong answers (docs/error.md)
  const double spreads[] = {spread, 1.6 * spread, kOfError, 1.2 * spread};
  constexpr double kZ2 = 5.02;  // as of sim/precision.hpp
  double runs = static_cast<double>(precision.minimum);
  for (std::size_t i = 0; i < precision.targets.size(); ++i)
    if (const double target = precision.targets[i]; target > 0.0)
      runs = std::max(runs, kZ2 * spreads[i] / (target * target));
  return std::min(most, runs < most ? static_cast<double>(look_from(static_cast<std::int64_t>(runs))) : most);
}

double expected_seconds(const Grid& grid, CaseId id, AlgorithmId algorithm, const CaseSolution& solution) {
  constexpr double kSetUp = 5e-6;
  const double steps = expected_steps(grid, id, algorithm, solution);
  return kSetUp + expected_single_steps(grid, id, algorithm, steps) * seconds_per_step(grid, id, algorithm);
}

double expected_solution_seconds(const Case& each) {
  const double K = each.K;
  return 20e-6 + 0.1e-6 * K * K + 4e-9 * K * K * K;
}

}  // namespace tasfg
