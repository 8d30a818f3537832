#include "tasfg/sweep/link.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(Link, WithoutALauncherItIsAlone) {
  Link link;
  EXPECT_EQ(link.rank(), 0);
  EXPECT_EQ(link.size(), 1);
  EXPECT_TRUE(link.alone());
  EXPECT_FALSE(link.launched());
  EXPECT_FALSE(link.receive());
  std::string bytes = "as it is";
  link.broadcast(bytes);
  EXPECT_EQ(bytes, "as it is");
  EXPECT_EQ(link.sharers(1, 2), 1);
  link.flush();
}

TEST(Link, CopiesThatDoNotKnowOfEachOtherAreRefused) {
  ::setenv("SLURM_STEP_NUM_TASKS", "3", 1);
  EXPECT_THROW(Link(), InputError);
  ::unsetenv("SLURM_STEP_NUM_TASKS");
}

TEST(Link, OneOfALaunchSpeaks) {
  EXPECT_TRUE(first_of_launch());
  ::setenv("PMIX_RANK", "1", 1);
  EXPECT_FALSE(first_of_launch());
  ::setenv("PMIX_RANK", "0", 1);
  EXPECT_TRUE(first_of_launch());
  ::unsetenv("PMIX_RANK");
}

}  // namespace
}  // namespace tasfg
