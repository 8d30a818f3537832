/// What a result file holds, apart from the results: its dimensions, coordinates and provenance.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tasfg {

/// One case as the file describes it.
struct CaseInfo {
  std::string graph, label, parameters, reward, observability;
  int K = 0;
  int best = 0;
  double p, q, r, variance;  // NaN where the graph or reward has no such parameter
  std::int64_t edges = 0;
  std::uint64_t key = 0;  // of the instance's content
  std::vector<double> means;
};

struct AlgorithmInfo {
  std::string name, options;
  bool operator==(const AlgorithmInfo&) const = default;
};

struct ResultLayout {
  // What the results depend on.
  std::uint64_t seed = 0;
  std::int64_t max_steps = 0;
  std::string setting, conventions, convention_points, threshold, stream, results_version;
  std::vector<CaseInfo> cases;
  std::vector<AlgorithmInfo> algorithms;
  std::vector<double> delta, log_inv_delta;
  std::int64_t replications = 0;
  // What is kept for people.
  std::string job, job_overrides, job_name, job_origin, shard;
  std::string code_version, git_commit, build;
  std::string created;

  [[nodiscard]] std::size_t cells() const { return cases.size() * algorithms.size(); }
  [[nodiscard]] std::size_t tasks() const { return cells() * static_cast<std::size_t>(replications); }
  [[nodiscard]] std::size_t vertices() const;  // the largest K
};

/// Why results laid out as `held` cannot be kept in a file laid out as `wanted`; empty where they can. A file
/// can grow (cases, algorithms, δ, seeds, max_steps); it never loses what it holds.
[[nodiscard]] std::string why_not_extension(const ResultLayout& held, const ResultLayout& wanted);

/// Whether the two describe the same cells in the same order.
[[nodiscard]] bool same_grid(const ResultLayout& a, const ResultLayout& b);

}  // namespace tasfg
