#include "tasfg/base/lanes.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

TEST(Lanes, ExpOfManyGivesTheBitsOfExp) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> x{
      0.0,    -0.0,   1.0,    -1.0,   709.7827128933839, 709.782712893384, 709.79,     1e300,
      -708.4, -745.1, -745.2, -745.3, kInfinity,         -kInfinity,       0.34657359, -0.34657359};
  x.push_back(std::numeric_limits<double>::quiet_NaN());
  PhiloxStream stream(stream_key(3));
  for (int i = 0; i < 100000; ++i) {
    const double scale = i % 3 == 0 ? 1500.0 : i % 3 == 1 ? 4.0 : 1e-6;
    x.push_back(scale * (stream.uniform() - 0.5));
  }
  const std::size_t n = x.size();
  ASSERT_NE(n % 4, 0U);
  std::vector<double> each = x;
  each.resize(padded(n), 0.0);
  exp_each(each.data(), n);
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(each[i]), std::bit_cast<std::uint64_t>(exp(x[i]))) << x[i];
}

TEST(Lanes, RowsAreCombinedInTheirOrder) {
  PhiloxStream stream(stream_key(4));
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 15U, 16U, 17U, 31U, 33U, 70U}) {
    const std::size_t stride = padded(n);
    std::vector<double> rows(n * stride, 7.0), weights(n), out(n);
    for (std::size_t u = 0; u < n; ++u) {
      weights[u] = stream.uniform() - 0.5;
      for (std::size_t v = 0; v < n; ++v) rows[u * stride + v] = stream.uniform();
    }
    combine_rows(rows.data(), stride, n, weights.data(), out.data());
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0.0;
      for (std::size_t u = 0; u < n; ++u) sum += weights[u] * rows[u * stride + v];
      ASSERT_EQ(out[v], sum) << n;
    }
  }
}

TEST(Lanes, MaskedSumsLeaveOutWhatIsNotPositive) {
  PhiloxStream stream(stream_key(5));
  for (const std::size_t n : {1U, 3U, 4U, 6U, 15U, 16U, 41U}) {
    std::vector<double> mask(padded(n), 0.0), x(padded(n), 1e9);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      mask[i] = stream.uniform() < 0.5 ? 0.0 : 3.0;
      x[i] = stream.uniform();
      sum += mask[i] > 0.0 ? x[i] : 0.0;
    }
    EXPECT_NEAR(sum_where(mask.data(), x.data(), n), sum, 1e-13) << n;
  }
}

}  // namespace
}  // namespace tasfg
