/// What results this program gives, as numbers: digests of short probe runs, which take milliseconds. A
/// result file holds them beside the results, and a program whose digests differ does not write into it. So a
/// change of a rule, a sampler or the solver cannot mix old and new results, whether or not somebody
/// remembered to raise kResultsVersion.
#pragma once

#include <cstdint>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

/// Of trajectories of an algorithm: small graphs with every reward family, and one with more vertices than
/// the solver's small forms take. Depends on those options alone that files of one study share: not on
/// max_steps, checkpoints, pulls_by_delta and skip.
[[nodiscard]] std::uint64_t runs_digest(const Algorithm& algorithm, const SimulationOptions& options);

/// Of solutions of cases: T*, allocations, quantities of graphs, bounds.
[[nodiscard]] std::uint64_t solutions_digest(const SimulationOptions& options);

}  // namespace tasfg
