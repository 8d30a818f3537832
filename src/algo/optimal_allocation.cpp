#include "tasfg/algo/optimal_allocation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tasfg {

namespace {

/// Of so few vertices, models are solved as matrices, and as closely as the draws alone say.
constexpr int kFew = 16;

}  // namespace

OptimalAllocation::OptimalAllocation(const Instance& instance, double gap, AllocationUpdate update)
    : reward_(instance.reward()),
      // The published rule solves rarely, and closely.
      gap_(gap == 0.0 && update == AllocationUpdate::every_5K ? 1e-7 : gap),
      graph_(instance.graph().has_matrix() ? instance.graph().row_major().size() : 0, 0.0),
      edge_values_(instance.size() > kFew ? instance.graph().edge_count() : 0, 0.0),
      row_pulls_(static_cast<std::size_t>(instance.size()), -1.0) {}

void OptimalAllocation::read_row(const Estimate& e, int v) {
  const auto n = static_cast<std::size_t>(e.size());
  const auto row = static_cast<std::size_t>(v) * n;
  if (!graph_.empty())
    for (std::size_t u = 0; u < n; ++u) graph_[row + u] = e.edge(v, static_cast<int>(u));
  if (edge_values_.empty()) return;
  const FeedbackGraph& support = e.support();
  auto value = edge_values_.begin() + (support.out(v).data() - support.out(0).data());
  for (const Edge& edge : support.out(v)) *value++ = e.edge(v, edge.vertex);
}

/// The estimates are off by a few times 1/√t of themselves: solving for them more closely than that changes
/// nothing but the time that it takes. Of many vertices each has a part of the draws only, some K/t of them
/// where allocations are followed, and less where they are not yet: Σ ω²/N, which is 1/t where N = tω.
double OptimalAllocation::gap_for(const Estimate& e, const std::vector<double>& last) const {
  constexpr double kOfEstimates = 0.5, kLargest = 0.1;
  if (gap_ > 0.0) return gap_;
  const auto t = static_cast<double>(e.draws() + 1);
  if (e.size() <= kFew) return std::min(kLargest, kOfEstimates / std::sqrt(t));
  double spread = 0.0;
  for (std::size_t v = 0; v < last.size(); ++v) spread += last[v] * last[v] / std::max(1.0, e.pulls()[v]);
  const double vertices = static_cast<double>(e.size()) / kFew;
  return std::min(kLargest, kOfEstimates * std::sqrt(vertices * std::max(1.0 / t, spread)));
}

bool OptimalAllocation::allocate(const Estimate& e, std::vector<double>& out) {
  if (!e.best_is_unique()) return false;
  const bool optimistic = !e.graph_known() && !e.counts_as_published();
  const bool all_pulled = e.pulled() == e.size();
  // Nobody shows what all have failed to show. Of few vertices, the solver finds out by itself.
  if (e.size() > kFew && optimistic && all_pulled && e.unseen() > 0) return false;
  if (optimistic && !all_pulled && graph_.empty()) {
    // A vertex that was never pulled is taken to show all others: nothing else is worth a draw.
    const double share = 1.0 / static_cast<double>(e.size() - e.pulled());
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = e.pulls()[v] == 0.0 ? share : 0.0;
    return true;
  }
  for (int v = 0; v < e.size(); ++v) {
    const double pulls = e.pulls()[static_cast<std::size_t>(v)];
    if (std::exchange(row_pulls_[static_cast<std::size_t>(v)], pulls) != pulls) read_row(e, v);
  }
  options_.gap = gap_for(e, out);
  options_.acceptable = std::max(options_.gap, 1e-4);
  ModelView model{e.size(), graph_, e.means(), e.best(), &reward_, row_pulls_};
  if (!edge_values_.empty() && (e.graph_known() || (optimistic && all_pulled))) {
    model.edges = &e.support();
    model.edge_values = edge_values_;
  }
  const SolveInfo info = solver_.solve_warm(model, options_);
  if (info.status == SolveStatus::infeasible) return false;
  const auto solution = solver_.allocation();
  std::copy(solution.begin(), solution.end(), out.begin());
  return true;
}

}  // namespace tasfg
