#include "tasfg/sweep/exit_status.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(ExitStatus, IsToTryAgainWhereAnotherIsAtIt) {
  EXPECT_EQ(exit_status_of(InputError("bad")), 2);
  EXPECT_EQ(exit_status_of(SystemError("no disk")), 2);
  EXPECT_EQ(exit_status_of(BusyError("out.h5", bad_state("is being written"))), 75);
}

}  // namespace
}  // namespace tasfg
