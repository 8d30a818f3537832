#include "pivoted_qr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

double sum_of_squares(const double* x, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

}  // namespace

PivotedQr::PivotedQr(Matrix matrix) : factor_(std::move(matrix)) {
  const std::size_t rows = factor_.rows, columns = factor_.columns;
  const std::size_t size = std::min(rows, columns);
  reflection_.resize(size);
  pivots_ = size;
  order_.resize(columns);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::vector<double> norms(columns);  // of what is left of each column, updated
  for (std::size_t j = 0; j < columns; ++j) norms[j] = std::sqrt(sum_of_squares(factor_.column(j), rows));
  std::vector<double> exact = norms;  // when last computed
  const double largest = columns == 0 ? 0.0 : *std::max_element(norms.begin(), norms.end());
  const double zero = largest * kEpsilon * (largest * kEpsilon) / static_cast<double>(rows);
  for (std::size_t k = 0; k < size; ++k) {
    const auto pivot = static_cast<std::size_t>(
        std::max_element(norms.begin() + static_cast<std::ptrdiff_t>(k), norms.end()) - norms.begin());
    if (pivots_ == size && norms[pivot] * norms[pivot] < zero * static_cast<double>(rows - k)) pivots_ = k;
    if (pivot != k) {
      std::swap_ranges(factor_.column(k), factor_.column(k) + rows, factor_.column(pivot));
      std::swap(norms[k], norms[pivot]);
      std::swap(exact[k], exact[pivot]);
      std::swap(order_[k], order_[pivot]);
    }
    double* head = factor_.column(k) + k;
    const double tail = sum_of_squares(head + 1, rows - k - 1);
    if (tail <= std::numeric_limits<double>::min()) {
      reflection_[k] = 0.0;
      std::fill_n(head + 1, rows - k - 1, 0.0);
    } else {
      const double length = std::sqrt(*head * *head + tail);
      const double beta = *head >= 0.0 ? -length : length;
      for (std::size_t i = 1; i < rows - k; ++i) head[i] /= *head - beta;
      reflection_[k] = (beta - *head) / beta;
      *head = beta;
    }
    for (std::size_t j = k + 1; j < columns; ++j) {
      reflect(k, factor_, j);
      if (norms[j] == 0.0) continue;
      const double ratio = std::abs(factor_(k, j)) / norms[j];
      const double left = std::max(0.0, (1.0 + ratio) * (1.0 - ratio));
      const double drift = norms[j] / exact[j];
      if (left * (drift * drift) <= std::sqrt(kEpsilon)) {
        norms[j] = exact[j] = std::sqrt(sum_of_squares(factor_.column(j) + k + 1, rows - k - 1));
      } else {
        norms[j] *= std::sqrt(left);
      }
    }
  }
}

void PivotedQr::reflect(std::size_t k, Matrix& x, std::size_t j) const {
  const double tau = reflection_[k];
  const double* v = factor_.column(k) + k;
  double* at = x.column(j) + k;
  const std::size_t n = factor_.rows - k;
  if (n == 1) {
    *at *= 1.0 - tau;
    return;
  }
  if (tau == 0.0) return;
  double along = 0.0;
  for (std::size_t i = 1; i < n; ++i) along += v[i] * at[i];
  along += *at;
  *at -= tau * along;
  for (std::size_t i = 1; i < n; ++i) at[i] -= tau * v[i] * along;
}

std::size_t PivotedQr::rank(double threshold) const {
  double largest = 0.0;
  for (std::size_t k = 0; k < reflection_.size(); ++k) largest = std::max(largest, std::abs(factor_(k, k)));
  std::size_t count = 0;
  for (std::size_t k = 0; k < pivots_; ++k) count += std::abs(factor_(k, k)) > largest * threshold ? 1 : 0;
  return count;
}

void PivotedQr::apply_q(Matrix& x) const {
  for (std::size_t k = reflection_.size(); k-- > 0;)
    for (std::size_t j = 0; j < x.columns; ++j) reflect(k, x, j);
}

std::vector<double> PivotedQr::shortest(const std::vector<double>& b, std::size_t rank) const {
  // Aᵀ = P Rᵀ Qᵀ: solve with the leading part of Rᵀ; what is orthogonal to Q's first columns stays 0.
  Matrix x(factor_.rows, 1);
  for (std::size_t k = 0; k < rank; ++k) {
    double value = b[order_[k]];
    for (std::size_t i = 0; i < k; ++i) value -= factor_(i, k) * x(i, 0);
    x(k, 0) = value / factor_(k, k);
  }
  apply_q(x);
  return std::move(x.values);
}

}  // namespace tasfg
