#include "tasfg/model/feedback_graph.hpp"

#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

void expect_size(int K, const ModelOrigin& origin) {
  if (K < 2) throw InputError(within(origin.text, "K"), bad_value(K, "must be at least 2"));
}
void expect_edge(double p, int from, int to, const ModelOrigin& origin) {
  if (p >= 0.0 && p <= 1.0) return;  // a NaN is not
  throw InputError(within(origin.text, origin.edge(from, to)),
                   remark("probability " + to_text(p), "must lie in [0, 1]"));
}

}  // namespace

std::optional<std::size_t> first_repeated(std::span<const DirectedEdge> edges) {
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto ends = [&](std::size_t i) { return std::tuple(edges[i].from, edges[i].to, i); };
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return ends(i) < ends(j); });
  std::optional<std::size_t> first;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const DirectedEdge &one = edges[order[i - 1]], &other = edges[order[i]];
    if (one.from == other.from && one.to == other.to) first = std::min(first.value_or(order[i]), order[i]);
  }
  return first;
}

FeedbackGraph::FeedbackGraph(int K, std::vector<double> row_major, const ModelOrigin& origin)
    : K_(K), matrix_(std::move(row_major)) {
  expect_size(K, origin);
  const auto n = static_cast<std::size_t>(K);
  if (matrix_.size() != n * n)
    throw InputError(origin.text, remark(fmt::format("{} probabilities", matrix_.size()),
                                         fmt::format("must be K*K = {}", n * n)));
  std::vector<DirectedEdge> edges;
  for (int v = 0; v < K; ++v)
    for (int u = 0; u < K; ++u) {
      expect_edge((*this)(v, u), v, u, origin);
      if (has_edge(v, u)) edges.push_back({v, u, (*this)(v, u)});
    }
  list(edges);
}

FeedbackGraph::FeedbackGraph(int K, std::vector<DirectedEdge> edges, const ModelOrigin& origin) : K_(K) {
  expect_size(K, origin);
  std::sort(edges.begin(), edges.end(), [](const DirectedEdge& x, const DirectedEdge& y) {
    return std::pair(x.from, x.to) < std::pair(y.from, y.to);
  });
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [from, to, p] = edges[i];
    TASFG_EXPECT(from >= 0 && from < K && to >= 0 && to < K);
    expect_edge(p, from, to, origin);
    if (i > 0 && edges[i - 1].from == from && edges[i - 1].to == to)
      throw InputError(within(origin.text, origin.edge(from, to)),
                       remark("is given twice", "each edge once"));
  }
  std::erase_if(edges, [](const DirectedEdge& edge) { return edge.probability == 0.0; });
  if (K <= kLargestMatrix) {
    const auto n = static_cast<std::size_t>(K);
    matrix_.assign(n * n, 0.0);
    for (const auto& [from, to, p] : edges)
      matrix_[static_cast<std::size_t>(from) * n + static_cast<std::size_t>(to)] = p;
  }
  list(edges);
}

void FeedbackGraph::list(const std::vector<DirectedEdge>& edges) {
  const auto n = static_cast<std::size_t>(K_);
  out_begin_.assign(n + 1, 0);
  in_begin_.assign(n + 1, 0);
  for (const DirectedEdge& edge : edges) {
    ++out_begin_[static_cast<std::size_t>(edge.from) + 1];
    ++in_begin_[static_cast<std::size_t>(edge.to) + 1];
  }
  for (std::size_t v = 0; v < n; ++v) {
    out_begin_[v + 1] += out_begin_[v];
    in_begin_[v + 1] += in_begin_[v];
  }
  out_.reserve(edges.size());
  in_.resize(edges.size());
  std::vector<std::size_t> next(in_begin_.begin(), in_begin_.end() - 1);
  for (const auto& [from, to, p] : edges) {
    out_.push_back({to, p});
    in_[next[static_cast<std::size_t>(to)]++] = {from, p};
  }
}

}  // namespace tasfg
