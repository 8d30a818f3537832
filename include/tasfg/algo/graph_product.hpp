/// Products with the estimated graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// Vertices never pulled count with the prior's row. With pseudo-counts, sums run in the order of the
/// published runs (base/numpy_sums.hpp); otherwise in O(edges seen).
class GraphProduct {
 public:
  explicit GraphProduct(const Instance& instance);
  /// (Ĝ x)_v for all v.
  void multiply(const Estimate& e, const std::vector<double>& x, std::vector<double>& out);
  /// (Ĝ x)_v + added_v Σx: every entry of row v raised by added_v.
  void multiply_raised(const Estimate& e, const std::vector<double>& added, const std::vector<double>& x,
                       std::vector<double>& out);

 private:
  void multiply_as_published(const Estimate& e, std::span<const double> added, const std::vector<double>& x,
                             std::vector<double>& out);

  struct OutEdge {
    std::uint32_t to;
    std::uint32_t count;  // where the estimate keeps N_vu
    double probability;
  };
  std::vector<OutEdge> edges_;  // of all vertices in turn
  std::vector<std::size_t> begin_;
  bool dense_;               // so many edges that all pairs take less time
  std::vector<double> row_;  // of Ĝ, at hand
};

}  // namespace tasfg
