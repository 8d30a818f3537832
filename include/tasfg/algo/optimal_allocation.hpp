/// The allocation that TaS-FG tracks.
#pragma once

#include <vector>

#include "tasfg/algo/conventions.hpp"
#include "tasfg/algo/estimate.hpp"
#include "tasfg/model/instance.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// The optimal allocation of an estimated model, by warm solves.
class OptimalAllocation {
 public:
  /// `gap` as in Algorithm.
  OptimalAllocation(const Instance& instance, double gap, AllocationUpdate update);
  /// Replaces the last allocation in `out` by that of the model as it is now. False, and `out` is left, where
  /// there is none: the best vertex is not unique, or some vertex cannot be observed.
  bool allocate(const Estimate& e, std::vector<double>& out);

 private:
  [[nodiscard]] double gap_for(const Estimate& e, const std::vector<double>& last) const;
  void read_row(const Estimate& e, int v);

  RewardFamily reward_;
  double gap_;
  SolveOptions options_;
  CharacteristicTimeSolver solver_;
  std::vector<double> graph_;        // empty where pairs are not counted
  std::vector<double> edge_values_;  // of the support; empty where there are few vertices
  std::vector<double> row_pulls_;    // pulls when a row was last read
};

}  // namespace tasfg
