/// Largest and smallest entries without unpredictable branches: which vertex leads changes from step to step,
/// and a mispredicted branch costs as much as ten comparisons. No entry may be NaN.
#pragma once

#include <cstddef>

namespace tasfg {

/// The largest of n ≥ 1 entries. Four running maxima: max is exact, so their order does not matter.
inline double largest_of(const double* x, std::size_t n) {
  const auto larger = [](double a, double b) { return a > b ? a : b; };
  double a = x[0];
  double b = a;
  double c = a;
  double d = a;
  std::size_t i = 1;
  for (; i + 4 <= n; i += 4) {
    a = larger(x[i], a);
    b = larger(x[i + 1], b);
    c = larger(x[i + 2], c);
    d = larger(x[i + 3], d);
  }
  for (; i < n; ++i) a = larger(x[i], a);
  return larger(larger(a, b), larger(c, d));
}

inline double smallest_of(const double* x, std::size_t n) {
  const auto smaller = [](double a, double b) { return a < b ? a : b; };
  double a = x[0];
  double b = a;
  double c = a;
  double d = a;
  std::size_t i = 1;
  for (; i + 4 <= n; i += 4) {
    a = smaller(x[i], a);
    b = smaller(x[i + 1], b);
    c = smaller(x[i + 2], c);
    d = smaller(x[i + 3], d);
  }
  for (; i < n; ++i) a = smaller(x[i], a);
  return smaller(smaller(a, b), smaller(c, d));
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
