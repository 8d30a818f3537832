/// Bounds on what is known during several draws that are made at once: what a rule and the stopping rule need
/// to tell that nothing would have happened on the way.
#pragma once

#include <cstdint>
#include <vector>

namespace tasfg {

struct Corridor {
  std::int64_t draws = 0;            // made at once
  std::vector<std::int64_t> pulls;   // of each vertex
  std::vector<double> low, high;     // the mean of each vertex stays between these
  std::vector<double> observations;  // M_u at the end; before, it is less
  std::vector<double>
      edge_low;  // Ĝ_vu of the one vertex v that is pulled is never less, by u; empty where several are
};

}  // namespace tasfg
