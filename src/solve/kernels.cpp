#include "kernels.hpp"

#include <algorithm>
#include <cmath>

#include "base/simd.hpp"

#define TASFG_EACH_VERSION "solve/kernels_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg::kernels {

void rank_update(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1, int i0,
                 int i1, int n, double sign) {
  TASFG_CALL_VERSION(rank_update, C, A, B, ld, k0, k1, i0, i1, n, sign);
}
void combine(const double* const* rows, const double* weights, std::size_t count, std::size_t n,
             double* out) {
  TASFG_CALL_VERSION(combine, rows, weights, count, n, out);
}
void cholesky(double* M, std::ptrdiff_t ld, int n) {
  TASFG_CALL_VERSION(cholesky, M, ld, n);
}
void partial_cholesky(double* M, std::ptrdiff_t ld, int width, int n) {
  TASFG_CALL_VERSION(partial_cholesky, M, ld, width, n);
}
void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x) {
  TASFG_CALL_VERSION(cholesky_solve, U, ld, n, x);
}
void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x, double* y) {
  TASFG_CALL_VERSION(cholesky_solve, U, ld, n, x, y);
}

}  // namespace tasfg::kernels
