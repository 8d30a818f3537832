/// Regimes: ranges of a parameter in which ω* has the same support, and where one gives way to the next.
///
/// Near such a point both the share and the loss of the vertices concerned are small, and a solution does not
/// tell them apart. But the problem in which only one regime's vertices can be chosen is as good there as
/// elsewhere, and its prices say by their sign whether another vertex would be worth choosing: the sign is
/// what is bisected. (The value of T* could not tell: it changes with the square of the distance.)
#pragma once

#include <cstdint>
#include <vector>

#include "tasfg/solve/certified_map.hpp"

namespace tasfg {

/// Between `low` and `high` the support of ω* changes.
struct RegimeChange {
  double low = 0.0, high = 0.0;
  std::vector<int> entering, leaving;  // vertices, from 0
};

/// The changes between the points of a curve, in ascending order, each bracketed within `width`; wider where the
/// solver's accuracy does not tell the sign that near. A regime that lies wholly between two neighbouring points
/// goes unnoticed.
[[nodiscard]] std::vector<RegimeChange> regime_changes(const ModelFamily& family,
                                                       const std::vector<MapPoint>& points,
                                                       double width = 1e-9);

}  // namespace tasfg
