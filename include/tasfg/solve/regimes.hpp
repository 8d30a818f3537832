/// Regimes: ranges of a parameter in which ω* has the same support, and where one gives way to the next.
///
/// Near such a point both the share and the loss of the vertices concerned are small, and a solution does not
/// tell them apart. But the problem in which only one regime's vertices can be chosen is as good there as
/// elsewhere, and by its prices another vertex would be worth choosing or not: by how much is a smooth
/// function of the parameter, and its zero is the change. (The value of T* could not tell: it changes with
/// the square of the distance.) Where optimal allocations become many at the change, that function is 0
/// beyond it; so it is followed on the side where it is negative, as far as the solver's accuracy goes, and
/// extrapolated.
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

/// The changes between the points of a curve, in ascending order, each bracketed within `width`; wider where
/// the solver's accuracy does not allow that. A regime that lies wholly between two neighbouring points goes
/// unnoticed.
[[nodiscard]] std::vector<RegimeChange> regime_changes(const ModelFamily& family,
                                                       const std::vector<MapPoint>& points,
                                                       double width = 1e-9);

}  // namespace tasfg
