/// Regimes: ranges of a parameter in which ω* has the same support, and where one gives way to the next.
///
/// Near such a point both the share and the loss of the vertices concerned are small, and a solution does not
/// tell them apart. (The value of T* could not tell at all: it changes with the square of the distance.) But
/// for given vertices that are drawn and arms that bind, the conditions of optimality are smooth equations,
/// which Newton's method solves to rounding; signs of the solution say whether these are the sets
/// (src/solve/optimality.hpp). So a point between two regimes is tried as one of the left, then as one of the
/// right, and the bracket is halved.
#pragma once

#include <cstdint>
#include <vector>

#include "tasfg/solve/certified_map.hpp"

namespace tasfg {

inline constexpr double kRegimeWidth = 1e-9;  // of a bracket, where nothing else is asked for

/// Between `low` and `high` the support of ω* changes.
struct RegimeChange {
  double low = 0.0, high = 0.0;
  std::vector<int> entering, leaving;  // vertices, from 0
};

/// The changes between the points of a curve, in ascending order, each bracketed within `width`; wider where
/// the conditions could not be solved between. A regime that lies wholly between two neighbouring points goes
/// unnoticed.
[[nodiscard]] std::vector<RegimeChange> regime_changes(const ModelFamily& family,
                                                       const std::vector<MapPoint>& points,
                                                       double width = kRegimeWidth);

}  // namespace tasfg
