/// What a job may ask for, and the expansion within limits of one's own, for tests that must stay quick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tasfg/job/job.hpp"

namespace tasfg {

/// Cases are kept in memory and every graph is built once to be checked, so that a slip of the pen must not
/// stand for more than a machine can hold.
struct JobLimits {
  std::size_t cases = 1'000'000;
  std::int64_t replications = 1'000'000'000;
  std::int64_t tasks = 10'000'000'000;
  std::size_t entries = 2'000'000'000;  // of all matrices, K² each; vertices and edges of larger graphs
  std::size_t expressions = 10'000;
  std::size_t deltas = 1000;
  std::size_t checkpoints = 1000;
};

[[nodiscard]] Grid expand_job_within(const JobLimits& limits, const std::string& text,
                                     const std::string& origin, const std::vector<std::string>& overrides,
                                     const GraphSource& files);

}  // namespace tasfg
