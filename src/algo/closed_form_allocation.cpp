#include "tasfg/algo/closed_form_allocation.hpp"

#include "tasfg/base/numpy_sums.hpp"

namespace tasfg {

ClosedFormAllocation::ClosedFormAllocation(const Instance& instance, ClosedForm form)
    : form_(form), scores_(instance), top_k_(instance.size()) {}

bool ClosedFormAllocation::allocate(const Estimate& e, std::vector<double>& out) {
  if (!scores_.compute(e, out)) return false;
  if (form_ == ClosedForm::heuristic && e.counts_as_published()) return divide_by(numpy_sum(out), out);
  const auto has_edge = [&e](int v, int u) { return e.edge(v, u) > 0.0; };
  return scores_to_allocation(form_, out, top_k_, has_edge);
}

}  // namespace tasfg
