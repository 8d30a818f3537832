#include "solve/sliced_rows.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

TEST(SlicedRows, MultipliesAsOneRowAfterTheOther) {
  PhiloxStream stream(stream_key(5));
  for (std::size_t n = 1; n < 30; ++n) {
    std::vector<std::size_t> lengths(n);
    for (std::size_t& length : lengths) length = static_cast<std::size_t>(stream.uniform() * 6.0);
    std::vector<double> x(n), y(n, -1.0), expected(n, 0.0);
    for (double& each : x) each = stream.uniform() - 0.5;
    SlicedRows rows;
    rows.lay_out(lengths);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t i = 0; i < lengths[r]; ++i) {
        const auto column = static_cast<std::size_t>(stream.uniform() * static_cast<double>(n));
        const double value = stream.uniform() - 0.5;
        rows.set(rows.slot(r, i), static_cast<int>(column), value);
        expected[r] += x[column] * value;
      }
    rows.multiply(x, y);
    EXPECT_EQ(y, expected) << n << " rows";
  }
}

}  // namespace
}  // namespace tasfg
