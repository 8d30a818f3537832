#include "tasfg/base/log_gamma.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(LogGamma, IsThatOfTheCLibrary) {
  for (double x = 1e-12; x < 1e9; x *= 1.0371) {
    const double expected = std::lgamma(x);
    EXPECT_NEAR(log_gamma(x), expected, 2e-14 * std::max(1.0, std::abs(expected))) << x;
  }
}

TEST(LogGamma, GrowsByTheLogarithmOfItsArgument) {
  for (double x = 0.01; x < 100.0; x += 0.37)
    EXPECT_NEAR(log_gamma(x + 1.0) - log_gamma(x), std::log(x), 1e-12) << x;
}

}  // namespace
}  // namespace tasfg
