#include "tasfg/algo/graph_product.hpp"

#include "tasfg/base/lanes.hpp"
#include "tasfg/base/numpy_sums.hpp"

namespace tasfg {

GraphProduct::GraphProduct(const Instance& instance) : row_(static_cast<std::size_t>(instance.size())) {
  const auto stride = static_cast<std::uint32_t>(padded(static_cast<std::size_t>(instance.size())));
  begin_.push_back(0);
  for (int v = 0; v < instance.size(); ++v) {
    for (const Edge& edge : instance.graph().out(v)) {
      const auto u = static_cast<std::uint32_t>(edge.vertex);
      const auto count = instance.graph().has_matrix() ? u * stride + static_cast<std::uint32_t>(v)
                                                       : static_cast<std::uint32_t>(edges_.size());
      edges_.push_back({u, count, edge.probability});
    }
    begin_.push_back(edges_.size());
  }
  const auto n = static_cast<std::size_t>(instance.size());
  dense_ = edges_.size() > n * n / 4;
}

void GraphProduct::multiply(const Estimate& e, const std::vector<double>& x, std::vector<double>& out) {
  const std::size_t n = out.size();
  if (e.counts_as_published()) {
    multiply_as_published(e, {}, x, out);
    return;
  }
  if (e.graph_known()) {
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0.0;
      for (std::size_t i = begin_[v]; i < begin_[v + 1]; ++i) sum += edges_[i].probability * x[edges_[i].to];
      out[v] = sum;
    }
    return;
  }
  // A count can be positive on existing edges only.
  const double* counts = e.counts();
  const double* pulls = e.pulls().data();
  if (dense_) {  // the same sums, with zeros in them
    combine_rows(counts, padded(n), n, x.data(), out.data());
    for (std::size_t v = 0; v < n; ++v) out[v] /= pulls[v];
  } else {
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0.0;
      for (std::size_t i = begin_[v]; i < begin_[v + 1]; ++i)
        sum += counts[edges_[i].count] * x[edges_[i].to];
      out[v] = sum / pulls[v];
    }
  }
  if (e.pulled() == e.size()) return;
  double total = 0.0;
  for (const double value : x) total += value;
  for (std::size_t v = 0; v < n; ++v)
    if (pulls[v] == 0.0) out[v] = total;
}

void GraphProduct::multiply_raised(const Estimate& e, const std::vector<double>& added,
                                   const std::vector<double>& x, std::vector<double>& out) {
  if (e.counts_as_published()) {
    multiply_as_published(e, added, x, out);
    return;
  }
  multiply(e, x, out);
  double total = 0.0;
  for (const double value : x) total += value;
  for (std::size_t v = 0; v < out.size(); ++v) out[v] += added[v] * total;
}

void GraphProduct::multiply_as_published(const Estimate& e, std::span<const double> added,
                                         const std::vector<double>& x, std::vector<double>& out) {
  for (std::size_t v = 0; v < out.size(); ++v) {
    for (std::size_t u = 0; u < out.size(); ++u)
      row_[u] = e.edge(static_cast<int>(v), static_cast<int>(u)) + (added.empty() ? 0.0 : added[v]);
    out[v] = numpy_product(row_, v, x);
  }
}

}  // namespace tasfg
