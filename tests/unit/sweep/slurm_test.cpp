#include "tasfg/sweep/slurm.hpp"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

// What the commands of SLURM answer is in tests/python/test_slurm_commands.py.

TEST(Slurm, SpansAreReadAsSqueueWritesThem) {
  EXPECT_EQ(slurm_span("0:17"), 17.0);
  EXPECT_EQ(slurm_span("12:05"), 725.0);
  EXPECT_EQ(slurm_span("1:00:00"), 3600.0);
  EXPECT_EQ(slurm_span("2-00:00:00"), 172800.0);
  EXPECT_TRUE(std::isinf(slurm_span("UNLIMITED").value()));
  for (const char* none : {"", "INVALID", "NOT_SET", "12:xx", "90"}) EXPECT_FALSE(slurm_span(none)) << none;
}

TEST(Slurm, AnElementOfAnArrayIsNamedByBothNumbers) {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"}) ::unsetenv(name);
  EXPECT_EQ(slurm_job(), "");
  EXPECT_TRUE(std::isinf(slurm_seconds_left()));
  ::setenv("SLURM_JOB_ID", "21", 1);
  EXPECT_EQ(slurm_job(), "21");
  ::setenv("SLURM_ARRAY_JOB_ID", "20", 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
  EXPECT_EQ(slurm_job(), "20_3");
  for (const char* name : {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"}) ::unsetenv(name);
}

TEST(Slurm, ACommandThatFailsHasNoOutput) {
  EXPECT_EQ(output_of({"echo", "a", "b"}), "a b\n");
  EXPECT_FALSE(output_of({"sh", "-c", "echo a; exit 1"}));
  EXPECT_FALSE(output_of({"no-such-command-of-slurm"}));
}

}  // namespace
}  // namespace tasfg
