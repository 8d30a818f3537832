/// What a result file holds, apart from the results: its dimensions, coordinates and provenance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tasfg/io/record_batch.hpp"
#include "tasfg/sim/case_record.hpp"
#include "tasfg/sim/task.hpp"

namespace tasfg {

/// The minor version of the format that this program writes.
inline constexpr std::int64_t kFormatMinor = 2;

struct AlgorithmInfo {
  std::string name, options;
  std::uint64_t digest = 0;  // of what the program makes of it: runs_digest
  bool operator==(const AlgorithmInfo&) const = default;
};

struct ResultLayout {
  std::int64_t format_minor = kFormatMinor;
  // What the results depend on.
  std::uint64_t seed = 0;
  std::int64_t max_steps = 0;
  std::string setting, conventions, convention_points, threshold, stream, results_version;
  std::vector<CaseDescription> cases;
  std::vector<AlgorithmInfo> algorithms;
  std::vector<double> delta, log_inv_delta;
  std::int64_t replications = 0;
  std::string precision;  // as Precision::text: cells may need fewer runs
  // What is kept of each run.
  std::vector<std::int64_t> checkpoints;
  std::int64_t pulls_by_delta = 0;  // 1: yes
  bool weighted = false;            // runs are weighted ones, with a log_weight: measure = "error"
  // What is kept for people.
  std::string job, job_overrides, job_name, job_origin, shard;
  std::int64_t left_out_by_where = 0, left_out_infeasible = 0;  // points of the grid that are no cases
  std::string code_version, git_commit, build;
  std::string created;

  [[nodiscard]] CellGrid grid() const { return {cases.size(), algorithms.size()}; }
  [[nodiscard]] std::size_t cells() const { return grid().cells(); }
  [[nodiscard]] std::size_t tasks() const { return cells() * static_cast<std::size_t>(replications); }
  [[nodiscard]] RecordShape shape() const;
  [[nodiscard]] std::size_t edges() const;  // of all cases
  [[nodiscard]] std::size_t K(CaseId c) const { return static_cast<std::size_t>(cases[c.value()].K); }
};

/// Why results laid out as `held` cannot be kept in a file laid out as `wanted`; empty where they can. A file
/// can grow (cases, algorithms, δ, seeds, checkpoints, max_steps); it never loses what it holds.
[[nodiscard]] std::string why_not_extension(const ResultLayout& held, const ResultLayout& wanted);

/// Whether the two describe the same cells in the same order, with the same kept of each.
[[nodiscard]] bool same_grid(const ResultLayout& a, const ResultLayout& b);

}  // namespace tasfg
