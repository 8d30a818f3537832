#include "sweep/worker.hpp"

#include <gtest/gtest.h>

#include "tasfg/sweep/exit_status.hpp"

namespace tasfg {
namespace {

// What it does for a coordinator is in the tests of whole sweeps, which have several ranks.

TEST(Worker, GivesUpWhenTheCoordinatorIsSilent) {
  EXPECT_EXIT(
      {
        Link link;
        std::_Exit(Worker(link, nullptr, 1, /*lost_after=*/0.05).run());
      },
      testing::ExitedWithCode(kExitInterrupted),
      "no sign of life from rank 0, the coordinator for 0 s; run the same command again");
}

}  // namespace
}  // namespace tasfg
