#include "solve/kernels.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg::kernels {
namespace {

TEST(Kernels, CholeskySolvesRandomSystemsOfEverySize) {
  PhiloxStream stream(stream_key(7));
  for (const int n : {1, 2, 3, 7, 8, 15, 47, 48, 49, 97, 150}) {
    const std::ptrdiff_t ld = (n + 7) / 8 * 8;
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(i * ld + j); };
    std::vector<double> A(static_cast<std::size_t>(n * ld), 0.0), M(A.size(), 0.0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A[at(i, j)] = stream.uniform() - 0.5;
    for (int i = 0; i < n; ++i) M[at(i, i)] = 0.1;
    rank_update(M.data(), A.data(), A.data(), ld, 0, n, 0, n, n, 1.0);
    std::vector<double> x(static_cast<std::size_t>(n)), y;
    for (double& value : x) value = stream.uniform();
    std::vector<double> right(x.size(), 0.0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        right[static_cast<std::size_t>(i)] +=
            M[at(std::min(i, j), std::max(i, j))] * x[static_cast<std::size_t>(j)];
    y = right;
    std::vector<double> other = right;
    cholesky(M.data(), ld, n);
    cholesky_solve(M.data(), ld, n, y.data());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i], 1e-9) << n;
    std::vector<double> twin = right;
    cholesky_solve(M.data(), ld, n, other.data(), twin.data());
    EXPECT_EQ(other, y);  // the paired solve does the same operations
    EXPECT_EQ(twin, y);
  }
}

TEST(Kernels, EliminatesSomeUnknownsAndThenTheOthers) {
  PhiloxStream stream(stream_key(17));
  for (const int n : {2, 9, 50, 120})
    for (const int width : {1, n / 2, n - 1}) {
      const std::ptrdiff_t ld = (n + 7) / 8 * 8;
      const auto at = [&](int i, int j) { return static_cast<std::size_t>(i * ld + j); };
      std::vector<double> M(static_cast<std::size_t>(n * ld), 0.0);
      for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) M[at(i, j)] = i == j ? n : stream.uniform() - 0.5;
      std::vector<double> whole = M, rest(M.size(), 0.0);
      cholesky(whole.data(), ld, n);
      partial_cholesky(M.data(), ld, width, n);
      for (int i = width; i < n; ++i)
        for (int j = i; j < n; ++j) rest[at(i - width, j - width)] = M[at(i, j)];
      cholesky(rest.data(), ld, n - width);
      for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j)
          EXPECT_NEAR(i < width ? M[at(i, j)] : rest[at(i - width, j - width)], whole[at(i, j)], 1e-13)
              << n << ", " << width;
    }
}

TEST(Kernels, CombinesRowsInTheirOrder) {
  PhiloxStream stream(stream_key(9));
  for (const std::size_t n : {1U, 3U, 15U, 16U, 17U, 64U, 101U}) {
    const std::size_t count = n == 64U ? 50 : 7;
    std::vector<double> entries(count * n), weights(count), out(n, -1.0);
    for (double& value : entries) value = stream.uniform() - 0.3;
    for (double& value : weights) value = stream.uniform();
    std::vector<const double*> rows;
    for (std::size_t k = 0; k < count; ++k) rows.push_back(entries.data() + (count - 1 - k) * n);
    combine(rows.data(), weights.data(), count, n, out.data());
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < count; ++k) sum += weights[k] * rows[k][i];
      EXPECT_EQ(out[i], sum) << n;
    }
  }
}

TEST(Kernels, TilesGiveTheBitsOfTheNaiveSum) {
  PhiloxStream stream(stream_key(8));
  const int n = 61;
  const std::ptrdiff_t ld = 64;
  std::vector<double> A(static_cast<std::size_t>(n * ld)), C(A.size(), 0.25), naive = C;
  for (double& value : A) value = stream.uniform() - 0.3;
  rank_update(C.data(), A.data(), A.data(), ld, 3, 50, 5, n, n, -1.0);
  for (int i = 5; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      double sum = 0.25;
      for (int k = 3; k < 50; ++k)
        sum += -A[static_cast<std::size_t>(k * ld + i)] * A[static_cast<std::size_t>(k * ld + j)];
      EXPECT_EQ(C[static_cast<std::size_t>(i * ld + j)], sum);
    }
  }
}

}  // namespace
}  // namespace tasfg::kernels
