/// The interior point's Newton matrix
///
///   M = Σ_{u≠a} w_u g̃_u g̃_uᵀ + R g_a g_aᵀ + diag(d),   g̃_u = g_u + ρ_u g_a,
///
/// with g_u the column of G at u. There are four ways to hold G and to solve with M, with the same members:
/// arrays of known length for few vertices (small_newton_versions.hpp), dense (dense_newton.hpp), sparse
/// for large sparse graphs (sparse_newton.hpp), and by products alone where factors of large sparse graphs
/// would fill up (product_newton.hpp). The interior point is a template over them.
#pragma once

#include <span>

namespace tasfg {

/// The arrow matrix B in the form above, and the diagonal.
struct NewtonTerms {
  std::span<const double> weight;    // w_u ≥ 0 (0 at a)
  std::span<const double> tilt;      // ρ_u
  double rest;                       // R ≥ 0
  std::span<const double> diagonal;  // d > 0
};

}  // namespace tasfg
