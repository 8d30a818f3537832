/// What a case's random streams are keyed by.
#pragma once

#include "tasfg/base/philox.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// A key made of the graph, the means and the reward family: what a case is, not where it stands in a grid.
[[nodiscard]] StreamKey content_key(const Instance& instance);

}  // namespace tasfg
