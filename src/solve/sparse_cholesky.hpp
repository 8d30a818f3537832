/// L D Lᵀ of symmetric positive definite matrices that share one sparse pattern.
///
/// The pattern is analysed once: a fill-reducing order (Eigen's AMD), the elimination tree, and where every
/// entry of L goes. Factoring and solving then touch no heap and follow one order of operations. Where
/// columns of L have more than a few entries, they are worked on in dense fronts (frontal_cholesky.hpp); U =
/// √D Lᵀ then takes the place of L, and 1 that of D. Eigen's own sparse Cholesky copies and permutes the
/// matrix each time, which for the sizes here takes longer than the factorisation. Source: Davis, Algorithm
/// 849: a concise sparse Cholesky factorization package (LDL), ACM TOMS 31, 2005.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "frontal_cholesky.hpp"

namespace tasfg {

/// Σ x_i y_i, four sums side by side.
[[nodiscard]] double dot_by_fours(const double* x, const double* y, std::size_t n);

class SparseCholesky {
 public:
  /// The entries (i, j) of one triangle that may differ from zero, in any order, repeats allowed; the
  /// diagonal always may, and so may all of the rows and columns `full`, which are eliminated last. False
  /// where L would have more entries than fit into memory sensibly; nothing else may be called then.
  [[nodiscard]] bool analyse(int size, std::vector<std::pair<int, int>> entries, std::span<const int> full);

  /// Where entry (i, j) = (j, i) is in values(). It must be one of those analysed.
  [[nodiscard]] std::size_t slot(int i, int j) const;
  [[nodiscard]] std::size_t diagonal_slot(int i) const { return slot(i, i); }
  /// What is eliminated at each position. A full row's entries are side by side in this order.
  [[nodiscard]] std::span<const int> order() const { return order_; }
  /// The matrix; to be filled in before factor().
  [[nodiscard]] std::span<double> values() { return values_; }

  /// A pivot that is not positive fixes its unknown at 0.
  void factor();
  void solve(std::span<double> x) const;
  void solve(std::span<double> x, std::span<double> y) const;

  [[nodiscard]] bool has_fronts() const { return has_fronts_; }
  /// Of the last factorisation; 0 where one was not positive.
  [[nodiscard]] double smallest_pivot() const;
  /// Multiplications of one factorisation; infinite where analyse() gave up.
  [[nodiscard]] double work() const { return work_; }
  /// How many columns wait for each other, one after the other, before the last one.
  [[nodiscard]] int longest_wait() const;

 private:
  void lay_out(const std::vector<std::pair<int, int>>& entries);
  [[nodiscard]] bool find_rows();
  [[nodiscard]] std::vector<int> heights() const;
  void order_from_middles();
  void order_by_height();
  void order_by_subtree();
  void count_work(std::size_t full_rows);
  void lay_out_columns();
  void factor_rows();
  void settle(std::size_t k, double pivot) { over_pivots_[k] = pivot > 0.0 ? 1.0 / pivot : 0.0; }
  template <std::size_t N>
  void factor_full(const std::array<std::size_t, N>& rows);
  template <std::size_t N>
  void substitute(const std::array<double*, N>& y) const;
  template <std::size_t N>
  void substitute_back(const std::array<double*, N>& y) const;
  template <std::size_t N>
  void solve_columns(const std::array<std::span<double>, N>& columns) const;
  [[nodiscard]] const double* full_row(std::size_t k) const { return full_.data() + (k - sparse_) * size_; }
  [[nodiscard]] double* full_row(std::size_t k) { return full_.data() + (k - sparse_) * size_; }

  std::size_t size_ = 0, sparse_ = 0;  // positions from sparse_ on are full rows
  double work_ = 0.0;
  std::vector<int> order_, position_;  // vertex at each position, and the other way round
  std::vector<int> parent_;            // elimination tree of the sparse part; −1 at roots
  // The sparse part of the matrix above and on its diagonal, by columns: those of column k are the rows
  // rows_[begin_[k]] … ; then the full rows, `size_` values each.
  std::vector<std::size_t> begin_;
  std::vector<int> rows_;
  std::vector<double> values_;
  bool has_fronts_ = false;
  FrontalCholesky fronts_;
  // Without fronts. Sparse row k of L: its columns in an order in which each is complete before it is used,
  // and where each is in the column-wise arrays below.
  std::vector<std::size_t> row_begin_;
  std::vector<int> row_columns_;
  std::vector<std::size_t> row_slots_;
  // The sparse part of L by columns, without its diagonal of ones; its full rows; 1/D.
  std::vector<std::size_t> column_begin_;
  std::vector<int> column_rows_;
  std::vector<double> lower_, full_, over_pivots_;
  mutable std::vector<double> scratch_;
};

}  // namespace tasfg
