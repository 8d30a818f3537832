/// Dense linear algebra with a fixed order of operations.
///
/// Each entry of a result is a sum in ascending order of the inner index, whatever the tile or vector
/// width: lanes run over independent entries. So results are the same bits for every instruction set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tasfg::kernels {

/// C(i, j) += sign · Σ_{k in [k0, k1)} A(k, i)·B(k, j) for i in [i0, i1), j in [max(j0, i), n); row-major,
/// leading dimension ld for all. Writes the upper triangle (and up to a tile's width left of it).
void rank_update(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1, int i0,
                 int i1, int n, double sign);

/// Upper Cholesky factor in place: M = UᵀU; reads and writes the upper triangle. A pivot that is not
/// positive is replaced by a huge one, which fixes that unknown: the usual interior-point safeguard.
void cholesky(double* M, std::ptrdiff_t ld, int n);

/// x ← (UᵀU)⁻¹ x.
void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x);

/// x, y ← (UᵀU)⁻¹ (x, y) in one pass over U.
void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x, double* y);

}  // namespace tasfg::kernels
