#include "solve/sparse_newton.hpp"

#include "solve/newton_check.hpp"

namespace tasfg {
namespace {

TEST(SparseNewton, SolvesTheSystemOfItsTerms) {
  SparseNewton newton;
  for (const int K : {20, 150, 100}) testing::expect_right(newton, K, 3.0 / K);
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
  EXPECT_FALSE(suits(90, 1)) << "too small to be worth it";
  EXPECT_FALSE(suits(200, 100)) << "not sparse";
}

}  // namespace
}  // namespace tasfg
