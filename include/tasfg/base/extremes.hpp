/// Largest and smallest entries without unpredictable branches: which vertex leads changes from step to step,
/// and a mispredicted branch costs as much as ten comparisons. No entry may be NaN.
#pragma once

#include <cstddef>

namespace tasfg {

/// The entry that `pick` prefers among n ≥ 1. Four running ones: picking is exact, so their order does not
/// matter.
template <typename Pick>
inline double extreme_of(const double* x, std::size_t n, Pick pick) {
  double a = x[0];
  double b = a;
  double c = a;
  double d = a;
  std::size_t i = 1;
  for (; i + 4 <= n; i += 4) {
    a = pick(x[i], a);
    b = pick(x[i + 1], b);
    c = pick(x[i + 2], c);
    d = pick(x[i + 3], d);
  }
  for (; i < n; ++i) a = pick(x[i], a);
  return pick(pick(a, b), pick(c, d));
}

inline double largest_of(const double* x, std::size_t n) {
  return extreme_of(x, n, [](double a, double b) { return a > b ? a : b; });
}
inline double smallest_of(const double* x, std::size_t n) {
  return extreme_of(x, n, [](double a, double b) { return a < b ? a : b; });
}

/// The lowest index whose entry equals `value`, which must be there.
inline int first_index_of(double value, const double* x, std::size_t n) {
  int found = 0;
  for (std::size_t i = n; i-- > 0;) found = x[i] == value ? static_cast<int>(i) : found;
  return found;
}

inline int index_of_largest(const double* x, std::size_t n) {
  return first_index_of(largest_of(x, n), x, n);
}
inline int index_of_smallest(const double* x, std::size_t n) {
  return first_index_of(smallest_of(x, n), x, n);
}

}  // namespace tasfg
