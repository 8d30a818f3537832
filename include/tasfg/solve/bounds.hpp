/// The paper's upper bounds on T* and T(ω_heur) for Gaussian rewards (Props. 1-3). Reported, never assumed:
/// Prop. 1 is false as stated, since its Ḡ_u may draw on a vertex outside the dominating set.
#pragma once

#include <optional>

#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

struct PaperBounds {
  std::optional<double> general;          // prop:scaling_weakly_observable_gaussian: δ(G) + σ(G) > 0
  std::optional<double> loopless_clique;  // prop:scaling_looplessclique: δ(G) + σ(G) = 0
  std::optional<double> heuristic;        // prop:scaling_heruistic: G regular; bounds T(ω_heur)
};

/// Empty where the reward family is not Gaussian, a premise fails, or (heuristic) K > 256.
[[nodiscard]] PaperBounds paper_bounds(const Instance& instance, const GraphQuantities& quantities);

}  // namespace tasfg
