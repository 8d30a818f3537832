/// Sums in the order of the library behind the published runs: NumPy 2.1.3 from PyPI, which brings OpenBLAS
/// 0.3.27, on a CPU with AVX2. A learner that compares sums which are equal in exact arithmetic chooses by
/// their last bits, so a replay to the exact step needs this order.
#pragma once

#include <cstddef>
#include <span>

namespace tasfg {

/// Entry i of `A @ x` of NumPy, A being square and stored by rows, of which `row` is the i-th.
[[nodiscard]] double numpy_product(std::span<const double> row, std::size_t i, std::span<const double> x);

/// `x.sum()` of NumPy.
[[nodiscard]] double numpy_sum(std::span<const double> x);

}  // namespace tasfg
