/// A sparse matrix whose products with a vector are taken four rows side by side.
///
/// Rows of few entries make short loops, and a sum waits for itself: four rows in step take the time of one.
/// Rows are filled up with zeros to the longest of their four. Each row is summed in the order of its
/// entries.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tasfg {

class SlicedRows {
 public:
  /// Room for rows of `lengths` entries, all zero.
  void lay_out(std::span<const std::size_t> lengths);
  /// Where entry i of row r is.
  [[nodiscard]] std::size_t slot(std::size_t r, std::size_t i) const {
    return begin_[r / kSide] + kSide * i + r % kSide;
  }
  void set(std::size_t slot, int column, double value) {
    columns_[slot] = column;
    values_[slot] = value;
  }

  /// y ← A x. A row without entries gives 0.
  void multiply(std::span<const double> x, std::span<double> y) const;

 private:
  static constexpr std::size_t kSide = 4;

  std::size_t rows_ = 0;
  std::vector<std::size_t> begin_;  // of each group of four rows
  std::vector<int> columns_;
  std::vector<double> values_;
};

}  // namespace tasfg
