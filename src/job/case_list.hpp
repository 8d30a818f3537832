/// The cases of a job, from its [[graph]] blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "graph_block.hpp"

#include "tasfg/job/grid.hpp"

namespace tasfg {

/// What happens to a case some vertex of which cannot be observed.
enum class Infeasible { refuse, skip };

/// Fills grid.cases, grid.largest_K and the counts of what is left out; everything else of the grid must be
/// there. Every graph is built once and checked with every algorithm. `most_entries` bounds the sum of K²
/// over all cases.
void list_cases(const std::vector<GraphBlock>& blocks, std::size_t most_entries, Infeasible infeasible,
                Grid& grid);

}  // namespace tasfg
