#include "tasfg/sim/case_record.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/solve/allocations.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

double lower_bound(double T_star, double log_inv_delta) {
  const double delta = exp(-log_inv_delta);
  return T_star * (1.0 - 2.0 * delta) * (log_inv_delta + log(1.0 - delta));
}

double practical_bound(double T_star, ThresholdKind threshold, double log_inv_delta, int K) {
  const double base = threshold_base(threshold, log_inv_delta, K);
  // β grows like ln ln t, so that T*·β(t) has one fixed point beyond 1 and iterating rises to it, fast.
  double t = std::max(1.0, T_star * base);
  for (int i = 0; i < 200; ++i) {
    const double next = std::max(1.0, T_star * (base + threshold_growth(threshold, t)));
    if (!(next > t)) break;
    t = next;
  }
  return t;
}

CaseSolution solve_case(const Instance& instance, const SimulationOptions& options,
                        std::span<const double> log_inv_delta) {
  const auto start = std::chrono::steady_clock::now();
  const ModelView model = view_of(instance);
  const CharacteristicTime time = characteristic_time(instance);
  CaseSolution solution;
  solution.T_star = time.upper;
  solution.T_star_lower = time.lower;
  solution.omega = time.allocation;
  solution.m = time.observation;
  solution.face_dimension = time.face_dimension;
  solution.iterations = time.iterations;
  solution.omega_heuristic = heuristic_allocation(model);
  solution.T_heuristic = time_of(model, solution.omega_heuristic);
  solution.T_uniform = time_of(model, uniform_allocation(model.K));
  solution.tv_heuristic = total_variation(solution.omega, solution.omega_heuristic);
  double squares = 0.0;
  for (const double m : solution.m) squares += m * m;
  solution.m_norm = std::sqrt(squares);
  for (const double x : log_inv_delta) {
    solution.lower_bound.push_back(lower_bound(time.upper, x));
    solution.practical_bound.push_back(practical_bound(time.upper, options.threshold, x, model.K));
  }
  const GraphQuantities quantities = graph_quantities(instance.graph());
  solution.alpha = quantities.independence.lower;
  solution.alpha_upper = quantities.independence.upper;
  solution.weak_domination = quantities.weak_domination.upper;
  solution.weak_domination_lower = quantities.weak_domination.lower;
  solution.domination = quantities.domination.upper;
  solution.self_loops = static_cast<std::int32_t>(quantities.self_loops.size());
  if (time.status != SolveStatus::solved)
    throw std::runtime_error(
        fmt::format("the solver {} at a relative gap of {:.1e}", to_string(time.status), time.gap()));
  solution.status = TaskStatus::done;
  solution.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return solution;
}

}  // namespace tasfg
