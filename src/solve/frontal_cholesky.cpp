#include "frontal_cholesky.hpp"

#include <algorithm>

#include "base/simd.hpp"
#include "kernels.hpp"

#include "tasfg/base/elementary.hpp"

#define TASFG_EACH_VERSION "solve/frontal_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {
namespace {

/// Entries of U in rows of `width` columns of a front of this size.
std::size_t entries_of(std::size_t width, std::size_t size) {
  return width * size - width * (width - 1) / 2;
}

/// The share of zeros that so many columns may be joined at: in a narrow front the work around its entries
/// takes longer than the entries.
double zeros_allowed(std::size_t width) {
  if (width <= 4) return 0.8;
  if (width <= 16) return 0.4;
  if (width <= 48) return 0.15;
  return 0.05;
}

}  // namespace

void FrontalCholesky::analyse(const Pattern& pattern) {
  find_fronts(pattern);
  place_rows(pattern);
  place_entries(pattern);
  make_room(pattern.parent.size());
}

/// Joins columns of the same rows, and then a front with the child beside it while few zeros come in.
void FrontalCholesky::find_fronts(const Pattern& pattern) {
  const auto count = [&](std::size_t k) { return pattern.lower_begin[k + 1] - pattern.lower_begin[k]; };
  const std::size_t n = pattern.parent.size();
  std::vector<std::size_t> filled;  // entries of each front's part of L
  fronts_.clear();
  for (std::size_t first = 0; first < n;) {
    std::size_t end = first + 1;
    while (end < n && pattern.parent[end - 1] == static_cast<int>(end) && count(end - 1) == count(end) + 1)
      ++end;
    Front front{first, end - first, 0, end - first + count(end - 1), 0, 0, -1};
    std::size_t in_front = entries_of(front.width, front.size);
    while (!fronts_.empty()) {
      const Front& child = fronts_.back();
      const int above = pattern.parent[front.first - 1];
      if (above < 0 || static_cast<std::size_t>(above) >= end) break;
      const std::size_t width = child.width + front.width, size = child.width + front.size;
      const auto all = static_cast<double>(entries_of(width, size));
      const std::size_t together = filled.back() + in_front;
      if (all - static_cast<double>(together) > zeros_allowed(width) * all) break;
      front = {child.first, width, 0, size, 0, 0, -1};
      in_front = together;
      fronts_.pop_back();
      filled.pop_back();
    }
    fronts_.push_back(front);
    filled.push_back(in_front);
    first = end;
  }
}

void FrontalCholesky::place_rows(const Pattern& pattern) {
  std::vector<int> front_of(pattern.parent.size());
  std::size_t panel = 0;
  rows_.clear();
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    std::fill_n(front_of.begin() + static_cast<std::ptrdiff_t>(front.first), front.width,
                static_cast<int>(f));
    const std::size_t last = front.first + front.width - 1;
    front.rows = rows_.size();
    front.panel = panel;
    panel += front.width * front.stride();
    const auto below = pattern.lower_rows.subspan(pattern.lower_begin[last], front.below());
    rows_.insert(rows_.end(), below.begin(), below.end());
  }
  panels_.assign(panel, 0.0);
  into_parent_.resize(rows_.size());
  for (Front& front : fronts_) {
    if (front.below() == 0) continue;
    front.parent = front_of[static_cast<std::size_t>(rows_[front.rows])];
    const Front& parent = fronts_[static_cast<std::size_t>(front.parent)];
    for (std::size_t i = front.rows; i < front.rows + front.below(); ++i)
      into_parent_[i] = static_cast<int>(place_in(parent, rows_[i]));
  }
}

/// Where a row is among a front's columns and rows.
std::size_t FrontalCholesky::place_in(const Front& front, int row) const {
  const auto k = static_cast<std::size_t>(row);
  if (k < front.first + front.width) return k - front.first;
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(front.rows);
  const auto end = begin + static_cast<std::ptrdiff_t>(front.below());
  return front.width + static_cast<std::size_t>(std::lower_bound(begin, end, row) - begin);
}

void FrontalCholesky::place_entries(const Pattern& pattern) {
  const std::size_t n = pattern.parent.size();
  std::vector<std::size_t> front_of(n);
  for (std::size_t f = 0; f < fronts_.size(); ++f)
    std::fill_n(front_of.begin() + static_cast<std::ptrdiff_t>(fronts_[f].first), fronts_[f].width, f);
  // An entry belongs to the front that eliminates its row.
  std::vector<std::size_t> next(fronts_.size() + 1, 0);
  for (const int row : pattern.rows) ++next[front_of[static_cast<std::size_t>(row)] + 1];
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    next[f + 1] += next[f];
    fronts_[f].entries = next[f];
  }
  entry_.resize(pattern.rows.size());
  entry_place_.resize(pattern.rows.size());
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t p = pattern.begin[k]; p < pattern.begin[k + 1]; ++p) {
      const auto row = static_cast<std::size_t>(pattern.rows[p]);
      const Front& front = fronts_[front_of[row]];
      const std::size_t at = next[front_of[row]]++;
      entry_[at] = p;
      entry_place_[at] = (row - front.first) * front.stride() + place_in(front, static_cast<int>(k));
    }
}

void FrontalCholesky::make_room(std::size_t size) {
  std::size_t largest = 0, widest = 0, most_left = 0, most_fronts = 0;
  left_fronts_.clear();
  left_size_ = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    largest = std::max(largest, front.size * front.stride());
    widest = std::max(widest, front.stride());
    for (; !left_fronts_.empty() && fronts_[left_fronts_.back()].parent == static_cast<int>(f);
         left_fronts_.pop_back())
      left_size_ -= fronts_[left_fronts_.back()].below() * fronts_[left_fronts_.back()].below();
    if (front.parent < 0) continue;
    left_fronts_.push_back(f);
    left_size_ += front.below() * front.below();
    most_left = std::max(most_left, left_size_);
    most_fronts = std::max(most_fronts, left_fronts_.size());
  }
  front_.assign(largest, 0.0);
  left_.assign(most_left, 0.0);
  left_fronts_.reserve(most_fronts);
  inverse_.assign(size, 0.0);
  gathered_.assign(widest, 0.0);
}

void FrontalCholesky::factor(std::span<const double> values) {
  left_fronts_.clear();
  left_size_ = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    assemble(front, values);
    kernels::partial_cholesky(front_.data(), static_cast<std::ptrdiff_t>(front.stride()),
                              static_cast<int>(front.width), static_cast<int>(front.size));
    keep(front);
    if (front.parent >= 0) left_fronts_.push_back(f);
  }
}

/// Its entries of the matrix, and what its children have left.
void FrontalCholesky::assemble(const Front& front, std::span<const double> values) {
  const std::size_t stride = front.stride();
  std::fill_n(front_.begin(), front.size * stride, 0.0);
  const auto f = static_cast<std::size_t>(&front - fronts_.data());
  const std::size_t end = f + 1 < fronts_.size() ? fronts_[f + 1].entries : entry_.size();
  for (std::size_t p = front.entries; p < end; ++p) front_[entry_place_[p]] = values[entry_[p]];
  for (; !left_fronts_.empty() && fronts_[left_fronts_.back()].parent == static_cast<int>(f);
       left_fronts_.pop_back()) {
    const Front& child = fronts_[left_fronts_.back()];
    const std::size_t below = child.below();
    left_size_ -= below * below;
    const int* place = into_parent_.data() + child.rows;
    for (std::size_t i = 0; i < below; ++i) {
      double* to = front_.data() + static_cast<std::size_t>(place[i]) * stride;
      const double* from = left_.data() + left_size_ + i * below;
      for (std::size_t j = i; j < below; ++j) to[place[j]] += from[j];
    }
  }
}

/// U's rows of the columns, and what is left for the parent.
void FrontalCholesky::keep(const Front& front) {
  const std::size_t stride = front.stride(), below = front.below();
  for (std::size_t k = 0; k < front.width; ++k) {
    const double* row = front_.data() + k * stride;
    inverse_[front.first + k] = row[k];
    std::copy_n(row + k + 1, front.size - k - 1, panels_.data() + front.panel + k * stride + k + 1);
  }
  if (front.parent < 0) return;
  for (std::size_t i = 0; i < below; ++i) {
    const double* row = front_.data() + (front.width + i) * stride + front.width;
    std::copy_n(row + i, below - i, left_.data() + left_size_ + i * below + i);
  }
  left_size_ += below * below;
}

double FrontalCholesky::smallest_pivot() const {
  constexpr double kFixed = 1e-100;  // kernels::partial_cholesky puts less there
  double smallest = kInfinity;
  for (const double inverse : inverse_)
    smallest = std::min(smallest, inverse < kFixed ? 0.0 : 1.0 / (inverse * inverse));
  return smallest;
}

template <std::size_t N>
void FrontalCholesky::forward(const std::array<double*, N>& x) const {
  double* part = gathered_.data();
  for (const Front& front : fronts_) {
    const int* rows = rows_.data() + front.rows;
    for (double* each : x) {
      std::copy_n(each + front.first, front.width, part);
      std::fill_n(part + front.width, front.stride() - front.width, 0.0);
      TASFG_CALL_VERSION(forward_front, front, panels_.data(), inverse_.data(), part);
      std::copy_n(part, front.width, each + front.first);
      for (std::size_t i = 0; i < front.below(); ++i) each[rows[i]] += part[front.width + i];
    }
  }
}

template <std::size_t N>
void FrontalCholesky::backward(const std::array<double*, N>& x) const {
  double* part = gathered_.data();
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    const int* rows = rows_.data() + front.rows;
    for (double* each : x) {
      std::copy_n(each + front.first, front.width, part);
      for (std::size_t i = 0; i < front.below(); ++i) part[front.width + i] = each[rows[i]];
      std::fill_n(part + front.size, front.stride() - front.size, 0.0);
      TASFG_CALL_VERSION(backward_front, front, panels_.data(), inverse_.data(), part);
      std::copy_n(part, front.width, each + front.first);
    }
  }
}

template void FrontalCholesky::forward(const std::array<double*, 1>& x) const;
template void FrontalCholesky::forward(const std::array<double*, 2>& x) const;
template void FrontalCholesky::backward(const std::array<double*, 1>& x) const;
template void FrontalCholesky::backward(const std::array<double*, 2>& x) const;

}  // namespace tasfg
