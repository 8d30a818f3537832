#include "tasfg/algo/draw_index.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(DrawIndex, IsTheInverseCdfOfOneUniform) {
  const std::vector<double> p = {0.0, 0.25, 0.5, 0.0, 0.25};
  PhiloxStream stream(stream_key(1));
  PhiloxStream same(stream_key(1));
  NumpyStream numpy(4), same_numpy(4);
  for (int i = 0; i < 2000; ++i) {
    const auto expected = [](double u) { return u < 0.25 ? 1 : u < 0.75 ? 2 : 4; };
    ASSERT_EQ(draw_index(stream, p), expected(same.uniform()));
    ASSERT_EQ(draw_index(numpy, p), expected(same_numpy.uniform()));
  }
}

TEST(DrawIndex, RoundingOfTheSumFallsToTheLast) {
  // One ulp below 1 in total: no index must lie beyond the end.
  const std::vector<double> p(10, 0.1 - 1e-3);
  PhiloxStream stream(stream_key(2));
  for (int i = 0; i < 5000; ++i) ASSERT_LT(draw_index(stream, p), 10);
}

}  // namespace
}  // namespace tasfg
