#include "kernels.hpp"

namespace tasfg::kernels {
namespace {

constexpr int kTileRows = 4;
constexpr int kTileColumns = 8;
constexpr int kPanel = 48;

// One tile of rank_update: the accumulators stay in registers over all of [k0, k1).
template <int Rows, int Columns>
inline void tile(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1,
                 double sign) {
  double acc[Rows][Columns];
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) acc[i][j] = C[i * ld + j];
  for (int k = k0; k < k1; ++k) {
    const double* a = A + k * ld;
    const double* b = B + k * ld;
    for (int i = 0; i < Rows; ++i) {
      const double ai = sign * a[i];
      for (int j = 0; j < Columns; ++j) acc[i][j] += ai * b[j];
    }
  }
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) C[i * ld + j] = acc[i][j];
}

}  // namespace

void rank_update(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1, int i0,
                 int i1, int n, double sign) {
  int i = i0;
  for (; i + kTileRows <= i1; i += kTileRows) {
    int j = i;
    for (; j + kTileColumns <= n; j += kTileColumns)
      tile<kTileRows, kTileColumns>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
    for (; j < n; ++j) tile<kTileRows, 1>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
  }
  for (; i < i1; ++i) {
    int j = i;
    for (; j + kTileColumns <= n; j += kTileColumns)
      tile<1, kTileColumns>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
    for (; j < n; ++j) tile<1, 1>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
  }
}

void cholesky(double* M, std::ptrdiff_t ld, int n) {
  constexpr double kFixed = 1e128;
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, M[i * ld + i]);
  const double least = largest * 1e-30;
  for (int p = 0; p < n; p += kPanel) {
    const int end = std::min(p + kPanel, n);
    for (int k = p; k < end; ++k) {
      double* row = M + k * ld;
      const double pivot = row[k] > least ? std::sqrt(row[k]) : kFixed;
      const double inverse = 1.0 / pivot;
      row[k] = pivot;
      for (int j = k + 1; j < n; ++j) row[j] *= inverse;
      for (int i = k + 1; i < end; ++i) {
        const double a = row[i];
        double* target = M + i * ld;
        for (int j = i; j < n; ++j) target[j] += -a * row[j];
      }
    }
    if (end < n) rank_update(M, M, M, ld, p, end, end, n, n, -1.0);
  }
}

void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x) {
  for (int k = 0; k < n; ++k) {
    const double* row = U + k * ld;
    const double value = x[k] / row[k];
    x[k] = value;
    for (int j = k + 1; j < n; ++j) x[j] -= value * row[j];
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* row = U + k * ld;
    double value = x[k];
    for (int j = k + 1; j < n; ++j) value -= row[j] * x[j];
    x[k] = value / row[k];
  }
}

void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x, double* y) {
  for (int k = 0; k < n; ++k) {
    const double* row = U + k * ld;
    const double xk = x[k] / row[k];
    const double yk = y[k] / row[k];
    x[k] = xk;
    y[k] = yk;
    for (int j = k + 1; j < n; ++j) {
      x[j] -= xk * row[j];
      y[j] -= yk * row[j];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* row = U + k * ld;
    double xk = x[k];
    double yk = y[k];
    for (int j = k + 1; j < n; ++j) {
      xk -= row[j] * x[j];
      yk -= row[j] * y[j];
    }
    x[k] = xk / row[k];
    y[k] = yk / row[k];
  }
}

}  // namespace tasfg::kernels
