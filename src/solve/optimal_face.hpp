/// The set of optimal allocations, where it is more than a point.
///
/// Strict complementarity tells which vertices an optimal ω may use (the support S) and which arms bind (λ_u
/// > 0). The rates of the best vertex and of binding arms are the same in all optimal ω: an optimal direction
/// leaves f_u and its curvature alone, which are independent functionals of (m_a, m_u). So the face is the
/// polytope
///
///   { ω ≥ 0 on S : Σω = 1,  m_a and m_u as they are for binding u,  f_u(m) ≥ t for the others }.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

struct OptimalFace {
  std::vector<std::size_t> support;  // S
  std::vector<std::size_t> fixed;    // the best vertex, then the binding arms
};

/// Its dimension, and in `omega`, an optimal allocation, its analytic centre: the maximiser of Σ_S ln ω_v + Σ
/// ln(f_u − t) over the arms that do not bind. By Newton's method on the face itself, where nothing is close
/// to singular. Faces of
/// more than 256 dimensions are left where they are.
int centre_of_face(const ModelView& model, const OptimalFace& face, std::span<double> omega);

}  // namespace tasfg
