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

/// Tasks 0 … count − 1 whose results gather at rank 0.
struct SharedTasks {
  std::size_t count = 0;
  std::function<void(std::size_t)> here;         // at rank 0: does it and keeps the result; several at once
  std::function<std::string(std::size_t)> away;  // elsewhere: the result as bytes; several at once
  std::function<void(std::size_t, const std::string&)>
      arrived;  // at rank 0: what another has sent; one at a time
};

/// Runs each task once, on `threads` threads of every rank. What others send is taken in while the threads
/// are at work. A task that throws ends it: rank 0 throws, the others return. Every rank calls it.
void run_everywhere(Link& link, int threads, const SharedTasks& tasks);

/// The curve at rank 0; an empty one at the others. The same bits for any number of ranks and threads (0:
/// this rank's share of the cores).
[[nodiscard]] Curve run_curve(const CurvePlan& plan, Link& link, int threads);

}  // namespace tasfg
