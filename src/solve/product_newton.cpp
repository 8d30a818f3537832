#include "product_newton.hpp"

#include <algorithm>

#include "sparse_cholesky.hpp"

namespace tasfg {
namespace {

double inner_product(std::span<const double> x, std::span<const double> y) {
  return dot_by_fours(x.data(), y.data(), x.size());
}

/// For each row, Σ x at its entries times their values.
void gather(const std::vector<std::size_t>& begin, const std::vector<int>& at,
            const std::vector<double>& values, std::span<const double> x, std::span<double> y) {
  for (std::size_t v = 0; v + 1 < begin.size(); ++v) {
    double sum = 0.0;
    for (std::size_t i = begin[v]; i < begin[v + 1]; ++i)
      sum += x[static_cast<std::size_t>(at[i])] * values[i];
    y[v] = sum;
  }
}

}  // namespace

void ProductNewton::load(const ModelView& model) {
  K_ = model.K;
  best_ = model.best;
  const auto n = static_cast<std::size_t>(K_);
  row_begin_.assign(1, 0);
  row_vertex_.clear();
  row_value_.clear();
  column_begin_.assign(n + 1, 0);
  for (int v = 0; v < K_; ++v) {
    model.for_each_edge(v, [&](int u, double p) {
      row_vertex_.push_back(u);
      row_value_.push_back(p);
      ++column_begin_[static_cast<std::size_t>(u) + 1];
    });
    row_begin_.push_back(row_vertex_.size());
  }
  for (std::size_t u = 0; u < n; ++u) column_begin_[u + 1] += column_begin_[u];
  column_vertex_.resize(row_vertex_.size());
  column_value_.resize(row_vertex_.size());
  std::vector<std::size_t> next(column_begin_.begin(), column_begin_.end() - 1);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t i = row_begin_[v]; i < row_begin_[v + 1]; ++i) {
      const std::size_t place = next[static_cast<std::size_t>(row_vertex_[i])]++;
      column_vertex_[place] = static_cast<int>(v);
      column_value_[place] = row_value_[i];
    }
  for (std::vector<double>* each : {&seen_, &residual_, &scaled_, &direction_, &image_, &over_diagonal_})
    each->assign(n, 0.0);
}

void ProductNewton::observe(std::span<const double> omega, std::span<double> m) const {
  gather(column_begin_, column_vertex_, column_value_, omega, m);
}

void ProductNewton::price(std::span<const double> g, std::span<double> y) const {
  gather(row_begin_, row_vertex_, row_value_, g, y);
}

void ProductNewton::factor(const NewtonTerms& terms) {
  const auto n = static_cast<std::size_t>(K_);
  weight_.assign(terms.weight.begin(), terms.weight.begin() + K_);
  tilt_.assign(terms.tilt.begin(), terms.tilt.begin() + K_);
  diagonal_.assign(terms.diagonal.begin(), terms.diagonal.begin() + K_);
  rest_ = terms.rest;
  // M_vv = d_v + Σ w_u (G_vu + ρ_u G_va)² + R G_va².
  double corner = rest_;
  for (std::size_t u = 0; u < n; ++u) corner += weight_[u] * tilt_[u] * tilt_[u];
  for (std::size_t v = 0; v < n; ++v) {
    double own = diagonal_[v], coupling = 0.0, at_best = 0.0;
    for (std::size_t i = row_begin_[v]; i < row_begin_[v + 1]; ++i) {
      const auto u = static_cast<std::size_t>(row_vertex_[i]);
      const double p = row_value_[i];
      own += weight_[u] * p * p;
      coupling += weight_[u] * tilt_[u] * p;
      if (row_vertex_[i] == best_) at_best = p;
    }
    over_diagonal_[v] = 1.0 / (own + 2.0 * at_best * coupling + corner * at_best * at_best);
  }
}

void ProductNewton::multiply(std::span<const double> x, std::span<double> y) const {
  const auto n = static_cast<std::size_t>(K_), a = static_cast<std::size_t>(best_);
  observe(x, seen_);
  const double at_best = seen_[a];
  double back = rest_ * at_best;
  for (std::size_t u = 0; u < n; ++u) {
    const double pull = weight_[u] * (seen_[u] + tilt_[u] * at_best);
    seen_[u] = pull;
    back += tilt_[u] * pull;
  }
  seen_[a] = back;  // the weight of the best vertex is 0
  price(seen_, y);
  for (std::size_t v = 0; v < n; ++v) y[v] += diagonal_[v] * x[v];
}

void ProductNewton::solve(std::span<double> x) const {
  const auto n = static_cast<std::size_t>(K_);
  const std::span<double> given = x.first(n);
  std::copy(given.begin(), given.end(), residual_.begin());
  std::fill(given.begin(), given.end(), 0.0);
  for (std::size_t v = 0; v < n; ++v) direction_[v] = scaled_[v] = over_diagonal_[v] * residual_[v];
  double size = inner_product(residual_, scaled_);
  const double enough = size * kTolerance * kTolerance;
  for (int step = 0; step < kMostSteps && size > enough; ++step) {
    multiply(direction_, image_);
    const double curvature = inner_product(direction_, image_);
    if (!(curvature > 0.0)) break;
    const double length = size / curvature;
    for (std::size_t v = 0; v < n; ++v) {
      given[v] += length * direction_[v];
      residual_[v] -= length * image_[v];
      scaled_[v] = over_diagonal_[v] * residual_[v];
    }
    const double last = size;
    size = inner_product(residual_, scaled_);
    const double turn = size / last;
    for (std::size_t v = 0; v < n; ++v) direction_[v] = scaled_[v] + turn * direction_[v];
  }
}

void ProductNewton::solve(std::span<double> x, std::span<double> y) const {
  solve(x);
  solve(y);
}

}  // namespace tasfg
