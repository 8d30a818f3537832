/// Householder QR with column pivoting, one column after the other: unlike a blocked one, its order of
/// operations does not depend on the machine's caches.
///
/// Source: Golub and Van Loan, Matrix Computations, §5.4.2; norms of columns are updated as in Drmač and
/// Bujanović, LAPACK Working Note 176.
#pragma once

#include <cstddef>
#include <vector>

namespace tasfg {

/// Column-major.
struct Matrix {
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count, 0.0) {}
  double* column(std::size_t j) { return values.data() + j * rows; }
  [[nodiscard]] const double* column(std::size_t j) const { return values.data() + j * rows; }
  double& operator()(std::size_t i, std::size_t j) { return values[j * rows + i]; }
  double operator()(std::size_t i, std::size_t j) const { return values[j * rows + i]; }

  std::size_t rows, columns;
  std::vector<double> values;
};

class PivotedQr {
 public:
  explicit PivotedQr(Matrix matrix);

  /// The number of pivots above `threshold` times the largest.
  [[nodiscard]] std::size_t rank(double threshold) const;
  /// x ← Q x.
  void apply_q(Matrix& x) const;
  /// The shortest x with Aᵀx = b, by the first `rank` pivots alone: the other equations follow from theirs,
  /// where b is in the range of Aᵀ.
  [[nodiscard]] std::vector<double> shortest(const std::vector<double>& b, std::size_t rank) const;

 private:
  /// Column j of `x` from row k on ← (1 − τ v vᵀ) of it, with the reflector of column k of the factor.
  void reflect(std::size_t k, Matrix& x, std::size_t j) const;

  Matrix factor_;                   // R above, the reflectors' tails below the diagonal
  std::vector<double> reflection_;  // τ
  std::size_t pivots_;              // those that are not zero
  std::vector<std::size_t> order_;  // which column of A each column of R is
};

}  // namespace tasfg
