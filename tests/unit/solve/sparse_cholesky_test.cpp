#include "solve/sparse_cholesky.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

struct Symmetric {
  std::size_t n;
  std::vector<double> dense;
  [[nodiscard]] std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> y(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) y[i] += dense[i * n + j] * x[j];
    return y;
  }
};

/// A matrix of the given pattern with a dominant diagonal, put into `cholesky`.
Symmetric fill(SparseCholesky& cholesky, int n, const std::vector<std::pair<int, int>>& pattern,
               PhiloxStream& stream) {
  const auto size = static_cast<std::size_t>(n);
  Symmetric matrix{size, std::vector<double>(size * size, 0.0)};
  std::fill(cholesky.values().begin(), cholesky.values().end(), 0.0);
  const auto add = [&](int i, int j, double value) {
    cholesky.values()[cholesky.slot(i, j)] += value;
    matrix.dense[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(j)] += value;
    if (i != j) matrix.dense[static_cast<std::size_t>(j) * size + static_cast<std::size_t>(i)] += value;
  };
  for (const auto& [i, j] : pattern) {
    const double value = stream.uniform() - 0.5;
    add(i, j, value);
    add(i, i, 1.0);
    add(j, j, 1.0);
  }
  for (int i = 0; i < n; ++i) add(i, i, 0.1 + stream.uniform());
  return matrix;
}

TEST(SparseCholesky, SolvesRandomSystemsWithAndWithoutFullRowsAndFronts) {
  PhiloxStream stream(stream_key(77));
  const auto pick = [&](int n) { return static_cast<int>(stream.uniform() * n); };
  SparseCholesky cholesky;
  int with_fronts = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + pick(round < 100 ? 40 : 120);
    std::vector<int> full;
    for (int v = 0; v < n; ++v)
      if (round % 2 == 0 && stream.uniform() < 0.1) full.push_back(v);
    std::vector<std::pair<int, int>> pattern, given;
    for (int e = 0; e < 2 * n; ++e) pattern.emplace_back(pick(n), pick(n));
    given = pattern;  // some twice, some below and some above the diagonal
    for (const int v : full)
      for (int u = 0; u < n; ++u) pattern.emplace_back(v, u);
    ASSERT_TRUE(cholesky.analyse(n, given, full));
    with_fronts += cholesky.has_fronts() ? 1 : 0;
    // The pattern is analysed once and serves several matrices.
    for (int again = 0; again < 3; ++again) {
      const Symmetric matrix = fill(cholesky, n, pattern, stream);
      cholesky.factor();
      std::vector<double> x(matrix.n), z(matrix.n);
      for (double& each : x) each = stream.uniform() - 0.5;
      for (double& each : z) each = stream.uniform() - 0.5;
      std::vector<double> alone = matrix.times(x), first = alone, second = matrix.times(z);
      cholesky.solve(alone);
      cholesky.solve(first, second);
      for (std::size_t i = 0; i < matrix.n; ++i) {
        ASSERT_NEAR(alone[i], x[i], 1e-11);
        ASSERT_NEAR(second[i], z[i], 1e-11);
      }
      ASSERT_EQ(alone, first) << "two at once are solved as one is";
    }
  }
  EXPECT_GT(with_fronts, 50);
  EXPECT_LT(with_fronts, 150);
}

TEST(SparseCholesky, FixesUnknownsWhosePivotIsNotPositive) {
  SparseCholesky cholesky;
  ASSERT_TRUE(cholesky.analyse(3, {{1, 0}}, {}));
  for (const int i : {0, 2}) cholesky.values()[cholesky.slot(i, i)] = 4.0;
  std::vector<double> x{8.0, 1.0, 2.0};
  cholesky.factor();
  cholesky.solve(x);
  EXPECT_EQ(x, (std::vector<double>{2.0, 0.0, 0.5}));
}

TEST(SparseCholesky, ChainsAndStarsCauseNoFill) {
  constexpr int kSize = 1000;
  std::vector<std::pair<int, int>> chain, star;
  for (int v = 1; v < kSize; ++v) {
    chain.emplace_back(v, v - 1);
    star.emplace_back(v, 0);
  }
  SparseCholesky cholesky;
  ASSERT_TRUE(cholesky.analyse(kSize, chain, {}));
  EXPECT_LE(cholesky.work(), 2.0 * kSize);
  EXPECT_EQ(cholesky.longest_wait(), kSize / 2) << "from both ends to the middle";
  ASSERT_TRUE(cholesky.analyse(kSize, star, {}));
  EXPECT_LE(cholesky.work(), 2.0 * kSize);
  EXPECT_EQ(cholesky.longest_wait(), 1);
  const std::vector<int> hub{0};
  ASSERT_TRUE(cholesky.analyse(kSize, chain, hub));
  EXPECT_LE(cholesky.work(), 4.0 * kSize);
}

}  // namespace
}  // namespace tasfg
