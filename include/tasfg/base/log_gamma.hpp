/// ln Γ, with the same bits on every CPU.
#pragma once

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/samplers.hpp"

namespace tasfg {

/// ln Γ(x) for x > 0, to about 1e-14 of the larger of 1 and its value.
inline double log_gamma(double x) {
  TASFG_EXPECT(x > 0.0);
  // Γ(x) = Γ(x + n)/(x (x + 1) … (x + n − 1)): Stirling's series serves from 16 on.
  double product = 1.0;
  while (x < 16.0) {
    product *= x;
    x += 1.0;
  }
  constexpr double kHalfLogTwoPi = 0.918938533204672742;
  // ln Γ(x) = ln Γ(x + 1) − ln x.
  return (x - 0.5) * log(x) - x + kHalfLogTwoPi + detail::stirling_error(x) - log(product);
}

}  // namespace tasfg
