// Part of interior_point_small.cpp, in versions (base/each_version.hpp).

/// Up to Width vertices. Vectors have Width entries, those beyond K neutral (interior_point.hpp).
template <int Width>
class SmallNewton {
 public:
  static constexpr int kWidth = Width;
  struct alignas(32) Vector : std::array<double, Width> {};

  void load(const ModelView& model);
  /// m ← Gᵀω.
  void observe(const Vector& omega, Vector& m) const { combine(rows_, omega, m); }
  /// y ← G g.
  void price(const Vector& g, Vector& y) const { combine(columns_, g, y); }
  void factor(const NewtonTerms& terms);
  void solve(Vector& x) const;
  void solve(Vector& x, Vector& y) const {
    solve(x);
    solve(y);
  }

 private:
  static constexpr int kBlocks = Width / 4;
  using Matrix = std::array<Vector, Width>;

  static void combine(const Matrix& rows, const Vector& weights, Vector& out);
  template <int Row>
  void multiply();
  template <int Block>
  void eliminate(double least);

  int K_ = 0, best_ = 0;
  Matrix rows_{};        // G
  Matrix columns_{};     // Gᵀ
  Matrix tilted_{};      // rows g̃_uᵀ
  Matrix weighted_{};    // rows w_u g̃_uᵀ
  Matrix matrix_{};      // M, then D Lᵀ of M = L D Lᵀ
  Matrix inverse_{};     // L⁻¹
  Vector over_pivot_{};  // 1/D
};

template <int Width>
void SmallNewton<Width>::load(const ModelView& model) {
  const auto n = static_cast<std::size_t>(model.K);
  if (model.K != K_) rows_ = columns_ = {};
  K_ = model.K;
  best_ = model.best;
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t u = 0; u < n; ++u) rows_[v][u] = columns_[u][v] = model.graph[v * n + u];
}

template <int Width>
TASFG_INLINE void SmallNewton<Width>::combine(const Matrix& rows, const Vector& weights, Vector& out) {
  Lanes sums[kBlocks];
  for (std::size_t v = 0; v < Width; ++v)
    for (int b = 0; b < kBlocks; ++b) sums[b] += weights[v] * lanes(rows[v].data() + 4 * b);
  for (int b = 0; b < kBlocks; ++b) lanes(out.data() + 4 * b) = sums[b];
}

/// Two rows of M from the diagonal on, without the diagonal terms, and those below.
template <int Width>
template <int Row>
TASFG_INLINE void SmallNewton<Width>::multiply() {
  constexpr std::size_t kFirst = Row / 4 * 4;
  constexpr std::size_t kCount = (Width - kFirst) / 4;
  Lanes upper[kCount], lower[kCount];
  for (std::size_t u = 0; u < Width; ++u) {
    for (std::size_t b = 0; b < kCount; ++b) {
      const Lanes tilted = lanes(&tilted_[u][kFirst + 4 * b]);
      upper[b] += weighted_[u][Row] * tilted;
      lower[b] += weighted_[u][Row + 1] * tilted;
    }
  }
  for (std::size_t b = 0; b < kCount; ++b) {
    lanes(&matrix_[Row][kFirst + 4 * b]) = upper[b];
    lanes(&matrix_[Row + 1][kFirst + 4 * b]) = lower[b];
  }
  if constexpr (Row + 2 < Width) multiply<Row + 2>();
}

/// Eliminates the four unknowns of a block from all rows below, and records the operations on the identity.
template <int Width>
template <int Block>
TASFG_INLINE void SmallNewton<Width>::eliminate(double least) {
  constexpr double kFixes = 1e-256;  // in place of a pivot that is not positive: fixes that unknown
  for (std::size_t k = 4 * Block; k < 4 * Block + 4; ++k) {
    const double pivot = matrix_[k][k];
    const double over = pivot > least ? 1.0 / pivot : kFixes;
    over_pivot_[k] = over;
    const auto subtract = [&](std::size_t i, int first) {
      const double factor = matrix_[k][i] * over;
      for (int b = first; b < kBlocks; ++b)
        lanes(matrix_[i].data() + 4 * b) -= factor * lanes(matrix_[k].data() + 4 * b);
      for (int b = 0; b <= Block; ++b)
        lanes(inverse_[i].data() + 4 * b) -= factor * lanes(inverse_[k].data() + 4 * b);
    };
    for (std::size_t i = k + 1; i < 4 * Block + 4; ++i) subtract(i, Block);
    for (std::size_t i = 4 * Block + 4; i < Width; ++i) subtract(i, Block + 1);
  }
  if constexpr (Block + 1 < kBlocks) eliminate<Block + 1>(least);
}

template <int Width>
TASFG_INLINE void SmallNewton<Width>::factor(const NewtonTerms& terms) {
  const auto best = static_cast<std::size_t>(best_);
  for (std::size_t u = 0; u < Width; ++u) {
    const double weight = u == best ? terms.rest : terms.weight[u];
    const double tilt = u == best ? 0.0 : terms.tilt[u];
    for (std::size_t b = 0; b < Width; b += 4) {
      const Lanes tilted = lanes(&columns_[u][b]) + tilt * lanes(&columns_[best][b]);
      lanes(&tilted_[u][b]) = tilted;
      lanes(&weighted_[u][b]) = weight * tilted;
    }
  }
  multiply<0>();
  double largest = 0.0;
  for (std::size_t v = 0; v < Width; ++v) {
    matrix_[v][v] += terms.diagonal[v];
    largest = std::max(largest, matrix_[v][v]);
  }
  for (std::size_t v = 0; v < Width; ++v) {
    for (std::size_t b = 0; b < Width; b += 4) lanes(&inverse_[v][b]) = 0.0;
    inverse_[v][v] = 1.0;
  }
  eliminate<0>(largest * 1e-30);
}

template <int Width>
TASFG_INLINE void SmallNewton<Width>::solve(Vector& x) const {
  Vector y;
  for (std::size_t k = 0; k < Width; ++k) {
    Lanes sums;
    for (std::size_t b = 0; b < Width; b += 4) sums += lanes(&inverse_[k][b]) * lanes(&x[b]);
    y[k] = sum_of(sums) * over_pivot_[k];
  }
  combine(inverse_, y, x);
}
