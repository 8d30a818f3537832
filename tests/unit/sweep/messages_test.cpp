#include "tasfg/sweep/messages.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

template <typename Kind, typename Message = ToCoordinator>
Kind sent(const Kind& kind) {
  return std::get<Kind>(unpack<Message>(pack<Message>(kind)));
}

TEST(Messages, ArriveAsTheyWereSent) {
  const auto opening = unpack<Opening>(pack(Opening{2, "a\nb", std::string("\0:", 2), {"K=3", ""}}));
  EXPECT_EQ(opening.status, 2);
  EXPECT_EQ(opening.text, "a\nb");
  EXPECT_EQ(opening.origin, std::string("\0:", 2));
  EXPECT_EQ(opening.overrides, (std::vector<std::string>{"K=3", ""}));

  const Hello hello = sent(Hello{4, 0xFFFFFFFFFFFFFFF1U, "n7", "no such file"});
  EXPECT_EQ(hello.threads, 4);
  EXPECT_EQ(hello.digest, 0xFFFFFFFFFFFFFFF1U);
  EXPECT_EQ(hello.host, "n7");
  EXPECT_EQ(hello.complaint, "no such file");

  EXPECT_TRUE(sent(Interrupted{true}).time_is_short);
  EXPECT_EQ((sent<Stop, ToWorker>({75}).status), 75);
  (void)sent(Bye{});
  (void)sent(Alive{});
  (void)sent<Alive, ToWorker>({});
  (void)sent<Drain, ToWorker>({});
  (void)sent<Cancel, ToWorker>({});
}

TEST(Messages, ALeaseArrivesWhole) {
  const Lease lease = sent<Lease, ToWorker>({{{ChunkId(9), TaskKind::solve, CellId(8), 7, 6, 0.5},
                                              {ChunkId(10), TaskKind::run, CellId(1), 0, 1, 0.0}}});
  ASSERT_EQ(lease.chunks.size(), 2U);
  EXPECT_EQ(lease.chunks[1].id, ChunkId(10));
  const Chunk& chunk = lease.chunks[0];
  EXPECT_EQ(chunk.id, ChunkId(9));
  EXPECT_EQ(chunk.kind, TaskKind::solve);
  EXPECT_EQ(chunk.cell, CellId(8));
  EXPECT_EQ(chunk.first, 7);
  EXPECT_EQ(chunk.count, 6);
  EXPECT_EQ(chunk.expected, 0.5);
}

TEST(Messages, AReportArrivesWhole) {
  Report report{{{ChunkId(3), 7, 1, 2}}, 0.25, {}, {}, {{1, -1, -1, "stalled"}, {0, 1, 5, ""}}};
  const RecordShape shape{.deltas = 2, .vertices = 3};
  RunRecord record;
  record.steps = 1LL << 60;
  record.tau = {5, 7};
  RunBatch runs;
  RunFormat(shape).append(runs, {CellId(4), 2}, 3, record);
  report.runs = {RunFormat(shape).pack(std::span(&runs, 1))};
  CaseSolution solution;
  solution.T_star = 128.1;
  solution.omega = {0.5, 0.25, 0.25};
  CaseFormat(shape).append(report.solutions, name_of(CaseId(1)), 3, solution);
  const Report got = sent(report);
  ASSERT_EQ(got.parts.size(), 1U);
  EXPECT_EQ(got.parts[0].chunk, ChunkId(3));
  EXPECT_EQ(got.parts[0].first, 7);
  EXPECT_EQ(got.parts[0].done, 1);
  EXPECT_EQ(got.parts[0].undone, 2);
  EXPECT_EQ(got.seconds, 0.25);
  ASSERT_EQ(got.runs.size(), 1U);
  EXPECT_EQ(got.runs[0].size(), 1);
  EXPECT_EQ(got.runs[0].stretches[0].begin(), (RunName{CellId(4), 2}));
  EXPECT_EQ(got.runs[0].values(), report.runs[0].values());
  EXPECT_EQ(RunFormat(shape).values(got.runs[0], &RunRecord::steps)[0], 1LL << 60);
  ASSERT_EQ(got.solutions.size(), 1U);
  EXPECT_EQ(got.solutions.name(0), name_of(CaseId(1)));
  EXPECT_EQ(got.solutions.columns, report.solutions.columns);
  ASSERT_EQ(got.failures.size(), 2U);
  EXPECT_EQ(got.failures[0].message, "stalled");
  EXPECT_EQ(got.failures[1].seed, 5);
}

TEST(Messages, RunsCostTheirBytesAndNoMore) {
  Report report;
  report.runs.emplace_back().bytes.assign(300'000, 'x');
  EXPECT_LT(pack<ToCoordinator>(report).size(), 3 * 100'000 + 200);
}

}  // namespace
}  // namespace tasfg
