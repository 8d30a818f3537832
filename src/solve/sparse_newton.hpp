/// The Newton matrix of large sparse graphs.
///
/// With N the in-neighbours of the best vertex, b = Σ w_u ρ_u g_u and c = R + Σ w_u ρ_u²,
///
///   M = Σ_{u≠a} w_u g_u g_uᵀ + diag(d) + b g_aᵀ + g_a bᵀ + c g_a g_aᵀ :
///
/// sparse but for the rows and columns of N, which are eliminated last and so cause no fill.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "newton_terms.hpp"
#include "sliced_rows.hpp"
#include "sparse_cholesky.hpp"

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

class SparseNewton {
 public:
  static constexpr int kWidth = 0;
  static constexpr bool kFarEnds = true;  // of the certificate, at first
  static constexpr bool kFollows = true;
  using Vector = std::vector<double>;

  /// Whether `model` is large and M sparse enough for this to beat the dense factorisation, if there were no
  /// fill.
  [[nodiscard]] static bool suits(const ModelView& model);
  /// Whether it still does with the fill of the model that was loaded.
  [[nodiscard]] bool pays() const;

  /// Analyses the pattern where it is another than that of the last model.
  void load(const ModelView& model);
  void observe(std::span<const double> omega, std::span<double> m) const;
  void price(std::span<const double> g, std::span<double> y) const;
  void factor(const NewtonTerms& terms);
  void solve(std::span<double> x) const;
  void solve(std::span<double> x, std::span<double> y) const;

 private:
  struct Entry {
    int row;
    double value;
  };
  [[nodiscard]] bool update(const ModelView& model);
  void read_edges(const ModelView& model);
  void analyse(const ModelView& model);
  void set_value(std::size_t v, std::size_t edge, double p);
  void add_full_rows(double corner);
  [[nodiscard]] std::span<const Entry> column(int u) const {
    const auto i = static_cast<std::size_t>(u);
    return {entries_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }

  int K_ = 0, best_ = -1;
  std::vector<double> row_revision_;
  // G by columns, rows rising; and for each row, which of these entries are its own, columns rising.
  std::vector<std::size_t> begin_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> row_begin_, row_entries_;
  std::vector<int> row_columns_;
  SlicedRows by_row_, by_column_;
  // Where the products of two entries of a column go, all pairs of a column after those of the last.
  std::vector<std::size_t> pair_slots_;
  std::vector<std::size_t> diagonal_slots_;
  // Where the full rows of N go: each begins with the others in order of elimination; pairs of N follow, each
  // once.
  std::vector<std::size_t> full_begin_, full_pairs_;
  std::vector<double> coupling_, coupling_in_order_;  // b, and without N in order of elimination
  SparseCholesky cholesky_;
};

}  // namespace tasfg
