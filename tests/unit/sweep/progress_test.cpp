#include "tasfg/sweep/progress.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(Progress, DurationsReadWell) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(12.3), "12 s");
  EXPECT_EQ(duration_text(200.0), "3 min 20 s");
  EXPECT_EQ(duration_text(7500.0), "2 h 05 min");
  EXPECT_EQ(duration_text(90000.0), "1 d 01 h");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(Progress, CountsReadWell) {
  EXPECT_EQ(count_text(999.0), "999");
  EXPECT_EQ(count_text(1.234e6), "1.23 M");
}

TEST(Progress, ParsesEverySpellingOfADuration) {
  EXPECT_EQ(parse_duration("90", "--walltime"), 90.0);
  EXPECT_EQ(parse_duration("90s", "--walltime"), 90.0);
  EXPECT_EQ(parse_duration("10m", "--walltime"), 600.0);
  EXPECT_EQ(parse_duration("2h", "--walltime"), 7200.0);
  EXPECT_EQ(parse_duration("10:00", "--walltime"), 600.0);
  EXPECT_EQ(parse_duration("1:30:00", "--walltime"), 5400.0);
  EXPECT_EQ(parse_duration("2-00:00:00", "--walltime"), 172800.0);
  for (const char* wrong : {"", "x", "-5", "0", "1::2", ":"})
    EXPECT_THROW((void)parse_duration(wrong, "--walltime"), InputError) << wrong;
}

TEST(Progress, LinesComeLessAndLessOften) {
  if (::isatty(STDERR_FILENO) == 1) GTEST_SKIP() << "a terminal has a live line";
  Progress progress(Progress::Mode::quiet);
  int shown = 0;
  for (int second = 1; second <= 3600; ++second) {
    if (!progress.due(second)) continue;
    progress.update(second, {});
    ++shown;
  }
  EXPECT_GE(shown, 12);
  EXPECT_LE(shown, 30);
}

}  // namespace
}  // namespace tasfg
