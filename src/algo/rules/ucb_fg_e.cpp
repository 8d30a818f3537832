#include "tasfg/algo/rules/ucb_fg_e.hpp"

#include <algorithm>
#include <cmath>

#include "tasfg/base/extremes.hpp"

namespace tasfg {

UcbERule::UcbERule(const Instance& instance)
    : product_(instance),
      mean_(static_cast<std::size_t>(instance.size())),
      edge_(mean_),
      score_(mean_),
      inverse_root_M_(mean_.size(), 1.0),
      inverse_root_N_(inverse_root_M_),
      stale_(mean_.size()) {}

void UcbERule::finish(const Estimate& e, int v) {
  for (std::size_t k = 0; k < stale_count_; ++k) {
    const auto u = static_cast<std::size_t>(stale_[k]);
    inverse_root_M_[u] = 1.0 / std::sqrt(e.observations()[u]);
  }
  stale_count_ = 0;
  const auto i = static_cast<std::size_t>(v);
  inverse_root_N_[i] = 1.0 / std::sqrt(e.pulls()[i]);
}

int UcbERule::pick_as_published(const Estimate& e, double log_t) {
  for (std::size_t u = 0; u < mean_.size(); ++u) {
    mean_[u] = e.means()[u] + std::sqrt(2.0 * log_t / std::max(1.0, e.observations()[u]));
    edge_[u] = std::sqrt(log_t / (2.0 * std::max(1.0, e.pulls()[u])));
  }
  product_.multiply_raised(e, edge_, mean_, score_);
  return index_of_largest(score_.data(), score_.size());
}

int UcbERule::pick(const Estimate& e, const UcbWidths& widths) {
  const std::size_t n = mean_.size();
  for (std::size_t u = 0; u < n; ++u) mean_[u] = e.means()[u] + widths.mean * inverse_root_M_[u];
  for (std::size_t v = 0; v < n; ++v) edge_[v] = widths.edge * inverse_root_N_[v];
  product_.multiply_raised(e, edge_, mean_, score_);
  return index_of_largest(score_.data(), n);
}

}  // namespace tasfg
