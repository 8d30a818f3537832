#include "tasfg/base/dyadic.hpp"

#include <set>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Dyadic, EpochsFollowEachOtherAndHoldTheirBlocks) {
  std::int64_t next = 0;
  for (int epoch = 0; epoch <= kLevels; ++epoch) {
    EXPECT_EQ(first_block(epoch), next) << epoch;
    next += std::int64_t{1} << root_level(epoch);
    EXPECT_EQ(epoch_of(first_block(epoch)), epoch);
    EXPECT_EQ(epoch_of(next - 1), epoch);
  }
  EXPECT_GT(next, kMostDraws / 128);  // of the smallest blocks
}

TEST(Dyadic, NoTwoNodesHaveOneName) {
  std::set<std::int64_t> names;
  for (int epoch = 2; epoch < 12; ++epoch) {
    EXPECT_TRUE(names.insert(first_block(epoch)).second);  // the root's total
    for (int level = root_level(epoch); level > 0; --level)
      for (std::int64_t i = 0; i < std::int64_t{1} << (root_level(epoch) - level); ++i) {
        const std::int64_t middle = first_block(epoch) + (i << level) + (std::int64_t{1} << (level - 1));
        EXPECT_TRUE(names.insert(middle).second) << middle;
      }
  }
}

}  // namespace
}  // namespace tasfg
