// Part of kernels.cpp, in versions (base/each_version.hpp).

constexpr int kTileRows = 4;
constexpr int kTileColumns = 8;
constexpr int kPanel = 48;

// One tile of rank_update: the accumulators stay in registers over all of [k0, k1).
template <int Rows>
TASFG_INLINE void wide_tile(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1,
                            double sign) {
  Lanes left[Rows], right[Rows];
  for (int i = 0; i < Rows; ++i) {
    left[i] = lanes(C + i * ld);
    right[i] = lanes(C + i * ld + 4);
  }
  for (int k = k0; k < k1; ++k) {
    const double* a = A + k * ld;
    const Lanes b_left = lanes(B + k * ld);
    const Lanes b_right = lanes(B + k * ld + 4);
    for (int i = 0; i < Rows; ++i) {
      const double ai = sign * a[i];
      left[i] += ai * b_left;
      right[i] += ai * b_right;
    }
  }
  for (int i = 0; i < Rows; ++i) {
    lanes(C + i * ld) = left[i];
    lanes(C + i * ld + 4) = right[i];
  }
}

template <int Rows>
TASFG_INLINE void narrow_tile(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1,
                              double sign) {
  double acc[Rows];
  for (int i = 0; i < Rows; ++i) acc[i] = C[i * ld];
  for (int k = k0; k < k1; ++k)
    for (int i = 0; i < Rows; ++i) acc[i] += sign * A[k * ld + i] * B[k * ld];
  for (int i = 0; i < Rows; ++i) C[i * ld] = acc[i];
}

// Σ row[j]·x[j] over [from, n), as four sums side by side and what is left over: the same sums in every
// version.
TASFG_INLINE double dot(const double* row, const double* x, int from, int n) {
  Lanes sums;
  int j = from;
  for (; j + 4 <= n; j += 4) sums += lanes(row + j) * lanes(x + j);
  double rest = 0.0;
  for (; j < n; ++j) rest += row[j] * x[j];
  return sum_of(sums) + rest;
}

void rank_update(double* C, const double* A, const double* B, std::ptrdiff_t ld, int k0, int k1, int i0,
                 int i1, int n, double sign) {
  int i = i0;
  for (; i + kTileRows <= i1; i += kTileRows) {
    int j = i / kTileColumns * kTileColumns;
    for (; j + kTileColumns <= n; j += kTileColumns)
      wide_tile<kTileRows>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
    for (; j < n; ++j) narrow_tile<kTileRows>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
  }
  for (; i < i1; ++i) {
    int j = i / kTileColumns * kTileColumns;
    for (; j + kTileColumns <= n; j += kTileColumns)
      wide_tile<1>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
    for (; j < n; ++j) narrow_tile<1>(C + i * ld + j, A + i, B + j, ld, k0, k1, sign);
  }
}

/// Eliminates `width` of n unknowns; pivots must exceed `least`.
TASFG_INLINE void eliminate(double* M, std::ptrdiff_t ld, int width, int n, double least) {
  constexpr double kFixed = 1e128;
  for (int p = 0; p < width; p += kPanel) {
    const int end = std::min(p + kPanel, width);
    for (int k = p; k < end; ++k) {
      double* row = M + k * ld;
      const double pivot = row[k] > least ? std::sqrt(row[k]) : kFixed;
      const double inverse = 1.0 / pivot;
      for (int j = k / 4 * 4; j < ld; j += 4) lanes(row + j) *= inverse;
      row[k] = inverse;
      for (int i = k + 1; i < end; ++i) {
        const double a = -row[i];
        double* target = M + i * ld;
        for (int j = i / 4 * 4; j < ld; j += 4) lanes(target + j) += a * lanes(row + j);
      }
    }
    if (end < n) rank_update(M, M, M, ld, p, end, end, n, static_cast<int>(ld), -1.0);
  }
}

void cholesky(double* M, std::ptrdiff_t ld, int n) {
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, M[i * ld + i]);
  eliminate(M, ld, n, n, largest * 1e-30);
}

void partial_cholesky(double* M, std::ptrdiff_t ld, int width, int n) {
  eliminate(M, ld, width, n, 0.0);
}

void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x) {
  for (int k = 0; k < n; ++k) {
    const double* row = U + k * ld;
    const double value = x[k] * row[k];
    x[k] = value;
    for (int j = k + 1; j < n; ++j) x[j] -= value * row[j];
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* row = U + k * ld;
    x[k] = (x[k] - dot(row, x, k + 1, n)) * row[k];
  }
}

void cholesky_solve(const double* U, std::ptrdiff_t ld, int n, double* x, double* y) {
  for (int k = 0; k < n; ++k) {
    const double* row = U + k * ld;
    const double xk = x[k] * row[k];
    const double yk = y[k] * row[k];
    x[k] = xk;
    y[k] = yk;
    for (int j = k + 1; j < n; ++j) {
      x[j] -= xk * row[j];
      y[j] -= yk * row[j];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* row = U + k * ld;
    x[k] = (x[k] - dot(row, x, k + 1, n)) * row[k];
    y[k] = (y[k] - dot(row, y, k + 1, n)) * row[k];
  }
}

/// out += weight·row.
TASFG_INLINE void add_row(double weight, const double* row, std::size_t n, double* out) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) lanes(out + i) += weight * lanes(row + i);
  for (; i < n; ++i) out[i] += weight * row[i];
}

void combine(const double* const* rows, const double* weights, std::size_t count, std::size_t n,
             double* out) {
  // Of few rows, sixteen sums at a time stay in registers; of many, each row is read at one go.
  constexpr std::size_t kFew = 32;
  std::size_t i = 0;
  for (; count <= kFew && i + 16 <= n; i += 16) {
    Lanes a, b, c, d;
    for (std::size_t k = 0; k < count; ++k) {
      const double* row = rows[k] + i;
      const double weight = weights[k];
      a += weight * lanes(row);
      b += weight * lanes(row + 4);
      c += weight * lanes(row + 8);
      d += weight * lanes(row + 12);
    }
    lanes(out + i) = a;
    lanes(out + i + 4) = b;
    lanes(out + i + 8) = c;
    lanes(out + i + 12) = d;
  }
  std::fill(out + i, out + n, 0.0);
  for (std::size_t k = 0; k < count; ++k) add_row(weights[k], rows[k] + i, n - i, out + i);
}
