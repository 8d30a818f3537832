/// Closed-form allocations of the paper (subsec:heuristic_sol and its appendix). Each is a distribution on
/// the vertices; `time_of` says what it is worth.
#pragma once

#include <vector>

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// (G Δ⁻²)_v: the information that choosing v is expected to bring. Δ at the best vertex is Δ_min.
[[nodiscard]] std::vector<double> information_scores(const ModelView& model);

/// ω_heur ∝ G Δ⁻², the projection in the KL sense.
[[nodiscard]] std::vector<double> heuristic_allocation(const ModelView& model);

[[nodiscard]] std::vector<double> uniform_allocation(int K);

/// Uniform over the vertices of largest score (equal to 1e-12). Admissible only where they dominate the
/// graph.
[[nodiscard]] std::vector<double> argmax_allocation(const ModelView& model);

/// Uniform over the fewest vertices of largest score that dominate the graph; ties go to the lower index.
[[nodiscard]] std::vector<double> top_k_allocation(const ModelView& model);

/// ½ Σ|x − y|.
[[nodiscard]] double total_variation(std::span<const double> x, std::span<const double> y);

}  // namespace tasfg
