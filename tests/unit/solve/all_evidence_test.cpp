#include "solve/all_evidence.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

#include "random_instances.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/lanes.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

TEST(AllEvidence, HasTheBitsOfOneArmAfterTheOther) {
  AllEvidence all;
  for (std::uint64_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const Instance instance = testing::random_instance(i, 2, 40);
    const ModelView model = view_of(instance);
    const auto n = static_cast<std::size_t>(model.K), a = static_cast<std::size_t>(model.best);
    std::vector<double> rates = observation_rates(model, std::vector<double>(n, 1.0));
    rates.resize(padded(n), 0.0);
    if (i % 3 == 0) rates[(a + 1) % n] = 0.0;
    if (i % 7 == 0) rates[a] = 0.0;
    all.load(model);
    all.evaluate(rates);
    double least = kInfinity;
    for (std::size_t u = 0; u < n; ++u) {
      if (u == a) {
        EXPECT_EQ(all.value()[u], kInfinity);
        continue;
      }
      if (!(rates[u] > 0.0 && rates[a] > 0.0)) {
        EXPECT_EQ(all.value()[u], 0.0);
        least = 0.0;
        continue;
      }
      const Evidence alone = std::visit(
          [&](const auto& reward) {
            return evidence(reward, model.means[a], model.means[u], rates[a], rates[u]);
          },
          *model.reward);
      EXPECT_EQ(all.value()[u], alone.value);
      EXPECT_EQ(all.from_best(u), alone.from_best);
      EXPECT_EQ(all.from_arm(u), alone.from_arm);
      least = std::min(least, alone.value);
    }
    EXPECT_EQ(all.least(), least);
  }
}

}  // namespace
}  // namespace tasfg
