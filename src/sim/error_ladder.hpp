/// Where a search for the ways to err begins.
#pragma once

#include <vector>

#include "tasfg/model/instance.hpp"
#include "tasfg/sim/proposal.hpp"

namespace tasfg {

/// Components of equal weight, from short runs of large deviations to long ones of small deviations. To stop
/// at the rival u, the evidence against every other arm must reach `evidence`; for given numbers of rewards
/// seen, the components' means are those at which this is most likely. Three patterns for each u: all arms
/// seen alike; u seen less often than others, which makes one high reward go further; all arms seen in the
/// first draws. Rivals far below the best are left out where there are many. With `pins`, the first rewards
/// of arms that are seen a few times are pinned.
enum class Pins { no, yes };
[[nodiscard]] std::vector<TiltComponent> error_ladder(const Instance& truth, double evidence, Pins pins);

/// How many first rewards to pin of an arm that is seen so often.
[[nodiscard]] int pinned_of(double observations);

}  // namespace tasfg
