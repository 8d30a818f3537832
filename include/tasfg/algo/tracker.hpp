/// Tracking: which vertex to choose so that the counts follow allocations.
#pragma once

#include <vector>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/algo/conventions.hpp"
#include "tasfg/algo/estimate.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// Follows a sequence of allocations with the counts N (subsec "Sampling Rule").
class Tracker {
 public:
  Tracker(const Instance& instance, const Algorithm& algorithm, const Conventions& conventions);
  [[nodiscard]] bool due(const Estimate& e) const {
    return conventions_.allocation_update == AllocationUpdate::every_5K ? e.draws() % (5 * e.size()) == 0
                                                                        : e.draws() % algorithm_.period == 0;
  }
  /// The newest allocation; `known` is false where the model has none (its best vertex is not unique).
  void add(const Estimate& e, const std::vector<double>& allocation, bool known);
  /// The next vertex.
  [[nodiscard]] int choose(const Estimate& e);

 private:
  /// projected_ ← max(allocation − c, floor) with c such that it sums to 1: the ℓ∞ projection on {ω ≥ floor}.
  void project(double floor, const std::vector<double>& allocation);

  const Algorithm algorithm_;
  const Conventions conventions_;
  std::vector<double> total_;      // Σ of allocations, or the running one
  std::vector<double> current_;    // the allocation in force, for periods beyond 1
  std::vector<double> projected_;  // of Tracking::c
  std::vector<double> lag_;        // N less what it follows; the next choice is where that is least
  double updates_ = 0.0;
};

}  // namespace tasfg
