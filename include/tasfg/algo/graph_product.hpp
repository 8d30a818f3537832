/// Products with the estimated graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// (Ĝ x)_v for all v, in O(edges seen): vertices never pulled count with the prior's row.
class GraphProduct {
 public:
  explicit GraphProduct(const Instance& instance);
  void multiply(const Estimate& e, const std::vector<double>& x, std::vector<double>& out) const;

 private:
  struct OutEdge {
    std::uint32_t to;
    std::uint32_t count;  // where the estimate keeps N_vu
    double probability;
  };
  std::vector<OutEdge> edges_;  // of all vertices in turn
  std::vector<std::size_t> begin_;
  bool dense_;  // so many edges that all pairs take less time
};

}  // namespace tasfg
