#include "tasfg/solve/information.hpp"

#include <variant>

#include <gtest/gtest.h>

#include "tasfg/model/reward.hpp"

namespace tasfg {
namespace {

constexpr double kBest = 0.7, kArm = 0.3;  // means that every family admits

template <typename Body>
void for_every_family(Body body) {
  for (const RewardFamilyRow& row : reward_families()) {
    SCOPED_TRACE(row.name);
    std::visit(body, row.defaults);
  }
}

TEST(Evidence, IsTheLeastOverAllCommonMeans) {
  for_every_family([](const auto& reward) {
    const double m_best = 2.0, m_arm = 0.5;
    const double value = evidence(reward, kBest, kArm, m_best, m_arm).value;
    double least = 1e300;
    for (int i = 1; i < 4000; ++i) {
      const double x = kArm + (kBest - kArm) * i / 4000.0;
      least = std::min(least, m_best * divergence(reward, kBest, x) + m_arm * divergence(reward, kArm, x));
    }
    EXPECT_LE(value, least * (1.0 + 1e-12));
    EXPECT_NEAR(value / least, 1.0, 1e-5);
  });
}

TEST(Evidence, HasItsGradientAndIsHomogeneous) {
  for_every_family([](const auto& reward) {
    const auto f = [&](double m_best, double m_arm) {
      return evidence(reward, kBest, kArm, m_best, m_arm).value;
    };
    const Evidence e = evidence(reward, kBest, kArm, 2.0, 0.5);
    constexpr double kStep = 1e-5;
    EXPECT_NEAR((f(2.0 + kStep, 0.5) - f(2.0 - kStep, 0.5)) / (2.0 * kStep), e.from_best, 1e-8);
    EXPECT_NEAR((f(2.0, 0.5 + kStep) - f(2.0, 0.5 - kStep)) / (2.0 * kStep), e.from_arm, 1e-8);
    EXPECT_NEAR(f(6.0, 1.5), 3.0 * e.value, 1e-12);
  });
}

TEST(Curvature, IsTheSecondDerivative) {
  for_every_family([](const auto& reward) {
    const auto gradient = [&](double m_best, double m_arm) {
      return evidence(reward, kBest, kArm, m_best, m_arm);
    };
    const Curvature c = curvature(reward, kBest, kArm, 2.0, 0.5);
    constexpr double kStep = 1e-5;
    const Evidence more = gradient(2.0 + kStep, 0.5), less = gradient(2.0 - kStep, 0.5);
    EXPECT_NEAR((more.from_best - less.from_best) / (2.0 * kStep), -c.scale * c.best * c.best, 1e-7);
    EXPECT_NEAR((more.from_arm - less.from_arm) / (2.0 * kStep), -c.scale * c.best * c.arm, 1e-7);
    const Evidence above = gradient(2.0, 0.5 + kStep), below = gradient(2.0, 0.5 - kStep);
    EXPECT_NEAR((above.from_arm - below.from_arm) / (2.0 * kStep), -c.scale * c.arm * c.arm, 1e-6);
  });
}

}  // namespace
}  // namespace tasfg
