#include "tasfg/sim/content_key.hpp"

#include <set>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

std::uint64_t key(std::vector<double> graph, std::vector<double> means, const RewardFamily& reward) {
  return content_key(Instance(FeedbackGraph(2, std::move(graph)), std::move(means), reward)).value;
}

TEST(ContentKey, ChangesWithEverythingThatACaseIs) {
  const std::set<std::uint64_t> keys = {
      key({1, 0, 0, 1}, {0.2, 0.5}, Gaussian{1.0}),   key({1, 0, 0.5, 1}, {0.2, 0.5}, Gaussian{1.0}),
      key({1, 0.5, 0, 1}, {0.2, 0.5}, Gaussian{1.0}), key({1, 0, 0, 1}, {0.2, 0.6}, Gaussian{1.0}),
      key({1, 0, 0, 1}, {0.5, 0.2}, Gaussian{1.0}),   key({1, 0, 0, 1}, {0.2, 0.5}, Gaussian{2.0}),
      key({1, 0, 0, 1}, {0.2, 0.5}, Bernoulli{}),     key({1, 0, 0, 1}, {0.2, 0.5}, Poisson{}),
      key({1, 0, 0, 1}, {0.2, 0.5}, Exponential{})};
  EXPECT_EQ(keys.size(), 9U);
}

TEST(ContentKey, HasOneZero) {
  EXPECT_EQ(key({1, 0, 0, 1}, {0.0, 0.5}, Gaussian{1.0}), key({1, -0.0, 0, 1}, {-0.0, 0.5}, Gaussian{1.0}));
}

}  // namespace
}  // namespace tasfg
