#include "tasfg/io/result_file.hpp"

#include <algorithm>
#include <map>

#include "io/made_results.hpp"
#include <fmt/format.h>

namespace tasfg {
namespace {

class ResultFileTest : public InFolder {};

TEST_F(ResultFileTest, RunsInAnyOrderComeBackAsWritten) {
  for (const ResultLayout& layout : {a_layout(), a_full_layout()}) {
    fs::remove(path("x.h5"));
    ResultFile file = create(path("x.h5"), layout);
    std::mt19937_64 random(1);
    std::vector<RunName> names;
    for (CellId cell; cell.value() < 6; ++cell)
      for (std::int64_t seed = 0; seed < 7; ++seed)
        if (random() % 4 != 0) names.push_back({cell, seed});
    std::shuffle(names.begin(), names.end(), random);
    std::map<RunName, RunRecord> written;
    std::vector<RunBatch> batches(1);
    const auto K = [&](RunName name) { return layout.K(layout.grid().case_of(name.cell)); };
    for (const RunName name : names) {
      written[name] =
          a_run(layout, name.cell, random() % 5 == 0 ? TaskStatus::capped : TaskStatus::done, random);
      file.run_format().append(batches.back(), name, K(name), written[name]);
      if (random() % 6 == 0) {
        file.write_runs(batches);
        batches.clear();
      }
      if (batches.empty() || random() % 3 == 0) batches.emplace_back();
    }
    file.write_runs(batches);
    const ResultFile again = ResultFile::open(path("x.h5"), Access::read);
    for (CellId cell; cell.value() < 6; ++cell)
      for (std::int64_t seed = 0; seed < 7; ++seed) {
        const auto found = written.find({cell, seed});
        const bool settled =
            status_of(again, cell.value(), static_cast<std::size_t>(seed)) != TaskStatus::pending;
        EXPECT_EQ(settled, found != written.end());
        if (found == written.end()) continue;
        EXPECT_EQ(text_of(again, again.read_run(found->first), K(found->first)),
                  text_of(again, found->second, K(found->first)));
        EXPECT_EQ(again.read_run(found->first).pulls, found->second.pulls);
      }
    EXPECT_EQ(ResultFile::open(path("x.h5"), Access::write).drop_torn(), 0U);
  }
}

/// The bytes of one record, dataset by dataset in the order of the table.
template <typename Record>
std::vector<std::vector<unsigned char>> bytes_of(const Record& record, std::size_t K) {
  RecordBatch<Record> batch;
  RecordFormat<Record>(a_full_layout().shape()).append(batch, {}, K, record);
  return batch.columns;
}

/// So that what these tests say of a run and of a solution they say of every dataset.
template <typename Record>
void expect_no_missing_value(const Record& record, std::size_t K) {
  const auto made = bytes_of(record, K), missing = bytes_of(Record{}, K);
  for (std::size_t row = 0; row < made.size(); ++row) EXPECT_NE(made[row], missing[row]) << "row " << row;
}

TEST_F(ResultFileTest, RecordsOfTheseTestsHaveAValueInEveryDataset) {
  std::mt19937_64 random(3);
  expect_no_missing_value(a_run(a_full_layout(), CellId(3), TaskStatus::done, random), 5);
  expect_no_missing_value(a_solution(5), 5);
}

TEST_F(ResultFileTest, ACaseComesBackAsWritten) {
  ResultFile file = create(path("x.h5"), a_layout());
  write(file, CaseId(0), a_solution(3));
  EXPECT_EQ(bytes_of(file.read_case(CaseId(0)), 3), bytes_of(a_solution(3), 3));
  EXPECT_EQ(file.read_case(CaseId(0)).alpha, 2);
  EXPECT_EQ(file.read_case(CaseId(1)).status, TaskStatus::pending);
}

TEST_F(ResultFileTest, LiveStateChangesInPlaceAndLongTextsAreCut) {
  ResultFile file = create(path("x.h5"), a_layout());
  LiveState state{"interrupted", "2030-12-31T23:59:59Z", std::string(3000, 'h'), 1234567890123, 7, 6};
  const auto size = fs::file_size(path("x.h5"));
  file.write_live(state);
  EXPECT_EQ(fs::file_size(path("x.h5")), size);
  const LiveState read = ResultFile::open(path("x.h5"), Access::read).live();
  EXPECT_EQ(read.status, state.status);
  EXPECT_EQ(read.updated, state.updated);
  EXPECT_EQ(read.hosts, std::string(1000, 'h'));
  EXPECT_EQ(read.ranks, state.ranks);
  EXPECT_EQ(read.generation, 6);
  EXPECT_TRUE(same_grid(a_layout(), ResultFile::open(path("x.h5"), Access::read).layout()));
}

TEST_F(ResultFileTest, CreationNeverReplacesAFile) {
  (void)create(path("x.h5"), a_layout());
  EXPECT_THROW((void)create(path("x.h5"), a_layout()), InputError);
}

TEST_F(ResultFileTest, AnEmptyGridHasAFile) {
  ResultLayout layout = a_layout();
  layout.algorithms.clear();
  ResultFile file = create(path("x.h5"), layout);
  write(file, CaseId(1), a_solution(5));
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::read).read_case(CaseId(1)).T_star, 12.5);
}

TEST_F(ResultFileTest, GraphsComeBackBitForBit) {
  const ResultLayout layout = a_layout();
  (void)create(path("x.h5"), layout);
  const ResultFile file = ResultFile::open(path("x.h5"), Access::read);
  for (CaseId c; c.value() < 2; ++c) {
    const FeedbackGraph read = file.graph(c);
    const FeedbackGraph wanted = a_graph(layout.cases[c.value()].K);
    EXPECT_TRUE(std::ranges::equal(read.row_major(), wanted.row_major()));
  }
}

TEST_F(ResultFileTest, FailuresAreKeptUpToTheRoomThereIs) {
  ResultFile file = create(path("x.h5"), a_layout());
  for (int i = 0; i < 70; ++i)
    file.add_failure({1, 2, i % 7, std::string(1000, static_cast<char>('0' + i % 10))});
  const std::vector<Failure> failures = file.failures();
  ASSERT_EQ(failures.size(), 64U);
  EXPECT_EQ(failures[63].message, std::string(256, '3'));
  EXPECT_EQ(file.retry_failed(), 0U);
  EXPECT_TRUE(file.failures().empty());
}

TEST_F(ResultFileTest, RunsNameTheSittingThatMadeThem) {
  const ResultLayout layout = a_layout();
  std::mt19937_64 random(1);
  (void)create(path("x.h5"), layout);
  ResultFile file = ResultFile::open(path("x.h5"), Access::write);
  EXPECT_TRUE(file.sittings().empty()) << "a sitting that wrote nothing is not noted";
  const auto run = [&] { return a_run(layout, CellId(0), TaskStatus::done, random); };
  file.begin_sitting(a_sitting("old"));
  write(file, {CellId(0), 0}, run());
  file.begin_sitting(a_sitting("new", "2026-01-02T00:00:00Z"));
  write(file, {CellId(0), 1}, run());
  write(file, CaseId(1), a_solution(5));
  const std::vector<Sitting> sittings = file.sittings();
  ASSERT_EQ(sittings.size(), 2U);
  EXPECT_EQ(sittings[0].git_commit, "old");
  EXPECT_EQ(sittings[1].git_commit, "new");
  EXPECT_EQ(sittings[1].started, "2026-01-02T00:00:00Z");
  EXPECT_EQ(sittings[1].ranks, 3);
  EXPECT_EQ(file.run_values(&RunRecord::sitting, CellId(0)), (std::vector{0, 1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(file.read_case(CaseId(1)).sitting, 1);
}

TEST_F(ResultFileTest, SittingsBeyondTheRoomShareOneOfTheirProgram) {
  const ResultLayout layout = a_layout();
  std::mt19937_64 random(1);
  ResultFile file = create(path("x.h5"), layout);
  const auto made_in = [&](const Sitting& sitting) {
    file.begin_sitting(sitting);
    write(file, {CellId(0), 0}, a_run(layout, CellId(0), TaskStatus::done, random));
    return file.read_run({CellId(0), 0}).sitting;
  };
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(made_in(a_sitting(i < 10 ? "old" : "new", fmt::format("2026-01-01T00:00:{:02}Z", i))), i);
  EXPECT_EQ(made_in(a_sitting("old", "2026-02-01T00:00:00Z")), 9);
  EXPECT_EQ(made_in(a_sitting("new", "2026-02-01T00:00:00Z")), 63);
  EXPECT_EQ(made_in(a_sitting("another")), -1);
  EXPECT_EQ(file.sittings().size(), 64U);
}

TEST_F(ResultFileTest, IndicesThatAFileLacksAreNotBelieved) {
  ResultFile file = create(path("x.h5"), a_layout());
  file.add_failure({0x11223344, 0, 0, "x"});
  file.add_failure({0, 3, 0, "x"});
  file.add_failure({0, 0, 7, "x"});
  file.add_failure({1, -1, -1, "right"});
  ASSERT_EQ(file.failures().size(), 1U);
  EXPECT_EQ(file.failures()[0].message, "right");
  ResultLayout wanted = a_layout();
  wanted.replications = 9;
  EXPECT_EQ(extend(path("x.h5"), wanted).file.failures().size(), 1U);
}

TEST_F(ResultFileTest, TellsWhetherItIsStillAtItsPath) {
  const ResultFile file = create(path("x.h5"), a_layout());
  EXPECT_EQ(file.why_not_at_path(), "");
  fs::resize_file(path("x.h5"), fs::file_size(path("x.h5")) - 1);
  EXPECT_EQ(file.why_not_at_path(), "was cut short");
  fs::rename(path("x.h5"), path("y.h5"));
  EXPECT_EQ(file.why_not_at_path(), "was removed");
  fs::copy_file(path("y.h5"), path("x.h5"));
  EXPECT_EQ(file.why_not_at_path(), "was replaced by another file");
}

}  // namespace
}  // namespace tasfg
