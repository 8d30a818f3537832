#include "tasfg/sweep/team.hpp"

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

class TeamTest : public SmallStudy {
 protected:
  /// All messages until `tasks` tasks are done or given back.
  std::vector<ToCoordinator> until_back(std::int64_t tasks) {
    std::vector<ToCoordinator> messages;
    while (tasks > 0) {
      team_.wait(std::chrono::milliseconds(10));
      team_.receive([&](int from, ToCoordinator message) {
        EXPECT_EQ(from, 0);
        if (const auto* report = std::get_if<Report>(&message))
          for (const Part& part : report->parts) tasks -= part.done + part.undone;
        messages.push_back(std::move(message));
      });
    }
    return messages;
  }
  Link link_;
  Team team_{link_, grid_, 2};
};

TEST_F(TeamTest, RankZeroSaysHelloAndReportsLikeAnyOther) {
  EXPECT_TRUE(team_.alone());
  team_.order(0, {{ChunkId(5), TaskKind::run, CellId(0), 3, 1, 0.0}});
  const std::vector<ToCoordinator> messages = until_back(1);
  ASSERT_EQ(messages.size(), 2U);
  const auto& hello = std::get<Hello>(messages[0]);
  EXPECT_EQ(hello.threads, 2);
  EXPECT_EQ(hello.digest, grid_.digest());
  EXPECT_EQ(hello.complaint, "");
  const auto& report = std::get<Report>(messages[1]);
  ASSERT_EQ(report.parts.size(), 1U);
  EXPECT_EQ(report.parts[0].chunk, ChunkId(5));
  EXPECT_EQ(report.parts[0].first, 3);
  EXPECT_EQ(report.parts[0].done, 1);
}

TEST_F(TeamTest, DrainedItGivesOrdersBack) {
  team_.drain();
  team_.order(0, {{ChunkId(5), TaskKind::run, CellId(0), 0, 10, 0.0}});
  const std::vector<ToCoordinator> messages = until_back(10);
  EXPECT_EQ(std::get<Report>(messages.back()).parts.back().undone, 10);
}

TEST_F(TeamTest, WithoutOthersThereIsNobodyToWaitFor) {
  team_.beat();
  team_.cancel();
  team_.dismiss(0);
}

}  // namespace
}  // namespace tasfg
