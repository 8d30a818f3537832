#include "io/made_results.hpp"
#include "io/result_table.hpp"

namespace tasfg {
namespace {

template <typename Record>
std::vector<Column> columns_for(const ResultLayout& layout) {
  return columns_of(table<Record>(), Extents(layout), layout.shape());
}

TEST(RecordRows, ARecordComesBackFromItsColumns) {
  const ResultLayout layout = a_full_layout();
  const std::vector<Column> columns = columns_for<RunRecord>(layout);
  std::mt19937_64 random(1);
  const RunRecord put = a_run(layout, CellId(0), TaskStatus::capped, random);  // of 3 vertices, in room for 5
  BatchBytes batch;
  put_row(table<RunRecord>(), columns, RunRecord{}, 3, batch, 0, 1);
  put_row(table<RunRecord>(), columns, put, 3, batch, 4, 2);
  RunRecord got;
  get_row(table<RunRecord>(), columns, batch, 1, 3, got);
  EXPECT_EQ(batch.name(1), (RunName{CellId(4), 2}));
  EXPECT_EQ(got.status, TaskStatus::capped);
  EXPECT_EQ(got.steps, put.steps);
  EXPECT_EQ(got.tau, put.tau);
  EXPECT_EQ(got.stopped, put.stopped);
  EXPECT_EQ(got.pulls, put.pulls);
  EXPECT_EQ(got.pulls_at, put.pulls_at);
  EXPECT_EQ(got.checkpoint_T_ratio, put.checkpoint_T_ratio);
  RunRecord wide;
  get_row(table<RunRecord>(), columns, batch, 1, 5, wide);
  EXPECT_EQ(wide.pulls,
            (std::vector{put.pulls[0], put.pulls[1], put.pulls[2], std::int64_t{-1}, std::int64_t{-1}}))
      << "missing past K";
  RunRecord empty;
  get_row(table<RunRecord>(), columns, batch, 0, 3, empty);
  EXPECT_EQ(empty.tau, (std::vector<std::int64_t>{-1, -1}));
}

TEST(RecordRows, TextsHaveTheRoomOfTheLongestOrTheirOwn) {
  const std::vector<AlgorithmInfo> infos = {{"a", ""}, {"longest", "x=1"}};
  std::vector<Column> columns = columns_for<AlgorithmInfo>(a_layout());
  fit_texts(table<AlgorithmInfo>(), std::span(columns), std::span(infos));
  EXPECT_EQ(columns[0].value_bytes, 7U);
  EXPECT_EQ(columns[1].value_bytes, 3U);
  const std::vector<Column> failures = columns_for<Failure>(a_layout());
  BatchBytes batch;
  put_row(table<Failure>(), failures, Failure{0, 0, 0, std::string(300, 'm')}, 0, batch, 0, 0);
  Failure got;
  get_row(table<Failure>(), failures, batch, 0, 0, got);
  EXPECT_EQ(got.message, std::string(256, 'm'));
}

TEST(RecordRows, OnlyDatasetsThatTheJobAsksForAreThere) {
  const auto count = [](const ResultLayout& layout) { return columns_for<RunRecord>(layout).size(); };
  ResultLayout layout = a_layout();
  const std::size_t plain = count(layout);
  layout.pulls_by_delta = 1;
  EXPECT_EQ(count(layout), plain + 1);
  layout.checkpoints = {10};
  EXPECT_EQ(count(layout), plain + 4);
}

}  // namespace
}  // namespace tasfg
