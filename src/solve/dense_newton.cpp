#include "dense_newton.hpp"

#include <algorithm>
#include <cmath>

#include "kernels.hpp"

#include "tasfg/base/lanes.hpp"

namespace tasfg {

void DenseNewton::load(const ModelView& model) {
  K_ = model.K;
  best_ = model.best;
  ld_ = (K_ + 7) / 8 * 8;
  const auto n = static_cast<std::size_t>(K_);
  const auto ld = static_cast<std::size_t>(ld_);
  if (rows_.size() < n * ld) {
    rows_.assign(n * ld, 0.0);
    columns_.assign(n * ld, 0.0);
    matrix_.assign(n * ld, 0.0);
    scaled_.assign(n * ld, 0.0);
  }
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t u = 0; u < n; ++u) {
      const double p = model.graph[v * n + u];
      rows_[v * ld + u] = p;
      columns_[u * ld + v] = p;
    }
  }
}

void DenseNewton::observe(std::span<const double> omega, std::span<double> m) const {
  combine_rows(rows_.data(), static_cast<std::size_t>(ld_), static_cast<std::size_t>(K_), omega.data(),
               m.data());
}

void DenseNewton::price(std::span<const double> g, std::span<double> y) const {
  combine_rows(columns_.data(), static_cast<std::size_t>(ld_), static_cast<std::size_t>(K_), g.data(),
               y.data());
}

void DenseNewton::factor(const NewtonTerms& terms) {
  const double* best_column = columns_.data() + best_ * ld_;
  for (int u = 0; u < K_; ++u) {
    const auto i = static_cast<std::size_t>(u);
    double* out = scaled_.data() + u * ld_;
    const double* column = columns_.data() + u * ld_;
    if (u == best_) {
      const double root = std::sqrt(terms.rest);
      for (int v = 0; v < ld_; ++v) out[v] = root * column[v];
    } else {
      const double root = std::sqrt(terms.weight[i]);
      const double tilt = terms.tilt[i];
      for (int v = 0; v < ld_; ++v) out[v] = root * (column[v] + tilt * best_column[v]);
    }
  }
  std::fill_n(matrix_.begin(), K_ * ld_, 0.0);
  for (int v = 0; v < K_; ++v)
    matrix_[static_cast<std::size_t>(v * ld_ + v)] = terms.diagonal[static_cast<std::size_t>(v)];
  kernels::rank_update(matrix_.data(), scaled_.data(), scaled_.data(), ld_, 0, K_, 0, K_,
                       static_cast<int>(ld_), 1.0);
  kernels::cholesky(matrix_.data(), ld_, K_);
}

void DenseNewton::solve(std::span<double> x) const {
  kernels::cholesky_solve(matrix_.data(), ld_, K_, x.data());
}

void DenseNewton::solve(std::span<double> x, std::span<double> y) const {
  kernels::cholesky_solve(matrix_.data(), ld_, K_, x.data(), y.data());
}

}  // namespace tasfg
