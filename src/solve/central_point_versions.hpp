// Part of central_point.cpp, in versions (base/each_version.hpp).

/// Solves with P + TTᵀ by the core 1 + TᵀP⁻¹T = UᵀDU, for three right-hand sides at once. The core has at
/// most 4·Groups rows; what lies beyond its size is 0 in T.
template <std::size_t Groups>
class ThinSolve {
 public:
  explicit ThinSolve(const ThinSystem& system) : system_(system) {
    tilt();
    for (std::size_t i = 0; i < system.size; ++i) fill_row(i);
    for (std::size_t k = 0; k < system.size; ++k) eliminate(k);
  }

  /// x ← (P + TTᵀ)⁻¹x for each. Vectors are written as wholes before they are read as such: a CPU waits for
  /// single entries that are on their way to memory.
  TASFG_INLINE void operator()(const std::array<ThinVector*, 3>& x) const {
    ThinVector inner[3]{};
    for (std::size_t v = 0; v < system_.vertices; ++v)
      for (std::size_t r = 0; r < 3; ++r) {
        const double part = (*x[r])[v] *= system_.over_diagonal[v];
        for (std::size_t b = 0; b < Groups; ++b) at(inner[r], b) += part * at(tilted_[v], b);
      }
    for (std::size_t k = 0; k + 1 < system_.size; ++k)
      for (std::size_t r = 0; r < 3; ++r) {
        const double part = inner[r][k] * over_pivot_[k];
        for (std::size_t b = k / 4; b < Groups; ++b) at(inner[r], b) -= part * at(core_[k], b);
      }
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t b = 0; b < Groups; ++b) at(inner[r], b) = at(inner[r], b) * at(over_pivot_, b);
    for (std::size_t k = system_.size; k-- > 1;)
      for (std::size_t r = 0; r < 3; ++r) {
        const double part = inner[r][k];
        for (std::size_t b = 0; b <= k / 4; ++b) at(inner[r], b) -= part * at(lower_[k], b);
      }
    for (std::size_t v = 0; v < system_.vertices; ++v)
      for (std::size_t r = 0; r < 3; ++r) (*x[r])[v] -= system_.over_diagonal[v] * dot(tilted_[v], inner[r]);
  }

 private:
  TASFG_INLINE static LanesInMemory<Lanes> at(ThinVector& x, std::size_t b) {
    return lanes(x.data() + 4 * b);
  }
  TASFG_INLINE static Lanes at(const ThinVector& x, std::size_t b) { return lanes(x.data() + 4 * b); }
  TASFG_INLINE static double dot(const ThinVector& x, const ThinVector& y) {
    Lanes sums;
    for (std::size_t b = 0; b < Groups; ++b) sums += at(x, b) * at(y, b);
    return sum_of(sums);
  }
  /// Of the group that k is in: 1 at k alone, and 1 after k.
  TASFG_INLINE static Lanes unit(std::size_t k) {
    static constexpr double kUnit[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    return lanes(kUnit + 3 - k % 4);
  }
  TASFG_INLINE static Lanes after(std::size_t k) {
    static constexpr double kAfter[] = {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0};
    return lanes(kAfter + 3 - k % 4);
  }

  /// T and P⁻¹T.
  TASFG_INLINE void tilt() {
    const std::size_t best = system_.size - 1;
    for (std::size_t v = 0; v < system_.vertices; ++v) {
      const double of_best = system_.shown[v][best], over = system_.over_diagonal[v];
      for (std::size_t b = 0; b < Groups; ++b) {
        const Lanes tilted = at(system_.root, b) * (at(system_.shown[v], b) + of_best * at(system_.tilt, b));
        at(tilted_[v], b) = tilted;
        at(scaled_[v], b) = over * tilted;
      }
    }
  }
  /// Row i of the core, from the diagonal's group on.
  TASFG_INLINE void fill_row(std::size_t i) {
    Lanes sums[Groups];
    sums[i / 4] = unit(i);
    for (std::size_t v = 0; v < system_.vertices; ++v)
      for (std::size_t b = i / 4; b < Groups; ++b) sums[b] += scaled_[v][i] * at(tilted_[v], b);
    for (std::size_t b = i / 4; b < Groups; ++b) at(core_[i], b) = sums[b];
  }
  /// Unknown k from the rows below; leaves its row with zeros up to the diagonal, and the factors by which it
  /// was subtracted.
  TASFG_INLINE void eliminate(std::size_t k) {
    const double over = 1.0 / core_[k][k];  // at least 1 before rounding
    over_pivot_[k] = over;
    at(core_[k], k / 4) = at(core_[k], k / 4) * after(k);
    for (std::size_t i = k + 1; i < system_.size; ++i) {
      const double factor = core_[k][i] * over;
      lower_[i][k] = factor;
      for (std::size_t b = i / 4; b < Groups; ++b) at(core_[i], b) -= factor * at(core_[k], b);
    }
  }

  const ThinSystem& system_;
  ThinMatrix tilted_, scaled_;  // T, P⁻¹T
  ThinMatrix core_, lower_{};   // DU with zeros up to the diagonal; Uᵀ below it
  ThinVector over_pivot_{};     // D⁻¹
};

void thin_solve(const ThinSystem& system, const std::array<ThinVector*, 3>& x) {
  if (system.size <= 8)
    ThinSolve<2>{system}(x);
  else if (system.size <= 12)
    ThinSolve<3>{system}(x);
  else
    ThinSolve<4>{system}(x);
}
