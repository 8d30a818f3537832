/// The evidence of all arms at once, for models that are not solved as a whole.
#pragma once

#include <cstddef>
#include <vector>

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// f_u and its gradient at given rates; all vectors have padded(K) entries.
class AllEvidence {
 public:
  /// Takes over means and best vertex.
  void load(const ModelView& model);
  /// At the rates of all vertices, of which padded(K) are read. Where nothing is shown of the best vertex or
  /// of an arm, f is 0.
  void evaluate(const std::vector<double>& rates);

  /// f; infinite where there is no arm.
  [[nodiscard]] const std::vector<double>& value() const { return value_; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double from_best(std::size_t u) const { return from_best_[u]; }
  [[nodiscard]] double from_arm(std::size_t u) const { return from_arm_[u]; }

 private:
  int K_ = 0;
  std::size_t best_ = 0;
  RewardFamily reward_;
  std::vector<double> means_, is_arm_, value_, from_best_, from_arm_;
  double least_ = 0.0;
};

}  // namespace tasfg
