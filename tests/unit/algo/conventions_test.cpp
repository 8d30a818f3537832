#include "tasfg/algo/conventions.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(Conventions, EachPointCanBeSetAloneAndAllTogetherAreTheReference) {
  Conventions conventions = conventions_named("paper", "test");
  for (const ConventionPoint& point : convention_points()) {
    const Conventions before = conventions;
    set_convention(conventions, point.name, point.reference, "test");
    EXPECT_FALSE(conventions == before) << point.name;
  }
  EXPECT_TRUE(conventions == conventions_named("reference", "test"));
  for (const ConventionPoint& point : convention_points())
    set_convention(conventions, point.name, point.paper, "test");
  EXPECT_TRUE(conventions == conventions_named("paper", "test"));
  EXPECT_THROW(set_convention(conventions, "statistics", "counts", "test"), InputError);
  EXPECT_THROW(set_convention(conventions, "statistic", "count", "test"), InputError);
  EXPECT_THROW((void)conventions_named("papr", "test"), InputError);
}

TEST(Conventions, TextNamesEveryPointWithItsValue) {
  Conventions conventions;
  set_convention(conventions, "statistic", "pseudo-count", "test");
  EXPECT_EQ(points_text(conventions),
            "graph-prior=optimistic statistic=pseudo-count reported-tau=draws unique-best=exact "
            "forced-exploration=least-pulled allocation-update=every-step exp3.g=paper");
}

}  // namespace
}  // namespace tasfg
