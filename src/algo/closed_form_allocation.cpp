#include "tasfg/algo/closed_form_allocation.hpp"

namespace tasfg {

ClosedFormAllocation::ClosedFormAllocation(const Instance& instance, ClosedForm form)
    : form_(form), scores_(instance), top_k_(instance.size()) {}

bool ClosedFormAllocation::allocate(const Estimate& e, std::vector<double>& out) {
  return scores_.compute(e, out) &&
         scores_to_allocation(form_, out, top_k_, [&e](std::size_t v, std::size_t u) {
           return e.edge(static_cast<int>(v), static_cast<int>(u)) > 0.0;
         });
}

}  // namespace tasfg
