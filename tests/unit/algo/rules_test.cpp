#include "tasfg/algo/rules.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Rules, EveryRowOfTheTableRuns) {
  const std::vector<double> optimal = {0.2, 0.2, 0.2, 0.2, 0.2};
  for (const AlgorithmRow& row : algorithm_rows()) {
    for (const ConventionSet set : {ConventionSet::paper, ConventionSet::reference}) {
      const Instance instance = instance_of("loopy-star", {{"K", 5.0}});
      const Conventions conventions = conventions_of(set);
      const int draws = with_rule(
          instance, algorithm_named(row.name, "test"), conventions, [&]() -> const auto& { return optimal; },
          [&](auto rule) {
            Estimate e(instance, Setting::informed, conventions);
            PhiloxStream stream(stream_key(3));
            for (int t = 0; t < 300; ++t) {
              const int v = rule.choose(e, stream);
              if (v < 0 || v >= 5) return t;
              draw(instance, e, v, stream, 1.0, [&](int u, double r) { rule.shown(e, u, r); });
              rule.finish(e, v);
            }
            return 300;
          });
      EXPECT_EQ(draws, 300) << row.name;
    }
  }
}

TEST(Rules, OnlyTheOracleAsksForTheOptimalAllocation) {
  const Instance instance = instance_of("ring", {{"K", 5.0}});
  const std::vector<double> optimal(5, 0.2);
  for (const AlgorithmRow& row : algorithm_rows()) {
    bool asked = false;
    with_rule(
        instance, algorithm_named(row.name, "test"), {},
        [&]() -> const auto& {
          asked = true;
          return optimal;
        },
        [](const auto&) {});
    EXPECT_EQ(asked, row.rule == RuleKind::oracle) << row.name;
  }
}

}  // namespace
}  // namespace tasfg
