/// A curve or map computed by all threads of all ranks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tasfg/solve/curve.hpp"
#include "tasfg/sweep/link.hpp"

namespace tasfg {

/// A part's result as bytes, and back.
[[nodiscard]] std::string pack_map(const CertifiedMap& map);
[[nodiscard]] CertifiedMap unpack_map(const std::string& bytes);

/// Runs tasks 0 … count − 1, each once, on `threads` threads of every rank; what they return stands in order
/// at rank 0, and nothing at the others. A task that throws ends it: rank 0 throws, the others return. Every
/// rank calls it.
[[nodiscard]] std::vector<std::string> run_everywhere(Link& link, int threads, std::size_t count,
                                                      const std::function<std::string(std::size_t)>& task);

/// The curve at rank 0; an empty one at the others. The same bits for any number of ranks and threads (0:
/// this rank's share of the cores).
[[nodiscard]] Curve run_curve(const CurvePlan& plan, Link& link, int threads);

}  // namespace tasfg
