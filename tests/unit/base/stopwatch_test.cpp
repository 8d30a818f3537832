#include "tasfg/base/stopwatch.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Stopwatch, CountsSecondsAndNeverRunsBackwards) {
  const Stopwatch watch;
  const double before = watch.seconds();
  EXPECT_GE(before, 0.0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(watch.seconds(), before + 0.002);
}

}  // namespace
}  // namespace tasfg
