/// Dense linear algebra with a fixed order of operations.
///
/// Each entry of a result is a sum in one order, ascending in the inner index (in cholesky_solve, four such
/// sums side by side), whatever the instruction set: so results are the same bits for every one.
#pragma once

#include <cstddef>

namespace tasfg::kernels {

/// Matrices are row-major with leading dimension ld, a multiple of 8. What lies between n and ld is worked
/// on, too, and must be finite; what lies left of the diagonal of a symmetric matrix is overwritten with
/// anything.

/// C(i, j) += sign · Σ_{k in [k0, k1)} A(k, i)·B(k, j) for i in [i0, i1), j in [i, n).
void rank_update(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1, int i0,
                 int i1, int n, double sign);

/// Upper Cholesky factor in place: M = UᵀU; reads and writes the upper triangle; the diagonal holds 1/U_kk. A
/// pivot that is not positive is replaced by a huge one, which fixes that unknown: the usual interior-point
/// safeguard.
void cholesky(double* M, std::ptrdiff_t ld, int n);

/// Eliminates the first `width` of n unknowns in place, as cholesky() would: rows of the upper factor, and
/// below them what is left of the upper triangle.
void partial_cholesky(double* M, std::ptrdiff_t ld, int width, int n);

/// out ← Σ_k weights[k]·rows[k], `count` rows of n entries, in order of k.
void combine(const double* const* rows, const double* weights, std::size_t count, std::size_t n, double* out);

/// x ← (UᵀU)⁻¹ x.
void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x);

/// x, y ← (UᵀU)⁻¹ (x, y) in one pass over U.
void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x, double* y);

}  // namespace tasfg::kernels
