#include "sparse_newton.hpp"

#include <algorithm>
#include <utility>

namespace tasfg {

bool SparseNewton::suits(const ModelView& model) {
  constexpr int kDenseBelow = 32;
  if (model.K < kDenseBelow) return false;
  const auto n = static_cast<std::size_t>(model.K);
  std::vector<int> in_degree(n, 0);
  for (int v = 0; v < model.K; ++v)
    model.for_each_edge(v, [&](int u, double) { ++in_degree[static_cast<std::size_t>(u)]; });
  // Entries that M is made of, counted with repeats.
  double entries = static_cast<double>(n) * in_degree[static_cast<std::size_t>(model.best)];
  for (const int degree : in_degree) entries += 0.5 * degree * degree;
  // With more of them in a large graph, the order alone takes longer than products.
  if (model.K > kLargestMatrix) return entries <= 32.0 * static_cast<double>(n);
  return entries <= 0.25 * static_cast<double>(n) * static_cast<double>(n);
}

bool SparseNewton::pays() const {
  // A multiplication of the dense factorisation takes a tenth of the time. Beyond the size of that one, what
  // is affordable: a second or so.
  constexpr double kMostWork = 2e9;
  if (K_ == 0 || K_ > kLargestMatrix) return cholesky_.work() <= kMostWork;
  const auto n = static_cast<double>(K_);
  return cholesky_.work() <= 0.05 * n * n * n;
}

void SparseNewton::load(const ModelView& model) {
  if (model.K != K_ || model.best != best_ || !update(model)) analyse(model);
  row_revision_.assign(model.row_revision.begin(), model.row_revision.end());
}

/// Takes over the values of rows that have changed. False where an edge came or went.
bool SparseNewton::update(const ModelView& model) {
  const auto n = static_cast<std::size_t>(K_);
  const bool known = row_revision_.size() == n && model.row_revision.size() == n;
  for (std::size_t v = 0; v < n; ++v) {
    if (known && row_revision_[v] == model.row_revision[v]) continue;
    std::size_t next = row_begin_[v];
    bool same = true;
    model.for_each_edge(static_cast<int>(v), [&](int u, double p) {
      same = same && next < row_begin_[v + 1] && row_columns_[next] == u;
      if (!same) return;
      entries_[row_entries_[next]].value = p;
      if (u == best_) at_best_[v] = p;
      ++next;
    });
    if (!same || next != row_begin_[v + 1]) return false;
  }
  return true;
}

void SparseNewton::analyse(const ModelView& model) {
  K_ = model.K;
  best_ = model.best;
  const auto n = static_cast<std::size_t>(K_);
  begin_.assign(n + 1, 0);
  row_begin_.assign(1, 0);
  row_columns_.clear();
  for (int v = 0; v < K_; ++v) {
    model.for_each_edge(v, [&](int u, double) {
      ++begin_[static_cast<std::size_t>(u) + 1];
      row_columns_.push_back(u);
    });
    row_begin_.push_back(row_columns_.size());
  }
  for (std::size_t u = 0; u < n; ++u) begin_[u + 1] += begin_[u];
  entries_.resize(begin_.back());
  row_entries_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  at_best_.assign(n, 0.0);
  coupling_.assign(n, 0.0);
  std::size_t edge = 0;
  for (int v = 0; v < K_; ++v)
    model.for_each_edge(v, [&](int u, double p) {
      std::size_t& place = next[static_cast<std::size_t>(u)];
      if (u == best_) at_best_[static_cast<std::size_t>(v)] = p;
      row_entries_[edge++] = place;
      entries_[place++] = {v, p};
    });

  std::vector<std::pair<int, int>> pattern;
  for (int u = 0; u < K_; ++u) {
    if (u == best_) continue;
    for (const Entry& i : column(u))
      for (const Entry& j : column(u))
        if (j.row <= i.row) pattern.emplace_back(i.row, j.row);
  }
  std::vector<int> full;
  for (const Entry& entry : column(best_)) full.push_back(entry.row);
  if (!cholesky_.analyse(K_, std::move(pattern), full)) {
    K_ = 0;  // analysed anew next time
    return;
  }
  pair_slots_.clear();
  for (int u = 0; u < K_; ++u) {
    if (u == best_) continue;
    for (const Entry& i : column(u))
      for (const Entry& j : column(u))
        if (j.row <= i.row) pair_slots_.push_back(cholesky_.slot(i.row, j.row));
  }
  diagonal_slots_.resize(n);
  for (int v = 0; v < K_; ++v) diagonal_slots_[static_cast<std::size_t>(v)] = cholesky_.slot(v, v);
  full_slots_.clear();
  for (const int row : full)
    for (int v = 0; v < K_; ++v) full_slots_.push_back(cholesky_.slot(row, v));
}

std::span<const SparseNewton::Entry> SparseNewton::column(int u) const {
  const auto i = static_cast<std::size_t>(u);
  return {entries_.data() + begin_[i], begin_[i + 1] - begin_[i]};
}

void SparseNewton::observe(std::span<const double> omega, std::span<double> m) const {
  for (int u = 0; u < K_; ++u) {
    double sum = 0.0;
    for (const Entry& entry : column(u)) sum += omega[static_cast<std::size_t>(entry.row)] * entry.value;
    m[static_cast<std::size_t>(u)] = sum;
  }
}

void SparseNewton::price(std::span<const double> g, std::span<double> y) const {
  for (std::size_t v = 0; v < static_cast<std::size_t>(K_); ++v) {
    double sum = 0.0;
    for (std::size_t i = row_begin_[v]; i < row_begin_[v + 1]; ++i)
      sum += g[static_cast<std::size_t>(row_columns_[i])] * entries_[row_entries_[i]].value;
    y[v] = sum;
  }
}

void SparseNewton::factor(const NewtonTerms& terms) {
  const auto n = static_cast<std::size_t>(K_);
  const std::span<double> matrix = cholesky_.values();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  std::fill(coupling_.begin(), coupling_.end(), 0.0);
  double corner = terms.rest;
  std::size_t pair = 0;
  for (int u = 0; u < K_; ++u) {
    if (u == best_) continue;
    const double weight = terms.weight[static_cast<std::size_t>(u)];
    const double tilted = weight * terms.tilt[static_cast<std::size_t>(u)];
    corner += tilted * terms.tilt[static_cast<std::size_t>(u)];
    const std::span<const Entry> shows = column(u);
    for (std::size_t i = 0; i < shows.size(); ++i) {
      const double scaled = weight * shows[i].value;
      for (std::size_t j = 0; j <= i; ++j) matrix[pair_slots_[pair++]] += scaled * shows[j].value;
      coupling_[static_cast<std::size_t>(shows[i].row)] += tilted * shows[i].value;
    }
  }
  std::size_t full = 0;
  for (const Entry& entry : column(best_)) {
    const auto i = static_cast<std::size_t>(entry.row);
    for (std::size_t v = 0; v < n; ++v, ++full) {
      // A pair of two such rows is met twice, and taken where v is not the later one.
      if (at_best_[v] != 0.0 && v > i) continue;
      matrix[full_slots_[full]] +=
          coupling_[v] * entry.value + at_best_[v] * coupling_[i] + corner * at_best_[v] * entry.value;
    }
  }
  for (std::size_t v = 0; v < n; ++v) matrix[diagonal_slots_[v]] += terms.diagonal[v];
  cholesky_.factor();
}

void SparseNewton::solve(std::span<double> x) const {
  cholesky_.solve(x);
}

void SparseNewton::solve(std::span<double> x, std::span<double> y) const {
  cholesky_.solve(x, y);
}

}  // namespace tasfg
