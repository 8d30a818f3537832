/// The paper's graph-dependent quantities (Definition "Graph-dependent quantities").
#pragma once

#include <vector>

#include "tasfg/base/enum_names.hpp"
#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

enum class Observability { strong, weak, none };
inline constexpr EnumNames<Observability> kObservabilityNames = {"strong", "weak", "none"};
[[nodiscard]] inline const char* to_string(Observability observability) {
  return kObservabilityNames[observability];
}

/// A number known exactly (lower == upper) or only between bounds.
struct Count {
  int lower = 0;
  int upper = 0;
  [[nodiscard]] bool exact() const { return lower == upper; }
};

struct GraphQuantities {
  Observability observability = Observability::none;
  std::vector<int> weak;                 // W(G): observable, but not strongly
  std::vector<int> strong;               // SO(G)
  std::vector<int> self_loops;           // L(G); σ(G) is its size
  Count independence;                    // α(G)
  std::vector<int> independent_set;      // attains independence.lower
  Count weak_domination;                 // δ(G)
  std::vector<int> weak_dominating_set;  // D(G): dominates W(G), attains weak_domination.upper
  Count domination;                      // least number of vertices that dominate all of V
  std::vector<int> dominating_set;       // attains domination.upper
};

/// The class alone, which is cheap.
[[nodiscard]] Observability observability_of(const FeedbackGraph& graph);

/// Exact by branch and bound for K ≤ 64; above that α, δ(G) and the domination number are bounds.
[[nodiscard]] GraphQuantities graph_quantities(const FeedbackGraph& graph);

/// Whether every vertex of `targets` has an in-neighbour in `set`.
[[nodiscard]] bool dominates(const FeedbackGraph& graph, const std::vector<int>& set,
                             const std::vector<int>& targets);

}  // namespace tasfg
