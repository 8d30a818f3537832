#include "solve/frontal_cholesky.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

/// Two blocks of columns that do not meet, both of which reach into the last ones; `reach` columns ahead
/// within a block. L fills up to the same pattern.
struct Blocks {
  static constexpr std::size_t kBlock = 25, kLast = 7, kSize = 2 * kBlock + kLast;

  explicit Blocks(std::size_t reach) {
    const auto meets = [&](std::size_t i, std::size_t j) {  // i < j
      return j >= 2 * kBlock || (i / kBlock == j / kBlock && j - i <= reach);
    };
    begin.push_back(0);
    lower_begin.push_back(0);
    for (std::size_t k = 0; k < kSize; ++k) {
      for (std::size_t i = 0; i < k; ++i)
        if (meets(i, k)) rows.push_back(static_cast<int>(i));
      rows.push_back(static_cast<int>(k));
      begin.push_back(rows.size());
      parent.push_back(-1);
      for (std::size_t j = k + 1; j < kSize; ++j)
        if (meets(k, j)) {
          if (parent.back() < 0) parent.back() = static_cast<int>(j);
          lower_rows.push_back(static_cast<int>(j));
        }
      lower_begin.push_back(lower_rows.size());
    }
  }
  [[nodiscard]] FrontalCholesky::Pattern pattern() const {
    return {parent, begin, rows, lower_begin, lower_rows};
  }
  /// Random entries with a dominant diagonal.
  [[nodiscard]] std::vector<double> values(PhiloxStream& stream) const {
    std::vector<double> made;
    for (std::size_t k = 0; k < kSize; ++k)
      for (std::size_t p = begin[k]; p < begin[k + 1]; ++p)
        made.push_back(rows[p] == static_cast<int>(k) ? 30.0 + stream.uniform() : stream.uniform() - 0.5);
    return made;
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& values,
                                          const std::vector<double>& x) const {
    std::vector<double> y(kSize, 0.0);
    for (std::size_t k = 0; k < kSize; ++k)
      for (std::size_t p = begin[k]; p < begin[k + 1]; ++p) {
        const auto i = static_cast<std::size_t>(rows[p]);
        y[i] += values[p] * x[k];
        if (i != k) y[k] += values[p] * x[i];
      }
    return y;
  }

  std::vector<int> parent, rows, lower_rows;
  std::vector<std::size_t> begin, lower_begin;
};

TEST(FrontalCholesky, SolvesSystemsOfOnePatternOneAfterTheOther) {
  PhiloxStream stream(stream_key(31));
  FrontalCholesky cholesky;
  for (const std::size_t reach : {0, 1, 3, 8, 24}) {
    SCOPED_TRACE(reach);
    const Blocks blocks(reach);
    cholesky.analyse(blocks.pattern());
    for (int again = 0; again < 3; ++again) {
      const std::vector<double> values = blocks.values(stream);
      cholesky.factor(values);
      std::vector<double> x(Blocks::kSize), z(x);
      for (double& each : x) each = stream.uniform() - 0.5;
      for (double& each : z) each = stream.uniform() - 0.5;
      std::vector<double> alone = blocks.times(values, x), first = alone, second = blocks.times(values, z);
      cholesky.forward(std::array{alone.data()});
      double square = 0.0, product = 0.0;  // xᵀMx as |U⁻ᵀMx|²
      for (std::size_t i = 0; i < Blocks::kSize; ++i) {
        square += alone[i] * alone[i];
        product += x[i] * first[i];
      }
      ASSERT_NEAR(square, product, 1e-11 * product);
      cholesky.backward(std::array{alone.data()});
      cholesky.forward(std::array{first.data(), second.data()});
      cholesky.backward(std::array{first.data(), second.data()});
      for (std::size_t i = 0; i < Blocks::kSize; ++i) {
        ASSERT_NEAR(alone[i], x[i], 1e-13);
        ASSERT_NEAR(second[i], z[i], 1e-13);
      }
      ASSERT_EQ(alone, first) << "two at once are solved as one is";
      ASSERT_GT(cholesky.smallest_pivot(), 20.0);
      ASSERT_LT(cholesky.smallest_pivot(), 31.0);
    }
  }
}

TEST(FrontalCholesky, FixesUnknownsWhosePivotIsNotPositive) {
  PhiloxStream stream(stream_key(32));
  const Blocks blocks(3);
  FrontalCholesky cholesky;
  cholesky.analyse(blocks.pattern());
  std::vector<double> values = blocks.values(stream);
  values[blocks.begin[11] - 1] = -1.0;  // the diagonal at 10
  cholesky.factor(values);
  EXPECT_EQ(cholesky.smallest_pivot(), 0.0);
  std::vector<double> x(Blocks::kSize, 1.0);
  cholesky.forward(std::array{x.data()});
  cholesky.backward(std::array{x.data()});
  EXPECT_NEAR(x[10], 0.0, 1e-100);
  // The others are those of the system without it.
  std::vector<double> others = blocks.times(values, x);
  for (std::size_t i = 0; i < Blocks::kSize; ++i)
    if (i != 10) {
      EXPECT_NEAR(others[i], 1.0, 1e-13) << i;
    }
}

}  // namespace
}  // namespace tasfg
