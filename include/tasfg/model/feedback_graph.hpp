/// A feedback graph: G(v, u) is the probability that choosing v shows the reward of u.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tasfg/model/vertex_names.hpp"

namespace tasfg {

/// The largest K: a graph is a full matrix.
inline constexpr int kLargestGraph = 4096;

/// One edge as seen from one of its ends.
struct Edge {
  int vertex;  // the other end
  double probability;
};

/// K vertices and the K×K matrix of edge probabilities, each in [0, 1]. Immutable.
/// Out- and in-neighbourhoods list existing edges only, so that loops over them cost the degree.
class FeedbackGraph {
 public:
  /// `row_major` holds K·K probabilities; `origin` opens the error messages (a file, a family).
  FeedbackGraph(int K, std::vector<double> row_major, const ModelOrigin& origin = "graph");

  [[nodiscard]] int size() const { return K_; }
  [[nodiscard]] double operator()(int from, int to) const {
    return matrix_[static_cast<std::size_t>(from) * static_cast<std::size_t>(K_) +
                   static_cast<std::size_t>(to)];
  }
  [[nodiscard]] std::span<const double> row_major() const { return matrix_; }
  [[nodiscard]] std::span<const Edge> out(int v) const { return slice(out_, out_begin_, v); }
  [[nodiscard]] std::span<const Edge> in(int u) const { return slice(in_, in_begin_, u); }
  [[nodiscard]] bool has_edge(int from, int to) const { return (*this)(from, to) > 0.0; }
  [[nodiscard]] std::size_t edge_count() const { return out_.size(); }

 private:
  [[nodiscard]] static std::span<const Edge> slice(const std::vector<Edge>& edges,
                                                   const std::vector<std::size_t>& begin, int v) {
    const auto i = static_cast<std::size_t>(v);
    return {edges.data() + begin[i], begin[i + 1] - begin[i]};
  }

  int K_;
  std::vector<double> matrix_;
  std::vector<Edge> out_, in_;
  std::vector<std::size_t> out_begin_, in_begin_;
};

}  // namespace tasfg
