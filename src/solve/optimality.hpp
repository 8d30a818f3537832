/// The conditions of optimality, solved for given sets: which vertices are drawn, and which arms bind.
///
///   f_u(Gᵀω) = t + s_u for every arm u,   (G Σ_u λ_u ∇f_u(Gᵀω))_v = t − z_v for every vertex v,   Σω = 1,
///
/// where an arm that binds has s_u = 0 and a weight λ_u, the others λ_u = 0 and an excess s_u; a vertex that
/// is drawn has z_v = 0 and a share ω_v, the others ω_v = 0 and a loss z_v. (Σλ = 1 follows, since the f_u
/// are 1-homogeneous.) For given sets all of them are smooth functions of G, and Newton's method finds them
/// to rounding, where an interior point's iterate tells nothing below the root of its gap. A solution is
/// optimal where none of them is negative. Where shares and losses are positive, the drawn vertices are those
/// that have a part in some optimal ω: one with a loss has none.
///
/// Source: Nocedal and Wright, Numerical Optimization, §12.3 and §16.3.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

struct Optimum {
  std::vector<std::uint8_t> drawn, binding;  // 1: yes
  std::vector<double> vertex;                // ω_v where drawn, z_v/t elsewhere
  std::vector<double> arm;                   // λ_u where binding, s_u/t elsewhere; of no meaning at the best
  double value = 0.0;                        // t = 1/T*
};

/// The last solution of `solver`, that of `model`: every vertex and arm on the side where it is larger.
[[nodiscard]] Optimum guess_of(const ModelView& model, const CharacteristicTimeSolver& solver);

/// The optimum of `model` that has the sets of `start`, by Newton's method from there; none where these are
/// not its sets. Of many, one near `start` in the ratios of its parts.
[[nodiscard]] std::optional<Optimum> optimum_with_sets_of(const ModelView& model, Optimum start);

/// The same, while the vertex or arm whose sign is worst changes sides, so that sets need to be nearly right
/// only; none where that leads nowhere.
[[nodiscard]] std::optional<Optimum> optimum_near(const ModelView& model, Optimum start);

}  // namespace tasfg
