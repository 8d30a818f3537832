#include "tasfg/sweep/write_queue.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

std::vector<PackedRows> rows(std::int64_t first, std::size_t bytes = 8) {
  std::vector<PackedRows> made(1);
  made[0].stretches = {{0, first, 1, 0}};
  made[0].bytes.resize(bytes);
  return made;
}

TEST(WriteQueue, WritesAllInOrder) {
  std::vector<std::int64_t> written;
  WriteQueue queue([&](std::span<PackedRows> packs) {
    for (const PackedRows& each : packs) written.push_back(each.stretches[0].first);
  });
  for (std::int64_t i = 0; i < 1000; ++i) queue.push(rows(i));
  queue.finish();
  ASSERT_EQ(written.size(), 1000U);
  for (std::size_t i = 0; i < written.size(); ++i) EXPECT_EQ(written[i], static_cast<std::int64_t>(i));
  EXPECT_GT(queue.cpu_seconds(), 0.0);
}

TEST(WriteQueue, WritesWhatWaitsBeforeItIsGone) {
  int written = 0;
  {
    WriteQueue queue([&](std::span<PackedRows> packs) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      written += static_cast<int>(packs.size());
    });
    for (std::int64_t i = 0; i < 3; ++i) queue.push(rows(i));
  }
  EXPECT_EQ(written, 3);
}

TEST(WriteQueue, FinishWaitsForWhatIsBeingWritten) {
  std::atomic<bool> begun = false, written = false;
  WriteQueue queue([&](std::span<PackedRows>) {
    begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    written = true;
  });
  queue.push(rows(0));
  while (!begun) std::this_thread::yield();  // from now on nothing waits
  queue.finish();
  EXPECT_TRUE(written);
}

TEST(WriteQueue, AnErrorReachesTheCallerOnceAndNothingIsWrittenInBetween) {
  std::atomic<int> calls = 0;
  WriteQueue queue([&](std::span<PackedRows>) {
    if (++calls == 1) throw std::runtime_error("no space left");
  });
  queue.push(rows(0));
  EXPECT_THROW(queue.finish(), std::runtime_error);
  EXPECT_NO_THROW(queue.finish()) << "it was told";
  queue.push(rows(1));
  queue.finish();
  EXPECT_EQ(calls, 2);
}

TEST(WriteQueue, WhoHasTooMuchToWriteWaits) {
  std::atomic<bool> go_on = false;
  WriteQueue queue([&](std::span<PackedRows>) {
    while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  queue.push(rows(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it is being written
  queue.push(rows(1, WriteQueue::kMostBytes));
  std::atomic<bool> pushed = false;
  std::thread more([&] {
    queue.push(rows(2));
    pushed = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(pushed);
  go_on = true;
  more.join();
  queue.finish();
}

}  // namespace
}  // namespace tasfg
