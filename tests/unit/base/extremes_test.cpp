#include "tasfg/base/extremes.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

TEST(Extremes, AreTheStandardLibrarysAtEveryLength) {
  PhiloxStream stream(stream_key(9));
  for (std::size_t n = 1; n < 40; ++n) {
    for (int trial = 0; trial < 100; ++trial) {
      std::vector<double> x(n);
      for (double& value : x) value = static_cast<double>(stream.bits() % 7) - 3.0;  // few values: many ties
      EXPECT_EQ(index_of_largest(x.data(), n), std::max_element(x.begin(), x.end()) - x.begin());
      EXPECT_EQ(index_of_smallest(x.data(), n), std::min_element(x.begin(), x.end()) - x.begin());
      EXPECT_EQ(largest_of(x.data(), n), *std::max_element(x.begin(), x.end()));
      EXPECT_EQ(smallest_of(x.data(), n), *std::min_element(x.begin(), x.end()));
    }
  }
}

}  // namespace
}  // namespace tasfg
