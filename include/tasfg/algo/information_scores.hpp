/// The information that each vertex is expected to bring, under the estimated model.
#pragma once

#include <vector>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/algo/graph_product.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// (Ĝ Δ̂⁻²)_v, Δ̂ at the estimated best vertex being the smallest gap.
class InformationScores {
 public:
  explicit InformationScores(const Instance& instance);
  /// Writes the scores to `out`; false where the estimated best vertex is not unique.
  [[nodiscard]] bool compute(const Estimate& e, std::vector<double>& out);

 private:
  GraphProduct product_;
  std::vector<double> inverse_square_;
};

}  // namespace tasfg
