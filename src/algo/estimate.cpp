#include "tasfg/algo/estimate.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "tasfg/base/elementary.hpp"

namespace tasfg {

Estimate::Estimate(const Instance& instance, Setting setting, const Conventions& conventions)
    : K_(instance.size()),
      n_(static_cast<std::size_t>(instance.size())),
      stride_(padded(n_)),
      by_edges_(!instance.graph().has_matrix()),
      setting_(setting),
      conventions_(conventions),
      graph_(&instance.graph()),
      unseen_(instance.size()),
      side_(n_, 1.0),
      pulls_(n_, 0.0),
      observations_(n_, 0.0),
      means_(n_, 1.0),
      counts_(by_edges_ ? instance.graph().edge_count() + 1 : n_ * stride_, 0.0) {
  side_[0] = -1.0;
}

std::size_t Estimate::place_of_edge(int v, int u) const {
  const std::span<const Edge> edges = graph_->out(v);
  const auto found = std::lower_bound(edges.begin(), edges.end(), u,
                                      [](const Edge& edge, int vertex) { return edge.vertex < vertex; });
  if (found == edges.end() || found->vertex != u) return graph_->edge_count();
  return static_cast<std::size_t>(&*found - graph_->out(0).data());
}

bool Estimate::best_is_unique() const {
  const double top = means_[static_cast<std::size_t>(best_)];
  const double slack = conventions_.unique_best == UniqueBest::close ? 1e-8 + 1e-5 * std::abs(top) : 0.0;
  for (int u = 0; u < K_; ++u)
    if (u != best_ && top - means_[static_cast<std::size_t>(u)] <= slack) return false;
  return true;
}

void Estimate::find_best() {
  best_ = index_of_largest(means_.data(), n_);
  double& best_mean = means_[static_cast<std::size_t>(best_)];
  const double top = std::exchange(best_mean, -kInfinity);
  runner_up_ = largest_of(means_.data(), n_);
  best_mean = top;
}

void Estimate::move_best(int u) {
  const auto at = [](int v) { return static_cast<std::size_t>(v); };
  const int before = best_;
  if (u == best_) {
    find_best();
  } else {
    const double now = means_[at(u)];
    const double top = means_[at(best_)];
    const bool leads = now > top || (now == top && u < best_);
    runner_up_ = leads ? top : now;
    best_ = leads ? u : best_;
  }
  side_[at(before)] = 1.0;
  side_[at(best_)] = -1.0;
}

}  // namespace tasfg
