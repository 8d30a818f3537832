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
      set_value(v, next, p);
      ++next;
    });
    if (!same || next != row_begin_[v + 1]) return false;
  }
  return true;
}

/// Edge `edge` of all in order of rows, one of v's.
void SparseNewton::set_value(std::size_t v, std::size_t edge, double p) {
  const std::size_t place = row_entries_[edge];
  const int u = row_columns_[edge];
  const auto shown = static_cast<std::size_t>(u);
  entries_[place] = {static_cast<int>(v), p};
  by_row_.set(by_row_.slot(v, edge - row_begin_[v]), u, p);
  by_column_.set(by_column_.slot(shown, place - begin_[shown]), static_cast<int>(v), p);
}

void SparseNewton::read_edges(const ModelView& model) {
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
  std::vector<std::size_t> out_degree(n);
  for (std::size_t v = 0; v < n; ++v) out_degree[v] = row_begin_[v + 1] - row_begin_[v];
  by_row_.lay_out(out_degree);
  by_column_.lay_out(std::span(begin_).subspan(1));  // still in-degrees
  for (std::size_t u = 0; u < n; ++u) begin_[u + 1] += begin_[u];
  entries_.resize(begin_.back());
  row_entries_.resize(begin_.back());
  coupling_.assign(n, 0.0);
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  std::size_t edge = 0;
  for (std::size_t v = 0; v < n; ++v)
    model.for_each_edge(static_cast<int>(v), [&](int u, double p) {
      row_entries_[edge] = next[static_cast<std::size_t>(u)]++;
      set_value(v, edge++, p);
    });
}

void SparseNewton::analyse(const ModelView& model) {
  read_edges(model);
  const auto n = static_cast<std::size_t>(K_);
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
  full_begin_.clear();
  full_pairs_.clear();
  for (std::size_t i = 0; i < full.size(); ++i) {
    full_begin_.push_back(cholesky_.slot(full[i], cholesky_.order().front()));
    for (std::size_t j = 0; j <= i; ++j) full_pairs_.push_back(cholesky_.slot(full[i], full[j]));
  }
  coupling_in_order_.assign(n - full.size(), 0.0);
}

void SparseNewton::observe(std::span<const double> omega, std::span<double> m) const {
  by_column_.multiply(omega, m);
}

void SparseNewton::price(std::span<const double> g, std::span<double> y) const {
  by_row_.multiply(g, y);
}

void SparseNewton::factor(const NewtonTerms& terms) {
  const std::span<double> matrix = cholesky_.values();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  std::fill(coupling_.begin(), coupling_.end(), 0.0);
  double corner = terms.rest;
  const std::size_t* slot = pair_slots_.data();
  for (int u = 0; u < K_; ++u) {
    if (u == best_) continue;
    const double weight = terms.weight[static_cast<std::size_t>(u)];
    const double tilted = weight * terms.tilt[static_cast<std::size_t>(u)];
    corner += tilted * terms.tilt[static_cast<std::size_t>(u)];
    const std::span<const Entry> shows = column(u);
    for (std::size_t i = 0; i < shows.size(); ++i) {
      const double scaled = weight * shows[i].value;
      for (std::size_t j = 0; j <= i; ++j) matrix[*slot++] += scaled * shows[j].value;
      coupling_[static_cast<std::size_t>(shows[i].row)] += tilted * shows[i].value;
    }
  }
  add_full_rows(corner);
  for (std::size_t v = 0; v < diagonal_slots_.size(); ++v) matrix[diagonal_slots_[v]] += terms.diagonal[v];
  cholesky_.factor();
}

/// b g_aᵀ + g_a bᵀ + c g_a g_aᵀ: g_a is 0 outside N.
void SparseNewton::add_full_rows(double corner) {
  const std::span<double> matrix = cholesky_.values();
  const std::span<const int> order = cholesky_.order();
  for (std::size_t k = 0; k < coupling_in_order_.size(); ++k)
    coupling_in_order_[k] = coupling_[static_cast<std::size_t>(order[k])];
  const std::span<const Entry> full = column(best_);
  const std::size_t* slot = full_pairs_.data();
  for (std::size_t i = 0; i < full.size(); ++i) {
    double* row = matrix.data() + full_begin_[i];
    for (std::size_t k = 0; k < coupling_in_order_.size(); ++k)
      row[k] += coupling_in_order_[k] * full[i].value;
    const double own = coupling_[static_cast<std::size_t>(full[i].row)];
    for (std::size_t j = 0; j <= i; ++j)
      matrix[*slot++] += coupling_[static_cast<std::size_t>(full[j].row)] * full[i].value +
                         full[j].value * own + corner * full[j].value * full[i].value;
  }
}

void SparseNewton::solve(std::span<double> x) const {
  cholesky_.solve(x);
}

void SparseNewton::solve(std::span<double> x, std::span<double> y) const {
  cholesky_.solve(x, y);
}

}  // namespace tasfg
