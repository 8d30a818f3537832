#include "tasfg/sweep/team.hpp"

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

class TeamTest : public SmallStudy {
 protected:
  /// All messages until a chunk is closed.
  std::vector<ToCoordinator> until_closed() {
    std::vector<ToCoordinator> messages;
    for (bool closed = false; !closed;) {
      team_.wait(std::chrono::milliseconds(10));
      team_.receive([&](int from, ToCoordinator message) {
        EXPECT_EQ(from, 0);
        if (const auto* report = std::get_if<Report>(&message)) closed = report->closed;
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
  team_.order(0, {ChunkId(5), TaskKind::run, CellId(0), 3, 1, 0.0});
  const std::vector<ToCoordinator> messages = until_closed();
  ASSERT_EQ(messages.size(), 2U);
  const auto& hello = std::get<Hello>(messages[0]);
  EXPECT_EQ(hello.threads, 2);
  EXPECT_EQ(hello.digest, grid_.digest());
  EXPECT_EQ(hello.complaint, "");
  EXPECT_EQ(std::get<Report>(messages[1]).chunk, ChunkId(5));
}

TEST_F(TeamTest, DrainedItGivesOrdersBack) {
  team_.drain();
  team_.order(0, {ChunkId(5), TaskKind::run, CellId(0), 0, 10, 0.0});
  const std::vector<ToCoordinator> messages = until_closed();
  EXPECT_EQ(std::get<Report>(messages.back()).undone, 10);
}

TEST_F(TeamTest, WithoutOthersThereIsNobodyToWaitFor) {
  team_.beat();
  team_.cancel();
  team_.dismiss(0);
}

}  // namespace
}  // namespace tasfg
