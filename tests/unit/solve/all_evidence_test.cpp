#include "solve/all_evidence.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "random_instances.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/lanes.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

void expect_as_alone(const AllEvidence& all, const ModelView& model, const std::vector<double>& rates) {
  const auto a = static_cast<std::size_t>(model.best);
  double least = kInfinity;
  for (std::size_t u = 0; u < static_cast<std::size_t>(model.K); ++u) {
    if (u == a) {
      EXPECT_EQ(all.value()[u], kInfinity);
    } else if (!(rates[u] > 0.0 && rates[a] > 0.0)) {
      EXPECT_EQ(all.value()[u], 0.0);
    } else {
      const Evidence alone = std::visit(
          [&](const auto& reward) {
            return evidence(reward, model.means[a], model.means[u], rates[a], rates[u]);
          },
          *model.reward);
      EXPECT_EQ(all.value()[u], alone.value);
      EXPECT_EQ(all.from_best(u), alone.from_best);
      EXPECT_EQ(all.from_arm(u), alone.from_arm);
    }
    least = std::min(least, all.value()[u]);
  }
  EXPECT_EQ(all.least(), least);
}

TEST(AllEvidence, HasTheBitsOfOneArmAfterTheOther) {
  AllEvidence all;
  for (std::uint64_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const Instance instance = testing::random_instance(i, 2, 40);
    ModelView model = view_of(instance);
    const auto n = static_cast<std::size_t>(model.K);
    std::vector<double> rates = observation_rates(model, std::vector<double>(n, 1.0));
    rates.resize(padded(n), 0.0);
    all.load(model);
    all.evaluate(rates);
    expect_as_alone(all, model, rates);
    // Another vertex is the best one.
    std::vector<double> means(model.means.begin(), model.means.end());
    const int other = (model.best + 1) % model.K;
    std::swap(means[static_cast<std::size_t>(model.best)], means[static_cast<std::size_t>(other)]);
    model.means = means;
    model.best = other;
    all.load(model);
    all.evaluate(rates);
    expect_as_alone(all, model, rates);
  }
}

TEST(AllEvidence, IsZeroWhereNothingIsShown) {
  const RewardFamily reward = Bernoulli{};
  const std::vector<double> means{0.5, 1.0, 0.2};  // the divergence from 0.2 to 1 is infinite
  AllEvidence all;
  all.load({3, {}, means, 1, &reward});
  all.evaluate({1.0, 1.0, 0.0, 0.0});
  EXPECT_GT(all.value()[0], 0.0);
  EXPECT_EQ(all.value()[2], 0.0);
  EXPECT_EQ(all.least(), 0.0);
  all.evaluate({1.0, 0.0, 1.0, 0.0});
  EXPECT_EQ(all.value()[0], 0.0);
}

}  // namespace
}  // namespace tasfg
