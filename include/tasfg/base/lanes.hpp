/// Four doubles that move together, versions of a function for wider instruction sets, and loops over vectors
/// that have them.
#pragma once

#include <cstddef>

// Functions may have a second version for AVX2, taken where the CPU has it. Lanes are independent entries and
// contraction is off, so all versions give the same bits.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__AVX2__)
#define TASFG_HAS_AVX2_VERSIONS
#define TASFG_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TASFG_VECTOR_CLONES
#endif

namespace tasfg {

/// On a CPU without AVX the compiler splits them in two. Functions that take or return Lanes by value must be
/// always_inline: as calls, versions for different instruction sets would disagree about the registers.
typedef double Lanes __attribute__((vector_size(32)));

/// Lanes among doubles in memory.
typedef double LanesInMemory __attribute__((vector_size(32), aligned(8), may_alias));

[[gnu::always_inline]] inline LanesInMemory& lanes(double* at) {
  return *reinterpret_cast<LanesInMemory*>(at);
}
[[gnu::always_inline]] inline const LanesInMemory& lanes(const double* at) {
  return *reinterpret_cast<const LanesInMemory*>(at);
}

[[gnu::always_inline]] inline double sum_of(const Lanes& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// A vector's length, rounded up to whole lanes.
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
