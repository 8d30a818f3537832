#include "sparse_cholesky.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"

namespace tasfg {

double dot_by_fours(const double* x, const double* y, std::size_t n) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a += x[i] * y[i];
    b += x[i + 1] * y[i + 1];
    c += x[i + 2] * y[i + 2];
    d += x[i + 3] * y[i + 3];
  }
  double sum = (a + b) + (c + d);
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

namespace {

/// Of L below its diagonal: 24 bytes each, so some 600 MB.
constexpr std::size_t kMostEntries = 25'000'000;
/// With no more entries a column, the time goes into waiting for one column before the next.
constexpr std::size_t kShort = 4;

constexpr int kNoParent = -1;

/// A fill-reducing order of all but `full`, then these.
std::vector<int> fill_reducing_order(int size, const std::vector<std::pair<int, int>>& entries,
                                     std::span<const int> full) {
  std::vector<char> is_full(static_cast<std::size_t>(size), 0);
  for (const int v : full) is_full[static_cast<std::size_t>(v)] = 1;
  std::vector<Eigen::Triplet<double>> pattern;
  pattern.reserve(2 * entries.size() + static_cast<std::size_t>(size));
  for (int v = 0; v < size; ++v) pattern.emplace_back(v, v, 1.0);
  for (const auto& [i, j] : entries) {
    if (i == j || is_full[static_cast<std::size_t>(i)] != 0 || is_full[static_cast<std::size_t>(j)] != 0)
      continue;
    pattern.emplace_back(i, j, 1.0);
    pattern.emplace_back(j, i, 1.0);
  }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(pattern.begin(), pattern.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(size));
  for (int k = 0; k < size; ++k)
    if (const int v = permutation.indices()[k]; is_full[static_cast<std::size_t>(v)] == 0) order.push_back(v);
  order.insert(order.end(), full.begin(), full.end());
  return order;
}

}  // namespace

/// The sparse part of the upper triangle in the order at hand, by columns.
void SparseCholesky::lay_out(const std::vector<std::pair<int, int>>& entries) {
  for (std::size_t k = 0; k < size_; ++k)
    position_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
  std::vector<std::pair<int, int>> placed;  // column, row
  placed.reserve(entries.size() + sparse_);
  for (const auto& [i, j] : entries) {
    const auto [first, second] =
        std::minmax(position_[static_cast<std::size_t>(i)], position_[static_cast<std::size_t>(j)]);
    if (static_cast<std::size_t>(second) < sparse_) placed.emplace_back(second, first);
  }
  for (std::size_t k = 0; k < sparse_; ++k) placed.emplace_back(static_cast<int>(k), static_cast<int>(k));
  std::sort(placed.begin(), placed.end());
  placed.erase(std::unique(placed.begin(), placed.end()), placed.end());
  begin_.assign(sparse_ + 1, 0);
  rows_.clear();
  for (const auto& [column, row] : placed) {
    ++begin_[static_cast<std::size_t>(column) + 1];
    rows_.push_back(row);
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
}

/// The rows of L: row k is what the entries of column k reach in the elimination tree. False where there are
/// too many entries.
bool SparseCholesky::find_rows() {
  std::vector<int> flag(sparse_, kNoParent), reached;
  parent_.assign(sparse_, kNoParent);
  row_begin_.assign(1, 0);
  row_columns_.clear();
  for (std::size_t k = 0; k < sparse_; ++k) {
    const auto row = static_cast<int>(k);
    flag[k] = row;
    reached.clear();
    for (std::size_t p = begin_[k]; p < begin_[k + 1]; ++p)
      for (auto i = static_cast<std::size_t>(rows_[p]); flag[i] != row;
           i = static_cast<std::size_t>(parent_[i])) {
        if (parent_[i] == kNoParent) parent_[i] = row;
        flag[i] = row;
        reached.push_back(static_cast<int>(i));
      }
    // Parents come after their children, so rising numbers are an order in which each is complete.
    std::sort(reached.begin(), reached.end());
    row_columns_.insert(row_columns_.end(), reached.begin(), reached.end());
    row_begin_.push_back(row_columns_.size());
    if (row_columns_.size() > kMostEntries) return false;
  }
  return true;
}

/// How many columns wait for each other below each column of the elimination tree, at most.
std::vector<int> SparseCholesky::heights() const {
  std::vector<int> height(sparse_, 0);
  for (std::size_t k = 0; k < sparse_; ++k)
    if (parent_[k] != kNoParent) {
      int& above = height[static_cast<std::size_t>(parent_[k])];
      above = std::max(above, height[k] + 1);
    }
  return height;
}

int SparseCholesky::longest_wait() const {
  const std::vector<int> height = heights();
  return height.empty() ? 0 : *std::max_element(height.begin(), height.end());
}

/// Roots every elimination tree near its middle, which makes trees of chains half as high. L's pattern is a
/// chordal graph, and a search for the vertex that has most neighbours found already, begun anywhere, meets
/// its vertices in the reverse of an order that causes no more fill (Tarjan and Yannakakis 1984).
void SparseCholesky::order_from_middles() {
  const std::vector<int> height = heights();
  std::vector<int> highest_child(sparse_, kNoParent);
  std::vector<std::vector<int>> neighbours(sparse_);
  for (std::size_t k = 0; k < sparse_; ++k) {
    for (std::size_t p = row_begin_[k]; p < row_begin_[k + 1]; ++p) {
      neighbours[k].push_back(row_columns_[p]);
      neighbours[static_cast<std::size_t>(row_columns_[p])].push_back(static_cast<int>(k));
    }
    if (parent_[k] == kNoParent) continue;
    const auto above = static_cast<std::size_t>(parent_[k]);
    if (height[k] + 1 == height[above]) highest_child[above] = static_cast<int>(k);
  }
  std::vector<int> found, met(sparse_, 0);
  std::vector<char> is_found(sparse_, 0);
  std::priority_queue<std::pair<int, int>> next;  // neighbours found, column
  const auto find = [&](int k) {
    is_found[static_cast<std::size_t>(k)] = 1;
    found.push_back(k);
    for (const int j : neighbours[static_cast<std::size_t>(k)])
      if (is_found[static_cast<std::size_t>(j)] == 0) next.emplace(++met[static_cast<std::size_t>(j)], j);
  };
  for (std::size_t root = 0; root < sparse_; ++root) {
    if (parent_[root] != kNoParent) continue;
    auto middle = root;
    while (2 * height[middle] > height[root] + 1) middle = static_cast<std::size_t>(highest_child[middle]);
    next.emplace(0, static_cast<int>(middle));
    while (!next.empty()) {
      const int k = next.top().second;
      next.pop();
      if (is_found[static_cast<std::size_t>(k)] == 0) find(k);
    }
  }
  const std::vector<int> before = order_;
  for (std::size_t k = 0; k < sparse_; ++k)
    order_[sparse_ - 1 - k] = before[static_cast<std::size_t>(found[k])];
}

/// Puts columns side by side that do not wait for each other: those without children in the elimination tree,
/// then those whose children are among them, and so on. Every order in which children come before their
/// parents causes the same fill.
void SparseCholesky::order_by_height() {
  const std::vector<int> height = heights();
  std::stable_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(sparse_), [&](int u, int v) {
    return height[static_cast<std::size_t>(position_[static_cast<std::size_t>(u)])] <
           height[static_cast<std::size_t>(position_[static_cast<std::size_t>(v)])];
  });
}

/// Puts the columns of each subtree of the elimination tree side by side, the highest child next to its
/// parent.
void SparseCholesky::order_by_subtree() {
  const std::vector<int> height = heights();
  std::vector<std::vector<int>> children(sparse_ + 1);  // those of the roots at the end
  for (std::size_t k = 0; k < sparse_; ++k)
    children[parent_[k] == kNoParent ? sparse_ : static_cast<std::size_t>(parent_[k])].push_back(
        static_cast<int>(k));
  for (std::vector<int>& each : children)
    std::stable_sort(each.begin(), each.end(), [&](int i, int j) {
      return height[static_cast<std::size_t>(i)] < height[static_cast<std::size_t>(j)];
    });
  // In reverse: a parent, then its last child with all below it, and so on.
  const std::vector<int> before = order_;
  std::vector<int> waiting = children[sparse_];
  for (std::size_t left = sparse_; left-- > 0;) {
    const auto k = static_cast<std::size_t>(waiting.back());
    waiting.pop_back();
    order_[left] = before[k];
    waiting.insert(waiting.end(), children[k].begin(), children[k].end());
  }
}

bool SparseCholesky::analyse(int size, std::vector<std::pair<int, int>> entries, std::span<const int> full) {
  size_ = static_cast<std::size_t>(size);
  sparse_ = size_ - full.size();
  order_ = fill_reducing_order(size, entries, full);
  position_.resize(size_);
  lay_out(entries);
  bool fits = find_rows();
  has_fronts_ = fits && row_columns_.size() > kShort * sparse_;
  if (has_fronts_) {
    order_by_subtree();
    lay_out(entries);
    fits = find_rows();
  } else if (fits) {
    order_from_middles();
    lay_out(entries);
    fits = find_rows();
    if (fits) {
      order_by_height();
      lay_out(entries);
      fits = find_rows();
    }
  }
  if (!fits) {
    row_columns_ = {};
    work_ = kInfinity;
    return false;
  }
  values_.assign(rows_.size() + full.size() * size_, 0.0);
  lay_out_columns();
  count_work(full.size());
  full_.assign(full.size() * size_, 0.0);
  over_pivots_.assign(size_, 1.0);
  scratch_.assign(2 * size_, 0.0);
  if (has_fronts_) {
    fronts_.analyse({parent_, begin_, rows_, column_begin_, column_rows_});
    row_columns_ = column_rows_ = {};
    row_slots_ = row_begin_ = {};
  }
  lower_.assign(column_rows_.size(), 0.0);
  return true;
}

/// The columns of L, from its rows.
void SparseCholesky::lay_out_columns() {
  std::vector<std::size_t> count(sparse_, 0);
  for (const int column : row_columns_) ++count[static_cast<std::size_t>(column)];
  column_begin_.assign(sparse_ + 1, 0);
  std::partial_sum(count.begin(), count.end(), column_begin_.begin() + 1);
  column_rows_.resize(column_begin_.back());
  row_slots_.resize(row_columns_.size());
  std::vector<std::size_t> next(column_begin_.begin(), column_begin_.end() - 1);
  for (std::size_t k = 0; k < sparse_; ++k)
    for (std::size_t p = row_begin_[k]; p < row_begin_[k + 1]; ++p) {
      const auto i = static_cast<std::size_t>(row_columns_[p]);
      row_slots_[p] = next[i];
      column_rows_[next[i]++] = static_cast<int>(k);
    }
}

void SparseCholesky::count_work(std::size_t full_rows) {
  const auto rows = static_cast<double>(full_rows);
  work_ = rows * static_cast<double>(column_rows_.size()) + rows * rows * static_cast<double>(size_);
  for (std::size_t k = 0; k < sparse_; ++k) {
    const auto entries = static_cast<double>(column_begin_[k + 1] - column_begin_[k]);
    work_ += 0.5 * entries * (entries + 1.0);
  }
}

std::size_t SparseCholesky::slot(int i, int j) const {
  const auto [first, second] =
      std::minmax(position_[static_cast<std::size_t>(i)], position_[static_cast<std::size_t>(j)]);
  const auto row = static_cast<std::size_t>(first);
  const auto column = static_cast<std::size_t>(second);
  if (column >= sparse_) return rows_.size() + (column - sparse_) * size_ + row;
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(begin_[column]);
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(begin_[column + 1]);
  const auto found = std::lower_bound(begin, end, first);
  TASFG_EXPECT(found != end && *found == first);
  return static_cast<std::size_t>(found - rows_.begin());
}

void SparseCholesky::factor() {
  if (has_fronts_)
    fronts_.factor(values_);
  else
    factor_rows();
  std::size_t k = sparse_;
  for (; k + 2 <= size_; k += 2) factor_full(std::array{k, k + 1});
  if (k < size_) factor_full(std::array{k});
}

/// The sparse part, row by row.
void SparseCholesky::factor_rows() {
  double* y = scratch_.data();  // all 0 between rows
  for (std::size_t k = 0; k < sparse_; ++k) {
    for (std::size_t p = begin_[k]; p < begin_[k + 1]; ++p) y[rows_[p]] = values_[p];
    double pivot = y[k];
    y[k] = 0.0;
    for (std::size_t p = row_begin_[k]; p < row_begin_[k + 1]; ++p) {
      const auto i = static_cast<std::size_t>(row_columns_[p]);
      const double entry = y[i];
      y[i] = 0.0;
      for (std::size_t q = column_begin_[i]; q < row_slots_[p]; ++q) y[column_rows_[q]] -= lower_[q] * entry;
      const double l = entry * over_pivots_[i];
      pivot -= l * entry;
      lower_[row_slots_[p]] = l;
    }
    settle(k, pivot);
  }
}

/// Full rows that follow each other; those before them are done.
template <std::size_t N>
void SparseCholesky::factor_full(const std::array<std::size_t, N>& rows) {
  std::array<double*, N> y;
  for (std::size_t c = 0; c < N; ++c) {
    y[c] = scratch_.data() + c * size_;
    std::copy_n(values_.data() + rows_.size() + (rows[c] - sparse_) * size_, rows[c] + 1, y[c]);
  }
  substitute(y);
  for (std::size_t c = 0; c < N; ++c) {
    const std::size_t k = rows[c];
    for (std::size_t i = sparse_; i < k; ++i) y[c][i] -= dot_by_fours(full_row(i), y[c], i);
    double* row = full_row(k);
    for (std::size_t i = 0; i < k; ++i) row[i] = y[c][i] * over_pivots_[i];
    settle(k, y[c][k] - dot_by_fours(row, y[c], k));
    std::fill_n(y[c], k + 1, 0.0);
  }
}

/// y ← L⁻¹y for the sparse part of L, or U⁻ᵀy. Each step waits for the one before: several at once take
/// little longer than one.
template <std::size_t N>
void SparseCholesky::substitute(const std::array<double*, N>& y) const {
  if (has_fronts_) return fronts_.forward(y);
  const double* lower = lower_.data();
  const int* rows = column_rows_.data();
  for (std::size_t k = 0; k < sparse_; ++k) {
    std::array<double, N> known;
    for (std::size_t c = 0; c < N; ++c) known[c] = y[c][k];
    for (std::size_t p = column_begin_[k], end = column_begin_[k + 1]; p < end; ++p)
      for (std::size_t c = 0; c < N; ++c) y[c][rows[p]] -= lower[p] * known[c];
  }
}

/// The same of Lᵀ, or U.
template <std::size_t N>
void SparseCholesky::substitute_back(const std::array<double*, N>& y) const {
  if (has_fronts_) return fronts_.backward(y);
  const double* lower = lower_.data();
  const int* rows = column_rows_.data();
  for (std::size_t k = sparse_; k-- > 0;) {
    std::array<double, N> sum;
    for (std::size_t c = 0; c < N; ++c) sum[c] = y[c][k];
    for (std::size_t p = column_begin_[k], end = column_begin_[k + 1]; p < end; ++p)
      for (std::size_t c = 0; c < N; ++c) sum[c] -= lower[p] * y[c][rows[p]];
    for (std::size_t c = 0; c < N; ++c) y[c][k] = sum[c];
  }
}

double SparseCholesky::smallest_pivot() const {
  double smallest = has_fronts_ ? fronts_.smallest_pivot() : kInfinity;
  for (std::size_t k = has_fronts_ ? sparse_ : 0; k < size_; ++k)
    smallest = std::min(smallest, over_pivots_[k] == 0.0 ? 0.0 : 1.0 / over_pivots_[k]);
  return smallest;
}

void SparseCholesky::solve(std::span<double> x) const {
  solve_columns(std::array{x});
}
void SparseCholesky::solve(std::span<double> x, std::span<double> y) const {
  solve_columns(std::array{x, y});
}

template <std::size_t N>
void SparseCholesky::solve_columns(const std::array<std::span<double>, N>& columns) const {
  std::array<double*, N> y;
  const auto each = [&](auto&& visit) {
    for (std::size_t c = 0; c < N; ++c) visit(c);
  };
  each([&](std::size_t c) {
    y[c] = scratch_.data() + c * size_;
    for (std::size_t k = 0; k < size_; ++k) y[c][k] = columns[c][static_cast<std::size_t>(order_[k])];
  });
  substitute(y);
  each([&](std::size_t c) {
    for (std::size_t k = sparse_; k < size_; ++k) y[c][k] -= dot_by_fours(full_row(k), y[c], k);
    for (std::size_t k = 0; k < size_; ++k) y[c][k] *= over_pivots_[k];
    for (std::size_t k = size_; k-- > sparse_;) {
      const double* row = full_row(k);
      const double known = y[c][k];
      for (std::size_t i = 0; i < k; ++i) y[c][i] -= row[i] * known;
    }
  });
  substitute_back(y);
  each([&](std::size_t c) {
    for (std::size_t k = 0; k < size_; ++k) {
      columns[c][static_cast<std::size_t>(order_[k])] = y[c][k];
      y[c][k] = 0.0;
    }
  });
}

}  // namespace tasfg
