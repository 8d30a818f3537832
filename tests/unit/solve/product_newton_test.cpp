#include "solve/product_newton.hpp"

#include "solve/newton_check.hpp"

namespace tasfg {
namespace {

TEST(ProductNewton, SolvesTheSystemOfItsTermsToItsTolerance) {
  ProductNewton newton;
  for (const int K : {20, 150, 100}) testing::expect_right(newton, K, 3.0 / K, 1e-6);
}

}  // namespace
}  // namespace tasfg
