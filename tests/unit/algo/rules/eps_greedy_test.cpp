#include "tasfg/algo/rules/eps_greedy.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// Gives one number.
struct Constant {
  double value;
  [[nodiscard]] double uniform() const { return value; }
};

int choice(const char* name, const Instance& instance, const Estimate& e, double uniform) {
  Algorithm algorithm = algorithm_named(name, "test");
  algorithm.epsilon = 0.2;
  Constant stream{uniform};
  return EpsGreedyRule(instance, algorithm).choose(e, stream);
}

TEST(EpsGreedyRule, TheLowEndOfOneUniformSpreadsOverAllVertices) {
  const Instance instance = instance_of("loopy-star", {{"K", 4.0}});
  const Estimate e = exact_estimate(instance);
  for (const char* name : {"eps-greedy", "eps-greedy-info"}) {
    EXPECT_EQ(choice(name, instance, e, 0.0), 0);
    EXPECT_EQ(choice(name, instance, e, 0.06), 1);
    EXPECT_EQ(choice(name, instance, e, 0.14), 2);
    EXPECT_EQ(choice(name, instance, e, 0.1999999), 3);
  }
}

TEST(EpsGreedyRule, TheRestGoesToTheBestVertexOrTheMostInformative) {
  // The first vertex shows all; the last is best.
  const Instance instance = instance_of("revealing-action", {{"K", 4.0}});
  const Estimate e = exact_estimate(instance);
  for (const double u : {0.2, 0.5, 0.999}) {
    EXPECT_EQ(choice("eps-greedy", instance, e, u), 3);
    EXPECT_EQ(choice("eps-greedy-info", instance, e, u), 0);
  }
}

TEST(EpsGreedyRule, WithoutDataTheBestVertexStandsIn) {
  const Instance instance = instance_of("revealing-action", {{"K", 4.0}});
  const Estimate e(instance, Setting::informed, {});
  EXPECT_EQ(choice("eps-greedy-info", instance, e, 0.5), e.best());
}

}  // namespace
}  // namespace tasfg
