#include "tasfg/model/instance.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

FeedbackGraph identity(int K) {
  std::vector<double> G(static_cast<std::size_t>(K * K), 0.0);
  for (int v = 0; v < K; ++v) G[static_cast<std::size_t>(v * K + v)] = 1.0;
  return {K, std::move(G)};
}

std::string message_for(FeedbackGraph graph, std::vector<double> means, RewardFamily reward) {
  try {
    const Instance instance(std::move(graph), std::move(means), reward, "test");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Instance, KnowsItsBestVertexAndGaps) {
  const Instance instance(identity(3), {0.2, 0.9, 0.5}, Gaussian{1.0});
  EXPECT_EQ(instance.best(), 1);
  const std::vector<double> gaps = instance.gaps();
  EXPECT_DOUBLE_EQ(gaps[0], 0.7);
  EXPECT_DOUBLE_EQ(gaps[1], 0.4);  // the paper's convention: the smallest gap
  EXPECT_DOUBLE_EQ(gaps[2], 0.4);
}

TEST(Instance, RefusesWhatCannotBeIdentified) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_for(identity(3), {0, 1}, Gaussian{1.0}), "test: 2 means (must be one per vertex, K = 3)");
  EXPECT_EQ(
      message_for(identity(2), {1, 1}, Gaussian{1.0}),
      "test: vertices 0 and 1 (counted from 0) share the largest mean 1 (the best vertex must be unique)");
  EXPECT_EQ(message_for(identity(2), {0, nan}, Gaussian{1.0}),
            "test: means[1] = nan (gaussian means must lie in any finite number)");
  EXPECT_EQ(message_for(identity(2), {0.5, 1.0}, Bernoulli{}),
            "test: means[1] = 1 (bernoulli means must lie in the open interval (0, 1))");
  EXPECT_EQ(message_for(identity(2), {0, 1}, Poisson{}),
            "test: means[0] = 0 (poisson means must lie in positive numbers)");
  EXPECT_EQ(message_for(identity(2), {-1, 1}, Exponential{}),
            "test: means[0] = -1 (exponential means must lie in positive numbers)");
  EXPECT_EQ(message_for(FeedbackGraph(2, {1, 0, 1, 0}), {0, 1}, Gaussian{1.0}),
            "test: vertex 1 (counted from 0) is unobservable: its column holds no positive probability");
  EXPECT_NE(message_for(identity(2), {1e-150, 2e-150}, Gaussian{1.0}), "accepted");
}

}  // namespace
}  // namespace tasfg
