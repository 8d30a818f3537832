#include "solve/optimal_face.hpp"

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

}  // namespace
}  // namespace tasfg
