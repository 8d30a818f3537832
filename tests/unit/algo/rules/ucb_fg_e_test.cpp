#include "tasfg/algo/rules/ucb_fg_e.hpp"

#include <algorithm>
#include <cmath>

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// (G^ucb μ^ucb)_v, straight from its definition.
std::vector<double> scores(const Estimate& e) {
  const UcbWidths widths(e.draws(), e.graph_known());
  const auto n = static_cast<std::size_t>(e.size());
  std::vector<double> out(n, 0.0);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t u = 0; u < n; ++u)
      out[v] += (e.edge(static_cast<int>(v), static_cast<int>(u)) +
                 widths.edge / std::sqrt(std::max(1.0, e.pulls()[v]))) *
                (e.means()[u] + widths.mean / std::sqrt(std::max(1.0, e.observations()[u])));
  return out;
}

TEST(UcbERule, ChoosesALargestBound) {
  for (const char* family : {"ring", "random", "loopy-star"}) {
    const Instance instance = instance_of(family, {{"K", 6.0}});
    for (const Setting setting : {Setting::informed, Setting::known_graph}) {
      for (const ConventionSet set : {ConventionSet::paper, ConventionSet::reference}) {
        const Conventions conventions = conventions_of(set);
        UcbERule rule(instance);
        Estimate e(instance, setting, conventions);
        PhiloxStream stream(stream_key(9));
        for (int t = 0; t < 1000; ++t) {
          const std::vector<double> bounds = scores(e);
          const int v = rule.choose(e, stream);
          const double best = *std::max_element(bounds.begin(), bounds.end());
          ASSERT_GE(bounds[static_cast<std::size_t>(v)], best - 1e-9 * std::abs(best)) << family << ' ' << t;
          // Now and then another vertex, so that all are seen.
          const int drawn = t % 3 == 0 ? t % 6 : v;
          draw(instance, e, drawn, stream, 1.0, [&](int u, double r) { rule.shown(e, u, r); });
          rule.finish(e, drawn);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tasfg
