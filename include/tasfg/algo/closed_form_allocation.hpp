/// The closed-form allocations of an estimated model.
#pragma once

#include <vector>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/algo/information_scores.hpp"
#include "tasfg/model/instance.hpp"
#include "tasfg/solve/allocations.hpp"

namespace tasfg {

class ClosedFormAllocation {
 public:
  ClosedFormAllocation(const Instance& instance, ClosedForm form);
  /// Writes ω to `out`; false where the estimated best vertex is not unique.
  [[nodiscard]] bool allocate(const Estimate& e, std::vector<double>& out);

 private:
  ClosedForm form_;
  InformationScores scores_;
  TopK top_k_;
};

}  // namespace tasfg
