#include "tasfg/algo/rules/ucb_fg_v.hpp"

#include <algorithm>
#include <cmath>

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

#include "tasfg/algo/ucb_widths.hpp"

namespace tasfg {
namespace {

/// How far the choice of v falls short, straight from the definition: argmax_v G^ucb_{v,a}, a = argmax μ^ucb.
double shortfall(const Estimate& e, int v) {
  const UcbWidths widths(e.draws(), e.graph_known());
  const auto n = static_cast<std::size_t>(e.size());
  std::vector<double> mean(n), edge(n);
  for (std::size_t u = 0; u < n; ++u)
    mean[u] = e.means()[u] + widths.mean / std::sqrt(std::max(1.0, e.observations()[u]));
  const int a = static_cast<int>(std::max_element(mean.begin(), mean.end()) - mean.begin());
  for (std::size_t u = 0; u < n; ++u)
    edge[u] = e.edge(static_cast<int>(u), a) + widths.edge / std::sqrt(std::max(1.0, e.pulls()[u]));
  return *std::max_element(edge.begin(), edge.end()) - edge[static_cast<std::size_t>(v)];
}

TEST(UcbVRule, ChoosesALargestBoundAtEveryDraw) {
  // Long enough for the rule to rely on its last look for hundreds of draws at a time.
  for (const char* family : {"ring", "random", "loopy-star"}) {
    const Instance instance = instance_of(family, {{"K", 5.0}});
    for (const Setting setting : {Setting::informed, Setting::known_graph}) {
      for (const ConventionSet set : {ConventionSet::paper, ConventionSet::reference}) {
        UcbVRule rule(instance);
        Estimate e(instance, setting, conventions_of(set));
        PhiloxStream stream(stream_key(17));
        for (int t = 0; t < 30000; ++t) {
          const int v = rule.choose(e, stream);
          ASSERT_NEAR(shortfall(e, v), 0.0, 1e-12) << family << ' ' << t;
          draw(instance, e, v, stream, 1.0, [&](int u, double r) { rule.shown(e, u, r); });
          rule.finish(e, v);
        }
      }
    }
  }
}

TEST(UcbVRule, ChoosesALargestBoundWhereEdgesAreCounted) {
  const Instance instance = instance_of("torus", {{"K", 4200.0}});
  ASSERT_FALSE(instance.graph().has_matrix());
  for (const Setting setting : {Setting::informed, Setting::known_graph}) {
    UcbVRule rule(instance);
    Estimate e(instance, setting, {});
    PhiloxStream stream(stream_key(19));
    // The last vertices are drawn by the rule alone: until then they are taken to show all.
    for (int v = 0; v < 4190; ++v) draw(instance, e, v, stream, 1.0, [](int, double) {});
    for (int t = 0; t < 800; ++t) {
      const int v = rule.choose(e, stream);
      ASSERT_NEAR(shortfall(e, v), 0.0, 1e-12) << t;
      draw(instance, e, v, stream, 1.0, [&](int u, double r) { rule.shown(e, u, r); });
      rule.finish(e, v);
    }
    EXPECT_TRUE(setting == Setting::known_graph || e.pulled() == 4200);
  }
}

TEST(UcbVRule, NoticesARivalThatOvertakesTheLeader) {
  // Vertex 0 shows both 2 and 3, whose means are close; vertex 1 shows 3 alone, and better.
  const Instance instance(FeedbackGraph(4, {.1, 0, .8, .8, 0, .1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}),
                          {0, 0, .5, .501}, Gaussian{1.0});
  UcbVRule rule(instance);
  Estimate e(instance, Setting::known_graph, {});
  PhiloxStream stream(stream_key(31));
  int changes = 0;
  for (int last = 0; e.draws() < 200000;) {
    const int v = rule.choose(e, stream);
    ASSERT_NEAR(shortfall(e, v), 0.0, 1e-12) << e.draws();
    changes += v != last ? 1 : 0;
    last = v;
    draw(instance, e, v, stream, 2.0, [&](int u, double r) { rule.shown(e, u, r); });
    rule.finish(e, v);
  }
  EXPECT_GT(changes, 100);
}

TEST(UcbVRule, RepeatedDrawsAreThoseThatItWouldHaveChosen) {
  // A clear choice, and two vertices that show the leader equally well.
  for (const auto& [family, p] : {std::pair("loopy-star", 0.2), std::pair("ring", 0.5)}) {
    const Instance instance = instance_of(family, {{"K", 5.0}, {"p", p}});
    UcbVRule rule(instance);
    Estimate e(instance, Setting::informed, {});
    PhiloxStream stream(stream_key(23));
    int repeated = 0;
    while (e.draws() < 30000) {
      const int v = rule.choose(e, stream);
      const std::int64_t repeats = rule.repeats(e);
      ASSERT_GE(repeats, 1);
      // What the draws that may be made at once show, one by one.
      for (std::int64_t i = 0; i < repeats && (i == 0 || rule.holds(e)); ++i) {
        ASSERT_NEAR(shortfall(e, v), 0.0, 1e-12) << family << ' ' << e.draws() << ' ' << i;
        draw(instance, e, v, stream, 1.0, [&](int u, double r) { rule.shown(e, u, r); });
        repeated += i > 0 ? 1 : 0;
      }
      rule.finish(e, v);
    }
    EXPECT_GT(repeated, 10000) << family;
  }
}

}  // namespace
}  // namespace tasfg
