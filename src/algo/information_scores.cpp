#include "tasfg/algo/information_scores.hpp"

#include <cmath>

#include "tasfg/base/extremes.hpp"

namespace tasfg {

InformationScores::InformationScores(const Instance& instance)
    : product_(instance), inverse_square_(static_cast<std::size_t>(instance.size())) {}

bool InformationScores::compute(const Estimate& e, std::vector<double>& out) {
  if (e.exact_gaps() ? e.draws() == 0 : !e.best_is_unique()) return false;
  const std::size_t n = inverse_square_.size();
  const auto a = static_cast<std::size_t>(e.best());
  const double top = e.means()[a];
  for (std::size_t u = 0; u < n; ++u) {
    const double gap = top - e.means()[u];
    inverse_square_[u] = 1.0 / (gap * gap);
  }
  inverse_square_[a] = 0.0;
  const double largest = largest_of(inverse_square_.data(), n);
  if (!std::isfinite(largest)) return false;  // a gap of 0: the best vertex is not unique
  inverse_square_[a] = largest;               // Δ at the best vertex is the smallest gap
  product_.multiply(e, inverse_square_, out);
  return true;
}

}  // namespace tasfg
