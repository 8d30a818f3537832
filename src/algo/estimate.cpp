#include "tasfg/algo/estimate.hpp"

#include <limits>
#include <utility>

namespace tasfg {

Estimate::Estimate(const Instance& instance, Setting setting, const Conventions& conventions)
    : K_(instance.size()),
      n_(static_cast<std::size_t>(instance.size())),
      stride_(padded(n_)),
      setting_(setting),
      conventions_(conventions),
      graph_(&instance.graph()),
      unseen_(instance.size()),
      pulls_(n_, 0.0),
      observations_(n_, 0.0),
      sums_(n_, 0.0),
      means_(n_, 1.0),
      counts_(n_ * stride_, 0.0) {}

bool Estimate::best_is_unique() const {
  const double top = means_[static_cast<std::size_t>(best_)];
  const double slack = conventions_.unique_best == UniqueBest::close ? 1e-8 + 1e-5 * std::abs(top) : 0.0;
  for (int u = 0; u < K_; ++u)
    if (u != best_ && top - means_[static_cast<std::size_t>(u)] <= slack) return false;
  return true;
}

void Estimate::find_best() {
  best_ = index_of_largest(means_.data(), n_);
  double& top = means_[static_cast<std::size_t>(best_)];
  const double value = std::exchange(top, -std::numeric_limits<double>::infinity());
  runner_up_ = largest_of(means_.data(), n_);
  top = value;
}

}  // namespace tasfg
