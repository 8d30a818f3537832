/// Loops over vectors that run on four entries at once, with the widest instructions that the CPU has. The
/// same bits on every CPU.
#pragma once

#include <cstddef>

namespace tasfg {

/// A vector's length, rounded up to whole groups of four.
constexpr std::size_t padded(std::size_t n) {
  return (n + 3) / 4 * 4;
}

/// out ← Σ_u weights[u]·(row u) over n rows of n entries, in order of u. Rows are `stride` apart, a multiple
/// of 4 and at least n; what follows their n entries is read, and dropped.
void combine_rows(const double* rows, std::size_t stride, std::size_t n, const double* weights, double* out);

/// Σ x where `mask` is positive, as four sums side by side; padded(n) entries of both are read, with 0 in
/// `mask` beyond n.
double sum_where(const double* mask, const double* x, std::size_t n);

/// x ← exp(x) entry by entry, the same bits as exp gives; padded(n) entries are read and written.
void exp_each(double* x, std::size_t n);

}  // namespace tasfg
