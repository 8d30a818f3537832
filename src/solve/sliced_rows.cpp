#include "sliced_rows.hpp"

#include <algorithm>

namespace tasfg {

void SlicedRows::lay_out(std::span<const std::size_t> lengths) {
  rows_ = lengths.size();
  begin_.assign(1, 0);
  for (std::size_t r = 0; r < rows_; r += kSide) {
    const auto group = lengths.subspan(r, std::min(kSide, rows_ - r));
    begin_.push_back(begin_.back() + kSide * *std::max_element(group.begin(), group.end()));
  }
  columns_.assign(begin_.back(), 0);
  values_.assign(begin_.back(), 0.0);
}

void SlicedRows::multiply(std::span<const double> x, std::span<double> y) const {
  const int* column = columns_.data();
  const double* value = values_.data();
  for (std::size_t group = 0; group + 1 < begin_.size(); ++group) {
    double sums[kSide] = {};
    for (const double* end = values_.data() + begin_[group + 1]; value < end; value += kSide, column += kSide)
      for (std::size_t j = 0; j < kSide; ++j) sums[j] += x[static_cast<std::size_t>(column[j])] * value[j];
    const std::size_t r = kSide * group;
    if (r + kSide <= rows_)
      std::copy_n(sums, kSide, y.data() + r);
    else
      std::copy_n(sums, rows_ - r, y.data() + r);
  }
}

}  // namespace tasfg
