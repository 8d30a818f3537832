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
  bool allocate(const Estimate& e, std::vector<double>& out);

 private:
  RewardFamily reward_;
  double gap_;
  SolveOptions options_;
  CharacteristicTimeSolver solver_;
  std::vector<double> graph_;
  std::vector<double> row_pulls_;  // pulls when a row of graph_ was last written
};

}  // namespace tasfg
