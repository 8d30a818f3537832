/// A random index with given probabilities.
#pragma once

#include <cstddef>
#include <span>

#include "tasfg/base/numpy_stream.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {

/// Index i with probability p_i (p sums to 1): inverse cdf of one uniform.
inline int draw_index(NumpyStream& stream, std::span<const double> p) {
  return stream.choice(p);
}
inline int draw_index(PhiloxStream& stream, std::span<const double> p) {
  double left = stream.uniform();
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    if (left < p[i]) return static_cast<int>(i);
    left -= p[i];
  }
  return static_cast<int>(p.size()) - 1;
}

}  // namespace tasfg
