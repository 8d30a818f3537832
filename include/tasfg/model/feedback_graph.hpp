/// A feedback graph: G(v, u) is the probability that choosing v shows the reward of u.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tasfg/base/contract.hpp"
#include "tasfg/model/vertex_names.hpp"

namespace tasfg {

/// The largest K of a graph that is held as a matrix too, and of one that is held by its edges alone.
inline constexpr int kLargestMatrix = 4096;
inline constexpr int kLargestGraph = 1'000'000;

/// One edge as seen from one of its ends.
struct Edge {
  int vertex;  // the other end
  double probability;
};

/// One edge: choosing `from` shows `to`.
struct DirectedEdge {
  int from, to;
  double probability;
};

/// The number of the first edge whose ends are those of an earlier one.
[[nodiscard]] std::optional<std::size_t> first_repeated(std::span<const DirectedEdge> edges);

/// K vertices and the probabilities of their edges, each in [0, 1]. Immutable.
/// Out- and in-neighbourhoods list existing edges only, so that loops over them cost the degree.
class FeedbackGraph {
 public:
  /// `row_major` holds K·K probabilities; `origin` opens the error messages (a file, a family).
  FeedbackGraph(int K, std::vector<double> row_major, const ModelOrigin& origin = "graph");

  /// From edges in any order, each once. What is not listed does not exist.
  FeedbackGraph(int K, std::vector<DirectedEdge> edges, const ModelOrigin& origin = "graph");

  [[nodiscard]] int size() const { return K_; }
  [[nodiscard]] double operator()(int from, int to) const {
    if (has_matrix())
      return matrix_[static_cast<std::size_t>(from) * static_cast<std::size_t>(K_) +
                     static_cast<std::size_t>(to)];
    const std::span<const Edge> edges = out(from);
    const auto found = std::lower_bound(edges.begin(), edges.end(), to,
                                        [](const Edge& edge, int u) { return edge.vertex < u; });
    return found != edges.end() && found->vertex == to ? found->probability : 0.0;
  }
  /// Whether there is the K×K matrix as well: where K ≤ kLargestMatrix.
  [[nodiscard]] bool has_matrix() const { return !matrix_.empty(); }
  [[nodiscard]] std::span<const double> row_major() const {
    TASFG_EXPECT(has_matrix());
    return matrix_;
  }
  [[nodiscard]] std::span<const Edge> out(int v) const { return slice(out_, out_begin_, v); }
  [[nodiscard]] std::span<const Edge> in(int u) const { return slice(in_, in_begin_, u); }
  [[nodiscard]] bool has_edge(int from, int to) const { return (*this)(from, to) > 0.0; }
  [[nodiscard]] std::size_t edge_count() const { return out_.size(); }

 private:
  /// Fills the lists, from edges in order of their ends.
  void list(const std::vector<DirectedEdge>& edges);
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
