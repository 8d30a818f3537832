#include "tasfg/algo/ucb_widths.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(UcbWidths, FollowTheirFormulas) {
  const UcbWidths first(0, false);
  EXPECT_EQ(first.mean, 0.0);
  EXPECT_EQ(first.edge, 0.0);
  const UcbWidths later(99, false);
  EXPECT_DOUBLE_EQ(later.mean, std::sqrt(2.0 * std::log(100.0)));
  EXPECT_DOUBLE_EQ(later.edge, std::sqrt(0.5 * std::log(100.0)));
  EXPECT_EQ(UcbWidths(99, true).edge, 0.0);  // a known graph has no uncertainty
  EXPECT_EQ(UcbWidths(99, true).mean, later.mean);
}

}  // namespace
}  // namespace tasfg
