/// The rules `tas-fg`, `tas-fg-heur`, `tas-fg-argmax` and `tas-fg-topk`.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "tasfg/algo/sampling_rule.hpp"
#include "tasfg/algo/tracker.hpp"

namespace tasfg {

/// TaS-FG and its variants: an allocation of the estimated model, tracked.
template <typename Allocation>
class TasRule : public NoMemory {
 public:
  TasRule(Allocation allocation, Tracker tracker, int K)
      : allocation_(std::move(allocation)),
        tracker_(std::move(tracker)),
        omega_(static_cast<std::size_t>(K)) {}

  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    if (tracker_.due(e)) {
      const bool known = allocation_.allocate(e, omega_);
      tracker_.add(e, omega_, known);
    } else {
      tracker_.add(e, omega_, false);
    }
    return tracker_.choose(e);
  }

 private:
  Allocation allocation_;
  Tracker tracker_;
  std::vector<double> omega_;
};

}  // namespace tasfg
