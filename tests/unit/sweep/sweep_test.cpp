#include "tasfg/sweep/sweep.hpp"

#include <csignal>
#include <fstream>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/interruption.hpp"
#include "tasfg/sweep/inventory.hpp"

namespace tasfg {
namespace {

class SweepTest : public SmallStudy {
 protected:
  SweepTest() {
    std::ofstream(path("job.toml")) << kJob;
    options_.job = path("job.toml");
    options_.output = path("out.h5");
    options_.threads = 2;
    options_.quiet = true;
  }
  int run() { return run_sweep(options_, link_); }
  std::string complaint() {
    try {
      (void)run();
    } catch (const InputError& error) {
      return error.complaint().found;
    }
    return "none";
  }
  [[nodiscard]] ResultFile file() const { return ResultFile::open(options_.output, Access::read); }
  SweepOptions options_;
  Link link_;
};

TEST_F(SweepTest, MakesTheFileGoesOnAndGrowsIt) {
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(pending_tasks(file(), {}), 0);
  EXPECT_EQ(file().live().generation, 1);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(file().live().generation, 2);
  options_.overrides = {"replications=12"};
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(file().layout().replications, 12);
  EXPECT_EQ(pending_tasks(file(), {}), 0);
}

TEST_F(SweepTest, AShardFillsItsPartAndNothingElse) {
  options_.shard = {1, 3};
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(pending_tasks(file(), {1, 3}), 0);
  EXPECT_GT(pending_tasks(file(), {0, 3}), 0);
  options_.shard = {0, 3};
  EXPECT_EQ(complaint(), "holds shard 1/3 of the job, not shard 0/3");
  options_.shard = {};
  EXPECT_EQ(complaint(), "holds shard 1/3 of the job, not the whole");
}

TEST_F(SweepTest, RefusesAFileOfAnotherJobAndAFolderThatIsNotThere) {
  EXPECT_EQ(run(), 0);
  options_.overrides = {"seed=2"};
  EXPECT_EQ(complaint(), "holds another job: its seed is 1, this job's is 2");
  options_.output = path("none/out.h5");
  EXPECT_EQ(complaint(), "its folder " + path("none") + " does not exist");
}

TEST_F(SweepTest, ASignalBeforeItBeginsLeavesNothingBehind) {
  EXPECT_EXIT(
      {
        catch_interruptions();
        std::raise(SIGUSR1);
        std::_Exit(run());
      },
      testing::ExitedWithCode(kExitInterrupted), "interrupted \\(SIGUSR1\\) before it began");
  EXPECT_FALSE(std::filesystem::exists(options_.output));
  EXPECT_FALSE(std::filesystem::exists(options_.output + ".lock"));
}

TEST_F(SweepTest, ThereIsACore) {
  EXPECT_GE(available_cores(), 1);
}

}  // namespace
}  // namespace tasfg
