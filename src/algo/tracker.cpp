#include "tasfg/algo/tracker.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tasfg/base/extremes.hpp"

namespace tasfg {

Tracker::Tracker(const Instance& instance, const Algorithm& algorithm, const Conventions& conventions)
    : algorithm_(algorithm),
      conventions_(conventions),
      total_(static_cast<std::size_t>(instance.size()), 0.0),
      current_(static_cast<std::size_t>(instance.size()), 1.0 / instance.size()),
      projected_(total_.size()),
      lag_(total_.size()) {}

void Tracker::project(double floor, const std::vector<double>& allocation) {
  projected_ = allocation;
  std::sort(projected_.begin(), projected_.end(), std::greater<>());
  const std::size_t n = projected_.size();
  double head = 0.0;
  double shift = 0.0;
  for (std::size_t k = 1; k <= n; ++k) {  // the k largest stay above the floor
    head += projected_[k - 1];
    const double c = (head + static_cast<double>(n - k) * floor - 1.0) / static_cast<double>(k);
    if (k == n || projected_[k] - c <= floor) {
      shift = c;
      break;
    }
  }
  for (std::size_t v = 0; v < n; ++v) projected_[v] = std::max(allocation[v] - shift, floor);
}

void Tracker::add(const Estimate& e, const std::vector<double>& allocation, bool known) {
  const std::size_t n = total_.size();
  if (conventions_.allocation_update == AllocationUpdate::every_5K) {
    if (!known) return;
    updates_ += 1.0;
    for (std::size_t v = 0; v < n; ++v) total_[v] += allocation[v];
    return;
  }
  if (known) current_ = allocation;
  switch (algorithm_.tracking) {
    case Tracking::averaged_d:
      for (std::size_t v = 0; v < n; ++v) total_[v] += current_[v];
      break;
    case Tracking::d:
      total_ = current_;
      break;
    case Tracking::c: {
      const double K = static_cast<double>(n);
      project(0.5 / std::sqrt(K * K + static_cast<double>(e.draws())), current_);
      for (std::size_t v = 0; v < n; ++v) total_[v] += projected_[v];
      break;
    }
    case Tracking::exponential:
      if (updates_ == 0.0) total_ = current_;
      updates_ = 1.0;
      for (std::size_t v = 0; v < n; ++v) total_[v] += algorithm_.weight * (current_[v] - total_[v]);
      break;
  }
}

int Tracker::choose(const Estimate& e) {
  const std::size_t n = total_.size();
  const std::vector<double>& N = e.pulls();
  const double t = static_cast<double>(e.draws() + 1);
  const bool reference = conventions_.allocation_update == AllocationUpdate::every_5K;
  if (reference || algorithm_.tracking != Tracking::c) {
    const double least = std::sqrt(t) - 0.5 * static_cast<double>(n);
    const double fewest = smallest_of(N.data(), n);
    if (fewest < least) {
      if (conventions_.forced_exploration == ForcedExploration::least_pulled)
        return first_index_of(fewest, N.data(), n);
      int v = 0;
      while (!(N[static_cast<std::size_t>(v)] < least)) ++v;
      return v;
    }
  }
  const double K = static_cast<double>(n);
  const bool scaled = algorithm_.tracking == Tracking::d || algorithm_.tracking == Tracking::exponential;
  for (std::size_t v = 0; v < n; ++v) {
    lag_[v] = reference ? N[v] / t - (updates_ > 0.0 ? total_[v] / updates_ : 1.0 / K)
              : scaled  ? N[v] - t * total_[v]
                        : N[v] - total_[v];
  }
  return index_of_smallest(lag_.data(), n);
}

}  // namespace tasfg
