/// UᵀU of sparse symmetric positive definite matrices that share one pattern, by dense fronts.
///
/// Method:  columns of L that have nearly the same rows are eliminated together, in a dense matrix of these
///          columns and rows, the front; what it leaves of the rows is added into the front of its parent in
///          the elimination tree (multifrontal). Nearly all work is then that of dense kernels, several times
///          as fast as going from entry to entry. Narrow graphs have no use for it (sparse_cholesky.hpp).
///          Fronts, and where everything goes, are found once; factoring and solving touch no heap.
/// Source:  Liu, The multifrontal method for sparse matrix solution, SIAM Review 34, 1992; joining columns as
///          in Ashcraft and Grimes, ACM TOMS 15, 1989.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tasfg {

/// Columns that are eliminated together.
struct Front {
  std::size_t first, width;  // the columns
  std::size_t rows, size;    // where the rows below them begin in a list of all; columns and rows together
  std::size_t panel;         // where U's rows of these columns begin, each of `stride` entries
  std::size_t entries;       // where those of the matrix begin
  int parent;                // the front of its next column, −1 at roots
  [[nodiscard]] std::size_t below() const { return size - width; }
  [[nodiscard]] std::size_t stride() const { return (size + 7) / 8 * 8; }
};

class FrontalCholesky {
 public:
  /// A matrix and its L, in an order in which the columns of each subtree of the elimination tree are side by
  /// side: by columns, the entries above and on the diagonal of the matrix, and those below it of L.
  struct Pattern {
    std::span<const int> parent;
    std::span<const std::size_t> begin;
    std::span<const int> rows;
    std::span<const std::size_t> lower_begin;
    std::span<const int> lower_rows;
  };
  void analyse(const Pattern& pattern);

  /// Of a matrix in the order of its pattern. A pivot that is not positive fixes its unknown at 0.
  void factor(std::span<const double> values);
  /// Each x ← U⁻ᵀx, and U⁻¹x.
  template <std::size_t N>
  void forward(const std::array<double*, N>& x) const;
  template <std::size_t N>
  void backward(const std::array<double*, N>& x) const;

  /// Of the last factorisation; 0 where one was not positive.
  [[nodiscard]] double smallest_pivot() const;

 private:
  void find_fronts(const Pattern& pattern);
  void place_rows(const Pattern& pattern);
  void place_entries(const Pattern& pattern);
  void make_room(std::size_t size);
  [[nodiscard]] std::size_t place_in(const Front& front, int row) const;
  void assemble(const Front& front, std::span<const double> values);
  void keep(const Front& front);

  std::vector<Front> fronts_;     // children before parents
  std::vector<int> rows_;         // below each front
  std::vector<int> into_parent_;  // where these are in the parent's front
  // Entries of the matrix, front by front: which, and where in the front.
  std::vector<std::size_t> entry_, entry_place_;
  std::vector<double> panels_, inverse_;  // U but for its diagonal; 1/U_kk
  std::vector<double> front_;             // the one at hand
  // What fronts leave to parents that are still to come, the last one on top.
  std::vector<double> left_;
  std::vector<std::size_t> left_fronts_;
  std::size_t left_size_ = 0;
  mutable std::vector<double> gathered_;
};

}  // namespace tasfg
