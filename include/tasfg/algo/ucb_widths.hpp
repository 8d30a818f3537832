/// What both UCB rules add to an estimate.
#pragma once

#include <cmath>
#include <cstdint>

#include "tasfg/base/elementary.hpp"

namespace tasfg {

/// √(2 ln(1 + t)) and √(ln(1 + t)/2), the widths of both UCB rules' bounds after t draws; 0 at the first.
struct UcbWidths {
  explicit UcbWidths(std::int64_t draws, bool graph_known) {
    if (draws == 0) return;
    const double l = log(1.0 + static_cast<double>(draws));
    mean = std::sqrt(2.0 * l);
    edge = graph_known ? 0.0 : std::sqrt(0.5 * l);
  }
  double mean = 0.0, edge = 0.0;
};

}  // namespace tasfg
