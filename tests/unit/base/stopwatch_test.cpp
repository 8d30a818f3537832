#include "tasfg/base/stopwatch.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Stopwatch, CountsSecondsSinceItWasMade) {
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double first = watch.seconds();
  EXPECT_GE(first, 0.02);
  EXPECT_LT(first, 20.0) << "seconds, not milliseconds";
  EXPECT_GE(watch.seconds(), first);
}

}  // namespace
}  // namespace tasfg
