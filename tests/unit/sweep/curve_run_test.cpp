#include "tasfg/sweep/curve_run.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(CurveRun, EveryTaskRunsOnceAndWhereItsResultIsKept) {
  Link link;
  for (const int threads : {1, 3}) {
    std::vector<int> runs(200, 0);
    run_everywhere(
        link, threads,
        {.count = runs.size(), .here = [&](std::size_t task) { ++runs[task]; }, .away = {}, .arrived = {}});
    for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i], 1) << i;
  }
  run_everywhere(link, 2, {.count = 0, .here = [](std::size_t) { FAIL(); }, .away = {}, .arrived = {}});
}

TEST(CurveRun, ATaskThatThrowsEndsItWithItsMessage) {
  Link link;
  try {
    run_everywhere(link, 2,
                   {.count = 50,
                    .here =
                        [](std::size_t task) {
                          if (task == 7) throw std::runtime_error("task 7 failed");
                        },
                    .away = {},
                    .arrived = {}});
    FAIL() << "nothing was thrown";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "task 7 failed");
  }
}

TEST(CurveRun, MapsComeBackFromBytes) {
  CertifiedMap map;
  map.cells.push_back({{{0.0, 0.25}, {0.5, 0.75}}, {1.5, 2.5}, CellOutcome::diverges});
  const std::vector<double> allocation = {0.25, 0.75}, other = {0.5};
  const std::vector<std::uint8_t> support = {1, 0}, other_support = {1};
  map.points.push_back({{0.0, 0.25}, 2.0, 1.0, allocation, support, true});
  map.points.push_back({{0.5, 0.25}, 3.0, 2.0, {}, {}, false});
  map.points.push_back({{0.5, 0.5}, 3.0, 2.0, other, other_support, false});
  const CertifiedMap back = unpack_map(pack_map(map));
  ASSERT_EQ(back.cells.size(), 1U);
  EXPECT_EQ(back.cells[0].box.low, map.cells[0].box.low);
  EXPECT_EQ(back.cells[0].box.high, map.cells[0].box.high);
  EXPECT_EQ(back.cells[0].time.low, 1.5);
  EXPECT_EQ(back.cells[0].time.high, 2.5);
  EXPECT_EQ(back.cells[0].outcome, CellOutcome::diverges);
  ASSERT_EQ(back.points.size(), 3U);
  EXPECT_EQ(back.points[0].at, map.points[0].at);
  EXPECT_TRUE(std::ranges::equal(back.points[0].allocation, allocation));
  EXPECT_TRUE(std::ranges::equal(back.points[0].support, support));
  EXPECT_TRUE(std::ranges::equal(back.points[2].allocation, other));
  EXPECT_TRUE(std::ranges::equal(back.points[2].support, other_support));
  EXPECT_TRUE(back.points[0].clear);
  EXPECT_EQ(back.points[1].upper, 3.0);
  EXPECT_EQ(back.points[1].lower, 2.0);
  EXPECT_TRUE(back.points[1].allocation.empty());
}

}  // namespace
}  // namespace tasfg
