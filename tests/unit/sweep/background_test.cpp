#include "tasfg/sweep/background.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// Polls at time `now` until something is thrown; false where nothing is for long.
bool throws_in_the_end(Background& background, double now) {
  for (int i = 0; i < 5000; ++i) {
    try {
      background.poll(now);
    } catch (const std::runtime_error&) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(Background, AnErrorReachesTheNextPoll) {
  std::atomic<int> runs = 0;
  Background background(
      [&] {
        if (++runs == 1) throw std::runtime_error("no space left");
      },
      30.0);
  background.poll(31.0);
  // Long after: the next one would be due, and must not take the place of the first one's error.
  EXPECT_TRUE(throws_in_the_end(background, 100.0));
  EXPECT_EQ(runs, 1);
  background.poll(100.0);
  background.finish();
  EXPECT_EQ(runs, 2) << "it goes on afterwards";
}

TEST(Background, AnErrorReachesTheEnd) {
  Background background([] { throw std::runtime_error("no space left"); }, 30.0);
  background.poll(31.0);
  EXPECT_THROW(background.finish(), std::runtime_error);
  EXPECT_NO_THROW(background.finish()) << "it was told";
}

TEST(Background, RunsOnceAtATimeAndNotBeforeItIsTime) {
  std::atomic<int> runs = 0;
  std::atomic<bool> go_on = false;
  Background background(
      [&] {
        ++runs;
        for (int i = 0; i < 2000 && !go_on; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      30.0);
  background.poll(29.0);
  background.finish();
  EXPECT_EQ(runs, 0);
  for (double now = 31.0; now < 1000.0; now += 31.0) background.poll(now);
  go_on = true;
  background.finish();
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace tasfg
