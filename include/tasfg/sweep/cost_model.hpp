/// What a task is expected to cost, before any has run. The scheduler corrects it by what it measures.
#pragma once

#include "tasfg/job/job.hpp"
#include "tasfg/sim/case_record.hpp"

namespace tasfg {

/// Expected draws of one trajectory to the smallest δ: T of the algorithm's allocation times the threshold,
/// times a factor that was measured on the paper's graphs.
[[nodiscard]] double expected_steps(const Grid& grid, CaseId id, AlgorithmId algorithm,
                                    const CaseSolution& solution);

/// Expected seconds of one draw.
[[nodiscard]] double seconds_per_step(const Grid& grid, CaseId id, AlgorithmId algorithm);

/// How many single draws cost as much as one trajectory of so many draws, of which many may be made at once.
[[nodiscard]] double expected_single_steps(const Grid& grid, CaseId id, AlgorithmId algorithm, double steps);

/// Expected runs of a cell: all replications, or as many as the job's precision will probably take.
[[nodiscard]] double expected_runs(const Grid& grid, CaseId id, AlgorithmId algorithm,
                                   const CaseSolution& solution);

/// Expected seconds of one trajectory.
[[nodiscard]] double expected_seconds(const Grid& grid, CaseId id, AlgorithmId algorithm,
                                      const CaseSolution& solution);

/// Expected seconds of the solution of a case.
[[nodiscard]] double expected_solution_seconds(const Case& each);

}  // namespace tasfg
