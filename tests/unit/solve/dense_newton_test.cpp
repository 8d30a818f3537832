#include "solve/dense_newton.hpp"

#include "solve/newton_check.hpp"

namespace tasfg {
namespace {

TEST(DenseNewton, SolvesTheSystemOfItsTerms) {
  DenseNewton newton;  // one for all: it keeps its workspace
  for (const int K : {17, 24, 40, 97, 30}) testing::expect_right(newton, K, 0.5);
}

}  // namespace
}  // namespace tasfg
