#include "sparse_newton.hpp"

#include <algorithm>
#include <cmath>

namespace tasfg {

bool SparseNewton::suits(const ModelView& model) {
  constexpr int kDenseBelow = 100;
  if (model.K < kDenseBelow) return false;
  const auto n = static_cast<std::size_t>(model.K);
  // Entries that the pattern of M is made of, counted with repeats: Σ_u |N_in(u) ∪ N_in(a)|².
  std::vector<int> in_degree(n, 0);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t u = 0; u < n; ++u)
      if (model.graph[v * n + u] != 0.0) ++in_degree[u];
  double entries = 0.0;
  const double extra = in_degree[static_cast<std::size_t>(model.best)];
  for (const int degree : in_degree) {
    const double d = degree + extra;
    entries += d * d;
  }
  return entries <= 0.1 * static_cast<double>(n) * static_cast<double>(n);
}

void SparseNewton::load(const ModelView& model) {
  K_ = model.K;
  best_ = model.best;
  analysed_ = false;
  const auto n = static_cast<std::size_t>(K_);
  std::vector<Eigen::Triplet<double>> entries, pattern;
  for (int u = 0; u < K_; ++u) {
    for (int v = 0; v < K_; ++v) {
      const double p = model.graph[static_cast<std::size_t>(v) * n + static_cast<std::size_t>(u)];
      const double pa = model.graph[static_cast<std::size_t>(v) * n + static_cast<std::size_t>(best_)];
      if (p != 0.0) entries.emplace_back(v, u, p);
      if (p != 0.0 || pa != 0.0) pattern.emplace_back(v, u, 1.0);
    }
  }
  graph_.resize(K_, K_);
  graph_.setFromTriplets(entries.begin(), entries.end());
  tilted_.resize(K_, K_);
  tilted_.setFromTriplets(pattern.begin(), pattern.end());
}

void SparseNewton::observe(std::span<const double> omega, std::span<double> m) const {
  for (int u = 0; u < K_; ++u) {
    double sum = 0.0;
    for (Sparse::InnerIterator it(graph_, u); it; ++it)
      sum += omega[static_cast<std::size_t>(it.row())] * it.value();
    m[static_cast<std::size_t>(u)] = sum;
  }
}

void SparseNewton::price(std::span<const double> g, std::span<double> y) const {
  std::fill_n(y.begin(), K_, 0.0);
  for (int u = 0; u < K_; ++u)
    for (Sparse::InnerIterator it(graph_, u); it; ++it)
      y[static_cast<std::size_t>(it.row())] += g[static_cast<std::size_t>(u)] * it.value();
}

void SparseNewton::factor(const NewtonTerms& terms) {
  // Both patterns have sorted rows, and each column of tilted_ holds those of g_u and of g_a.
  for (int u = 0; u < K_; ++u) {
    const auto i = static_cast<std::size_t>(u);
    const double root = std::sqrt(u == best_ ? terms.rest : terms.weight[i]);
    const double tilt = u == best_ ? 0.0 : terms.tilt[i];
    Sparse::InnerIterator own(graph_, u);
    Sparse::InnerIterator best(graph_, best_);
    for (Sparse::InnerIterator it(tilted_, u); it; ++it) {
      double value = 0.0;
      if (own && own.row() == it.row()) {
        value += own.value();
        ++own;
      }
      if (best && best.row() == it.row()) {
        value += tilt * best.value();
        ++best;
      }
      it.valueRef() = root * value;
    }
  }
  Sparse matrix = tilted_ * Sparse(tilted_.transpose());
  for (int v = 0; v < K_; ++v) matrix.coeffRef(v, v) += terms.diagonal[static_cast<std::size_t>(v)];
  if (!analysed_) {
    factor_.analyzePattern(matrix);
    analysed_ = true;
  }
  factor_.factorize(matrix);
}

void SparseNewton::solve(std::span<double> x) const {
  Eigen::Map<Eigen::VectorXd> map(x.data(), K_);
  if (factor_.info() == Eigen::Success)
    map = factor_.solve(map).eval();
  else
    map.setConstant(std::nan(""));
}

void SparseNewton::solve(std::span<double> x, std::span<double> y) const {
  solve(x);
  solve(y);
}

}  // namespace tasfg
