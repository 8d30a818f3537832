/// Closed-form allocations of the paper (subsec:heuristic_sol and its appendix). Each is a distribution on
/// the vertices; `time_of` says what it is worth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "tasfg/base/contract.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// How the scores (G Δ⁻²)_v, the information that choosing v is expected to bring, become an allocation.
enum class ClosedForm {
  heuristic,  // ω_heur ∝ G Δ⁻², the projection in the KL sense
  argmax,     // uniform over the vertices of largest score (equal to 1e-12)
  top_k,      // uniform over the fewest vertices of largest score that dominate the graph; ties go to the
              // lower index
};

/// The choice of ClosedForm::top_k. Keeps its workspace, so that choosing does not touch the heap.
class TopK {
 public:
  explicit TopK(int K) : order_(static_cast<std::size_t>(K)), seen_(order_.size()) {}

  /// The vertices chosen, best first; `for_each_shown(v, wanted, visit)` calls visit(u) for each u that v
  /// shows; those for which wanted(u) is false it may leave out.
  template <typename ForEachShown>
  [[nodiscard]] std::span<const int> choose(std::span<const double> scores, ForEachShown for_each_shown) {
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [scores](int v, int w) {
      const double x = scores[static_cast<std::size_t>(v)];
      const double y = scores[static_cast<std::size_t>(w)];
      return x != y ? x > y : v < w;
    });
    std::fill(seen_.begin(), seen_.end(), char{0});
    std::size_t chosen = 0;
    const std::size_t n = order_.size();
    for (std::size_t left = n; chosen < n && left > 0; ++chosen) {
      const auto unseen = [this](int u) { return seen_[static_cast<std::size_t>(u)] == 0; };
      for_each_shown(order_[chosen], unseen, [&](int u) {
        left -= unseen(u) ? 1 : 0;
        seen_[static_cast<std::size_t>(u)] = 1;
      });
    }
    return std::span(order_).first(chosen);
  }

 private:
  std::vector<int> order_;
  std::vector<char> seen_;
};

/// Divides by the sum; false, and nothing is changed, where that is not a positive number.
[[nodiscard]] bool normalise(std::span<double> scores);
/// The same, of scores whose sum is known.
[[nodiscard]] bool divide_by(double total, std::span<double> scores);
/// 1/n at the n entries that equal the largest to 1e-12, 0 elsewhere.
void uniform_over_largest(std::span<double> scores);
/// 1/n at the n vertices chosen, 0 elsewhere.
void uniform_over(std::span<const int> chosen, std::span<double> out);

/// Turns scores into an allocation in place; false where they have none.
template <typename ForEachShown>
[[nodiscard]] bool scores_to_allocation(ClosedForm form, std::span<double> scores, TopK& top_k,
                                        ForEachShown for_each_shown) {
  switch (form) {
    case ClosedForm::heuristic:
      return normalise(scores);
    case ClosedForm::argmax:
      uniform_over_largest(scores);
      return true;
    case ClosedForm::top_k:
      uniform_over(top_k.choose(scores, for_each_shown), scores);
      return true;
  }
  TASFG_UNREACHABLE();
}

/// G Δ⁻² of a model. Δ at the best vertex is Δ_min.
[[nodiscard]] std::vector<double> information_scores(const ModelView& model);

/// The argmax form is admissible only where its vertices dominate the graph.
[[nodiscard]] std::vector<double> closed_form_allocation(ClosedForm form, const ModelView& model);
[[nodiscard]] std::vector<double> heuristic_allocation(const ModelView& model);
[[nodiscard]] std::vector<double> argmax_allocation(const ModelView& model);
[[nodiscard]] std::vector<double> top_k_allocation(const ModelView& model);

[[nodiscard]] std::vector<double> uniform_allocation(int K);

/// ½ Σ|x − y|.
[[nodiscard]] double total_variation(std::span<const double> x, std::span<const double> y);

}  // namespace tasfg
