#include "tasfg/algo/estimate.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

Instance star() {
  return {FeedbackGraph(3, {.5, .5, .5, 0, 1, 0, 0, 0, 1}), {0, .5, 1}, Gaussian{1.0}};
}

TEST(Estimate, KeepsCountsMeansAndTheBestVertex) {
  const Instance instance = star();
  Estimate e(instance, Setting::informed, {});
  EXPECT_EQ(e.unseen(), 3);
  EXPECT_EQ(e.edge(0, 2), 1.0);  // optimistic
  e.pull(0);
  e.observe(0, 1, 2.0);
  EXPECT_EQ(e.best(), 1);
  EXPECT_EQ(e.edge(0, 1), 1.0);
  EXPECT_EQ(e.edge(0, 2), 0.0);
  EXPECT_EQ(e.edge(1, 2), 1.0);  // vertex 1 was never pulled
  e.pull(0);
  e.observe(0, 1, -1.0);  // falls below the optimistic means: the lowest index is best
  EXPECT_EQ(e.means()[1], -1.0);
  EXPECT_EQ(e.best(), 0);
  EXPECT_FALSE(e.best_is_unique());
  EXPECT_EQ(e.unseen(), 2);
}

TEST(Estimate, PseudoCountsMayExceedOne) {
  const Instance instance = star();
  Estimate e(instance, Setting::informed, conventions_named("reference", "test"));
  e.pull(1);
  e.observe(1, 1, 0.0);
  EXPECT_EQ(e.edge(1, 1), 2.0);
  EXPECT_EQ(e.edge(1, 0), 1.0);
  EXPECT_EQ(e.edge(0, 0), 1.0);
}

TEST(Estimate, KnownGraphsAreNotEstimated) {
  const Instance instance = star();
  Estimate e(instance, Setting::known_graph, {});
  e.pull(0);
  EXPECT_EQ(e.edge(0, 1), 0.5);
  EXPECT_EQ(e.edge(2, 0), 0.0);
}

TEST(Estimate, BestIsAlwaysTheFirstLargestMean) {
  PhiloxStream stream(stream_key(3));
  const Instance instance = star();
  for (int trial = 0; trial < 200; ++trial) {
    Estimate e(instance, Setting::informed, {});
    for (int i = 0; i < 100; ++i) {
      e.pull(0);
      e.observe(0, static_cast<int>(stream.uniform() * 3), std::floor(stream.uniform() * 4) - 1.5);
      const auto& means = e.means();
      ASSERT_EQ(e.best(), std::max_element(means.begin(), means.end()) - means.begin());
    }
  }
}

TEST(Estimate, AJumpLeavesWhatSingleDrawsLeave) {
  const Instance instance = star();
  Estimate single(instance, Setting::informed, {}), jumped(instance, Setting::informed, {});
  for (Estimate* e : {&single, &jumped})
    for (int v = 0; v < 3; ++v) {
      e->pull(v);
      e->observe(v, v, 0.5 * v);
    }
  for (int i = 0; i < 10; ++i) {
    single.pull(1);
    single.observe(1, 0, 0.2 * (i + 1));
    if (i % 2 == 0) single.observe(1, 2, 0.9);
  }
  jumped.pull_again(1, 10);
  jumped.observe_again(1, 0, 10.0, 2.0);
  jumped.observe_again(1, 2, 5.0, 0.9);
  EXPECT_EQ(jumped.draws(), single.draws());
  EXPECT_EQ(jumped.pulls(), single.pulls());
  EXPECT_EQ(jumped.observations(), single.observations());
  EXPECT_EQ(jumped.means(), single.means());
  EXPECT_EQ(jumped.best(), single.best());
  EXPECT_EQ(jumped.edge(1, 2), single.edge(1, 2));
  for (Estimate* e : {&single, &jumped}) {  // what is kept of the runner-up must do, too
    e->pull(0);
    e->observe(0, 0, -1.0);
    EXPECT_EQ(e->best(), 2);
  }
}

TEST(Estimate, CountsEdgesOfLargeGraphsAlone) {
  const Instance instance = instance_of("torus", {{"K", 5000.0}});
  ASSERT_FALSE(instance.graph().has_matrix());
  Estimate e(instance, Setting::informed, {});
  EXPECT_FALSE(e.counts_pairs());
  PhiloxStream stream(stream_key(24));
  std::map<std::pair<int, int>, double> counts;
  const std::vector<int> drawn = {0, 1, 50, 2500, 4998, 4999};
  for (int t = 0; t < 300; ++t) {
    const int v = drawn[static_cast<std::size_t>(stream.uniform() * 6.0)];
    draw(instance, e, v, stream, 0.4, [&](int u, double) { counts[{v, u}] += 1.0; });
  }
  e.pull_again(50, 7);
  e.observe_again(50, 51, 5.0, 0.3);
  counts[{50, 51}] += 5.0;
  for (const int v : drawn) {
    const double pulls = e.pulls()[static_cast<std::size_t>(v)];
    for (int u = 0; u < e.size(); ++u) {
      const double expected = counts.contains({v, u}) ? counts[{v, u}] : 0.0;
      ASSERT_EQ(e.count(v, u), expected) << v << ' ' << u;
      ASSERT_EQ(e.edge(v, u), expected / pulls);
    }
  }
  EXPECT_EQ(e.edge(7, 4000), 1.0);  // never drawn: optimistic
}

}  // namespace
}  // namespace tasfg
