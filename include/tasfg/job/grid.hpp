/// A job expanded into every case, algorithm, δ and seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/model/graph_source.hpp"
#include "tasfg/model/instance.hpp"
#include "tasfg/sim/precision.hpp"
#include "tasfg/sim/task.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {

/// One instance of the grid, without its matrix: `Grid::instance` builds that when it is needed, so that a
/// grid of many large graphs stays small.
struct Case {
  std::string graph;      // the family's name
  Parameters parameters;  // complete: every parameter of the family
  std::string label;      // "ring K=5 p=0.3": unique within the grid
  RewardFamily reward;
  std::vector<double> means;
  int K = 0;
  int best = 0;
  std::size_t edges = 0;
  Observability observability = Observability::none;
  StreamKey key;  // content_key of the instance
};

/// An algorithm of the job, with its options as text ("period=5 tracking=c"; empty where all are defaults).
struct JobAlgorithm {
  Algorithm algorithm;
  std::string options;
};

/// A job expanded: every case, every algorithm, every δ, every seed. A *cell* is one (case, algorithm); a
/// task is one seed of a cell, or the solution of one case.
struct Grid {
  std::string origin;                  // the job file's name, for messages
  std::string text;                    // the job file, verbatim
  std::vector<std::string> overrides;  // "key=value", in the order given
  std::string name;
  SimulationOptions options;      // master_seed is the job's `seed`
  std::string conventions;        // "paper" or "reference"; `options` has its points, changed ones included
  std::int64_t replications = 1;  // seeds 0 … replications − 1
  Precision precision;            // where cells may have fewer
  std::vector<double> delta;      // in the order given; δ and ln(1/δ) beside each other
  std::vector<double> log_inv_delta;
  std::vector<JobAlgorithm> algorithms;
  std::vector<Case> cases;
  int largest_K = 0;
  // Points of the product that are no cases: by `where`, and by `skip_infeasible`.
  std::int64_t left_out_by_where = 0, left_out_infeasible = 0;
  GraphSource files;  // the graphs of family "file"

  [[nodiscard]] const Case& at(CaseId id) const { return cases.at(id.value()); }
  [[nodiscard]] const JobAlgorithm& at(AlgorithmId id) const { return algorithms.at(id.value()); }
  [[nodiscard]] CellGrid cell_grid() const { return {cases.size(), algorithms.size()}; }
  [[nodiscard]] std::size_t cells() const { return cell_grid().cells(); }
  /// Builds a case's instance.
  [[nodiscard]] Instance instance(CaseId id) const;
  /// Equal for two grids whose results are the same: what ranks compare, and result files.
  [[nodiscard]] std::uint64_t digest() const;
  /// The `tasfg simulate` or `tasfg error` command that runs one task again.
  [[nodiscard]] std::string replay_command(CaseId id, AlgorithmId algorithm, std::int64_t seed) const;
};

}  // namespace tasfg
