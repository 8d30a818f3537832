#include "solve/sparse_newton.hpp"

#include <algorithm>
#include <vector>

#include "solve/newton_check.hpp"

namespace tasfg {
namespace {

TEST(SparseNewton, SolvesTheSystemOfItsTerms) {
  SparseNewton newton;
  for (const int K : {20, 150, 100}) testing::expect_right(newton, K, 3.0 / K);
}

TEST(SparseNewton, TakesOverChangedRowsAsAFreshOneReadsThem) {
  PhiloxStream stream(stream_key(4));
  constexpr int kSize = 30;
  constexpr std::size_t n = kSize;
  std::vector<double> G(n * n, 0.0), means(n, 0.0), revision(n, 0.0);
  for (double& p : G) p = stream.uniform() < 0.1 ? stream.uniform() : 0.0;
  const RewardFamily reward = Gaussian{1.0};
  const std::vector<double> weight(n, 0.3), tilt(n, 0.2), diagonal(n, 0.5), ones(n, 1.0);
  SparseNewton kept;
  int best = 7;
  for (int change = 0; change < 60; ++change) {
    SCOPED_TRACE(change);
    const auto row = static_cast<std::size_t>(stream.uniform() * n);
    revision[row] += 1.0;
    for (std::size_t u = 0; u < n; ++u) G[row * n + u] *= 0.5 + stream.uniform();
    if (change % 5 == 0) G[row * n + static_cast<std::size_t>(stream.uniform() * n)] = 0.5;  // an edge more
    if (change % 7 == 0) *std::max_element(&G[row * n], &G[row * n] + n) = 0.0;              // one less
    if (change % 11 == 0) best = static_cast<int>(stream.uniform() * n);
    const ModelView model{kSize, G, means, best, &reward, revision};
    SparseNewton fresh;
    const auto results = [&](SparseNewton& newton) {
      std::vector<double> m(n), y(n), x = ones;
      newton.load(model);
      newton.observe(ones, m);
      newton.price(ones, y);
      newton.factor({weight, tilt, 0.1, diagonal});
      newton.solve(x);
      return std::vector{m, y, x};
    };
    ASSERT_EQ(results(kept), results(fresh));
  }
}

TEST(SparseNewton, SuitsLargeSparseGraphsAlone) {
  const auto suits = [](int K, int band) {
    const auto n = static_cast<std::size_t>(K);
    std::vector<double> G(n * n, 0.0), means(n, 0.0);
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t k = 0; k < static_cast<std::size_t>(band); ++k) G[v * n + (v + k) % n] = 0.5;
    const RewardFamily reward = Gaussian{1.0};
    return SparseNewton::suits({K, G, means, 0, &reward});
  };
  EXPECT_TRUE(suits(200, 2));
  EXPECT_FALSE(suits(20, 1)) << "too small to be worth it";
  EXPECT_FALSE(suits(200, 100)) << "not sparse";
}

}  // namespace
}  // namespace tasfg
