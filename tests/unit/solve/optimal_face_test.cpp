#include "solve/optimal_face.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(OptimalFace, OfCopiesOfOneVertexIsCentredAtEqualWeights) {
  // Whatever is drawn, everything is seen: every ω is optimal.
  const std::vector<double> G(9, 1.0), means{0.0, 0.3, 1.0};
  const RewardFamily reward = Gaussian{1.0};
  const ModelView model{3, G, means, 2, &reward};
  std::vector<double> omega{0.8, 0.15, 0.05};
  EXPECT_EQ(centre_of_face(model, {{0, 1, 2}, {2, 1}}, omega), 2);
  for (const double w : omega) EXPECT_NEAR(w, 1.0 / 3.0, 1e-9);
}

TEST(OptimalFace, LeavesOutWhatTheSupportLeavesOut) {
  const std::vector<double> G{1, 1, 1, 1, 1, 1, 0, 0, 0}, means{0.0, 0.3, 1.0};
  const RewardFamily reward = Gaussian{1.0};
  std::vector<double> omega{0.9, 0.1, 0.0};
  EXPECT_EQ(centre_of_face({3, G, means, 2, &reward}, {{0, 1}, {2, 1}}, omega), 1);
  EXPECT_NEAR(omega[0], 0.5, 1e-9);
  EXPECT_NEAR(omega[1], 0.5, 1e-9);
  EXPECT_EQ(omega[2], 0.0);
}

TEST(OptimalFace, ThatIsAPointIsLeftWhereItIs) {
  const std::vector<double> G{1, 0, 0, 1}, means{0.0, 1.0};
  const RewardFamily reward = Gaussian{1.0};
  std::vector<double> omega{0.5, 0.5};
  EXPECT_EQ(centre_of_face({2, G, means, 1, &reward}, {{0, 1}, {1, 0}}, omega), 0);
  EXPECT_EQ(omega, (std::vector<double>{0.5, 0.5}));
}

TEST(OptimalFace, OfALargeSparseGraphIsAPointOrCentredAsADenseOneIs) {
  // Every vertex shows itself; 0 and 1 also show each other alike, or not: then they cannot be told apart.
  constexpr std::size_t n = 150;
  const RewardFamily reward = Gaussian{1.0};
  std::vector<double> means(n, 0.0);
  means[n - 1] = 1.0;
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> fixed{n - 1};
  fixed.insert(fixed.end(), all.begin(), all.end() - 1);
  for (const double other : {0.5, 1.0}) {
    SCOPED_TRACE(other);
    std::vector<double> G(n * n, 0.0);
    for (std::size_t v = 0; v < n; ++v) G[v * n + v] = 1.0;
    G[1] = G[n] = other;
    std::vector<double> omega(n, 1.0 / static_cast<double>(n));
    omega[0] *= 1.2;
    omega[1] *= 0.8;
    const std::vector<double> before = omega;
    EXPECT_EQ(centre_of_face({n, G, means, n - 1, &reward}, {all, fixed}, omega), other == 1.0 ? 1 : 0);
    if (other < 1.0) {
      EXPECT_EQ(omega, before);
    } else {
      EXPECT_NEAR(omega[0], omega[1], 1e-9);
    }
  }
}

}  // namespace
}  // namespace tasfg
