#include "tasfg/algo/rules/exp3_g.hpp"

#include <algorithm>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/lanes.hpp"

namespace tasfg {

Exp3Rule::Exp3Rule(const Instance& instance, const Conventions& conventions)
    : variant_(conventions.exp3),
      graph_(&instance.graph()),
      rate_(conventions.exp3 == Exp3Variant::reference ? 1.0 / instance.size() : 0.3),
      p_(padded(static_cast<std::size_t>(instance.size())), 1.0 / instance.size()),
      q_(p_.begin(), p_.begin() + instance.size()),
      vertex_(q_.size()),
      gain_(p_.size(), 0.0) {}

double Exp3Rule::weight_of(const Estimate& e, int u) const {
  const auto edges = graph_->in(u);
  if (e.graph_known()) {
    double weight = 0.0;
    for (const Edge& edge : edges) weight += p_[static_cast<std::size_t>(edge.vertex)];
    return weight;
  }
  const std::size_t n = q_.size();
  if (!e.counts_pairs()) {
    double weight = 0.0;
    for (const Edge& edge : edges)
      weight += e.count(edge.vertex, u) > 0.0 ? p_[static_cast<std::size_t>(edge.vertex)] : 0.0;
    if (e.pulled() < e.size())
      for (std::size_t v = 0; v < n; ++v) weight += e.pulls()[v] == 0.0 ? p_[v] : 0.0;
    return weight;
  }
  const double* through = e.seen_through(u);
  if (e.pulled() == e.size()) {
    // A count can be positive on existing edges only. Where there are many, four sums side by side over all
    // vertices take less time than one over those.
    if (edges.size() > n / 4) return sum_where(through, p_.data(), n);
    double weight = 0.0;
    for (const Edge& edge : edges) {
      const auto v = static_cast<std::size_t>(edge.vertex);
      weight += through[v] > 0.0 ? p_[v] : 0.0;
    }
    return weight;
  }
  double weight = 0.0;
  for (std::size_t v = 0; v < n; ++v)
    if (through[v] > 0.0 || e.pulls()[v] == 0.0) weight += p_[v];
  return weight;
}

void Exp3Rule::finish(const Estimate& e, int /*v*/) {
  for (std::size_t i = 0; i < shown_; ++i)
    gain_[i] = rate_ * gain_[i] / (variant_ == Exp3Variant::paper ? weight_of(e, vertex_[i]) : 1.0);
  exp_each(gain_.data(), shown_);
  for (std::size_t i = 0; i < shown_; ++i) q_[static_cast<std::size_t>(vertex_[i])] *= gain_[i];
  double total = 0.0;
  for (const double value : q_) total += value;
  if (!(total > 0.0 && total < kInfinity)) {  // a reward so large that exp overflowed: all weight on it
    for (double& value : q_) value = value > 1e300 ? 1.0 : 0.0;
    total = 0.0;
    for (const double value : q_) total += value;
    if (total == 0.0) {
      std::fill(q_.begin(), q_.end(), 1.0);
      total = static_cast<double>(q_.size());
    }
  }
  for (double& value : q_) value /= total;
}

}  // namespace tasfg
