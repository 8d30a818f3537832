#include "tasfg/model/feedback_graph.hpp"

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {

FeedbackGraph::FeedbackGraph(int K, std::vector<double> row_major, const ModelOrigin& origin)
    : K_(K), matrix_(std::move(row_major)) {
  if (K < 2) throw InputError(within(origin.text, "K"), bad_value(K, "must be at least 2"));
  const auto n = static_cast<std::size_t>(K);
  if (matrix_.size() != n * n)
    throw InputError(origin.text, remark(fmt::format("{} probabilities", matrix_.size()),
                                         fmt::format("must be K*K = {}", n * n)));
  for (std::size_t i = 0; i < matrix_.size(); ++i) {
    if (!(matrix_[i] >= 0.0 && matrix_[i] <= 1.0))  // also catches NaN
      throw InputError(within(origin.text, origin.edge(static_cast<int>(i / n), static_cast<int>(i % n))),
                       remark("probability " + to_text(matrix_[i]), "must lie in [0, 1]"));
  }
  out_begin_.assign(n + 1, 0);
  in_begin_.assign(n + 1, 0);
  for (int v = 0; v < K; ++v) {
    for (int u = 0; u < K; ++u)
      if (has_edge(v, u)) out_.push_back({u, (*this)(v, u)});
    out_begin_[static_cast<std::size_t>(v) + 1] = out_.size();
  }
  for (int u = 0; u < K; ++u) {
    for (int v = 0; v < K; ++v)
      if (has_edge(v, u)) in_.push_back({v, (*this)(v, u)});
    in_begin_[static_cast<std::size_t>(u) + 1] = in_.size();
  }
}

}  // namespace tasfg
