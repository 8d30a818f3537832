/// Intervals of 95 % for what is estimated from runs; the same as those of the Python package.
#pragma once

#include <cstdint>
#include <span>

namespace tasfg {

/// Half the width of Student's interval of a mean. NaN for fewer than two values.
[[nodiscard]] double half_width(std::span<const double> values);

struct Interval {
  double low, high;
};
/// Clopper and Pearson's exact interval of a probability after `count` of `runs`, which are positive.
[[nodiscard]] Interval exact_interval(std::int64_t count, std::int64_t runs);

}  // namespace tasfg
