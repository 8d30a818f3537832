#include "tasfg/algo/optimal_allocation.hpp"

#include <algorithm>
#include <cmath>

namespace tasfg {

OptimalAllocation::OptimalAllocation(const Instance& instance, double gap, AllocationUpdate update)
    : reward_(instance.reward()),
      // The published rule solves rarely, and closely.
      gap_(gap == 0.0 && update == AllocationUpdate::every_5K ? 1e-7 : gap),
      graph_(static_cast<std::size_t>(instance.size()) * static_cast<std::size_t>(instance.size()), 0.0),
      row_pulls_(static_cast<std::size_t>(instance.size()), -1.0) {}

bool OptimalAllocation::allocate(const Estimate& e, std::vector<double>& out) {
  if (!e.best_is_unique()) return false;
  const auto n = out.size();
  for (std::size_t v = 0; v < n; ++v) {
    if (row_pulls_[v] == e.pulls()[v]) continue;
    row_pulls_[v] = e.pulls()[v];
    for (std::size_t u = 0; u < n; ++u) graph_[v * n + u] = e.edge(static_cast<int>(v), static_cast<int>(u));
  }
  // The estimates are off by a few times 1/√t of themselves: solving for them more closely than that changes
  // nothing but the time that it takes.
  constexpr double kOfEstimates = 0.5;
  options_.gap =
      gap_ > 0.0 ? gap_ : std::min(0.1, kOfEstimates / std::sqrt(static_cast<double>(e.draws() + 1)));
  options_.acceptable = std::max(options_.gap, 1e-4);
  const SolveInfo info =
      solver_.solve_warm({e.size(), graph_, e.means(), e.best(), &reward_, row_pulls_}, options_);
  if (info.status == SolveStatus::infeasible) return false;
  const auto solution = solver_.allocation();
  std::copy(solution.begin(), solution.end(), out.begin());
  return true;
}

}  // namespace tasfg
