#include "tasfg/algo/closed_form_allocation.hpp"

#include "tasfg/base/numpy_sums.hpp"

namespace tasfg {

ClosedFormAllocation::ClosedFormAllocation(const Instance& instance, ClosedForm form)
    : form_(form), scores_(instance), top_k_(instance.size()) {}

bool ClosedFormAllocation::allocate(const Estimate& e, std::vector<double>& out) {
  if (!scores_.compute(e, out)) return false;
  if (form_ == ClosedForm::heuristic && e.counts_as_published()) return divide_by(numpy_sum(out), out);
  const auto for_each_shown = [&e](int v, auto wanted, auto visit) {
    const auto look = [&](int u) {
      if (wanted(u) && e.edge(v, u) > 0.0) visit(u);
    };
    if (e.graph_known() ||
        (e.prior() == GraphPrior::optimistic && e.pulls()[static_cast<std::size_t>(v)] > 0.0))
      for (const Edge& edge : e.support().out(v)) look(edge.vertex);
    else
      for (int u = 0; u < e.size(); ++u) look(u);
  };
  return scores_to_allocation(form_, out, top_k_, for_each_shown);
}

}  // namespace tasfg
