#include "tasfg/io/result_file.hpp"

#include <cmath>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/writer_lock.hpp"

namespace tasfg {
namespace {

namespace fs = std::filesystem;

class ResultFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tasfg_" + std::to_string(::getpid()) + "_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

CaseInfo a_case(const std::string& label, int K) {
  CaseInfo info{"ring", label,        "K",          "gaussian", "weak", K, K - 1,
                0.3,    std::nan(""), std::nan(""), 1.0,        2 * K,  0, {}};
  info.key = std::hash<std::string>{}(label);
  for (int v = 0; v < K; ++v) info.means.push_back(v);
  return info;
}

ResultLayout a_layout() {
  ResultLayout layout;
  layout.seed = 0xFFFFFFFFFFFFFFF1ULL;
  layout.max_steps = 1000;
  layout.setting = "informed";
  layout.conventions = "paper";
  layout.threshold = "practical";
  layout.stream = "philox";
  layout.results_version = "2";
  layout.cases = {a_case("a", 3), a_case("b", 5)};
  layout.algorithms = {{"tas-fg", "period=2"}, {"uniform", ""}, {"exp3.g", ""}};
  layout.delta = {0.1, 0.01};
  layout.log_inv_delta = {2.302585092994046, 4.605170185988092};
  layout.replications = 7;
  layout.job = std::string(100'000, '#') + "\xCE\xB4 = 1\n";  // longer than an object header holds
  layout.created = iso_time();
  return layout;
}

/// A row with random values, as a run of `K` vertices would have.
std::vector<std::int64_t> a_row(const ResultLayout& layout, std::int64_t cell, std::int64_t seed,
                                TaskStatus status, std::mt19937_64& random) {
  std::vector<std::int64_t> words;
  const RowShape shape{layout.delta.size(), layout.vertices()};
  const RunRow row = append_row(words, shape, cell, seed);
  row.set_status(status);
  row.attempts() = 1;
  row.steps() = static_cast<std::int64_t>(random() >> 20);
  row.set_seconds(0.25);
  for (std::size_t d = 0; d < shape.deltas; ++d)
    row.set_verdict(d, {static_cast<std::int64_t>(random() >> 20), static_cast<std::int32_t>(random() % 3),
                        static_cast<std::int8_t>(random() % 2), static_cast<std::int8_t>(random() % 2)});
  const int K = layout.cases[static_cast<std::size_t>(cell) / layout.algorithms.size()].K;
  for (int v = 0; v < K; ++v)
    row.pulls()[static_cast<std::size_t>(v)] = static_cast<std::int64_t>(random() >> 30);
  return words;
}

CaseResult a_solution(int K) {
  CaseResult result;
  result.status = TaskStatus::done;
  result.T_star = 12.5;
  result.seconds = 0.1;
  result.alpha = 2;
  for (int v = 0; v < K; ++v) {
    result.omega.push_back(1.0 / K);
    result.omega_heuristic.push_back(0.5 / K);
    result.m.push_back(v);
  }
  return result;
}

const LiveState kLive{"running", "2026-01-01T00:00:00Z", "here,there", 3, 8};

TEST_F(ResultFileTest, GivesBackItsLayout) {
  const ResultLayout layout = a_layout();
  (void)ResultFile::create(path("x.h5"), layout, kLive);
  const ResultFile file = ResultFile::open(path("x.h5"), Access::read);
  const ResultLayout& read = file.layout();
  EXPECT_TRUE(same_grid(layout, read));
  EXPECT_EQ(read.job, layout.job);
  EXPECT_EQ(read.seed, layout.seed);
  EXPECT_EQ(read.created, layout.created);
  EXPECT_EQ(read.cases[1].means, layout.cases[1].means);
  EXPECT_EQ(read.cases[0].observability, "weak");
  EXPECT_EQ(read.delta, layout.delta);
  EXPECT_EQ(file.live().hosts, "here,there");
  EXPECT_EQ(file.live().threads, 8);
}

TEST_F(ResultFileTest, RowsInAnyOrderComeBackAsWritten) {
  const ResultLayout layout = a_layout();
  ResultFile file = ResultFile::create(path("x.h5"), layout, kLive);
  std::mt19937_64 random(1);
  std::vector<std::pair<std::int64_t, std::int64_t>> tasks;
  for (std::int64_t cell = 0; cell < 6; ++cell)
    for (std::int64_t seed = 0; seed < 7; ++seed)
      if (random() % 4 != 0) tasks.emplace_back(cell, seed);
  std::shuffle(tasks.begin(), tasks.end(), random);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> written;
  std::vector<std::int64_t> batch;
  for (const auto& [cell, seed] : tasks) {
    auto words = a_row(layout, cell, seed, random() % 5 == 0 ? TaskStatus::capped : TaskStatus::done, random);
    written[{cell, seed}] = words;
    batch.insert(batch.end(), words.begin(), words.end());
    if (random() % 6 == 0) {
      file.write_rows(batch);
      batch.clear();
    }
  }
  file.write_rows(batch);
  const ResultFile again = ResultFile::open(path("x.h5"), Access::read);
  for (std::int64_t cell = 0; cell < 6; ++cell) {
    const std::vector<std::int8_t> status = again.run_status(static_cast<std::size_t>(cell));
    for (std::int64_t seed = 0; seed < 7; ++seed) {
      const auto found = written.find({cell, seed});
      EXPECT_EQ(status[static_cast<std::size_t>(seed)] != 0, found != written.end());
      if (found != written.end()) {
        EXPECT_EQ(again.read_rows(static_cast<std::size_t>(cell), seed, 1), found->second);
      }
    }
  }
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::write).drop_torn(), 0U);
}

TEST_F(ResultFileTest, ACaseComesBackAsWritten) {
  const ResultLayout layout = a_layout();
  ResultFile file = ResultFile::create(path("x.h5"), layout, kLive);
  const CaseResult solution = a_solution(3);
  file.write_case(0, solution);
  EXPECT_EQ(file.read_case(0).to_words(), solution.to_words());
  EXPECT_EQ(CaseResult::from_words(solution.to_words()).to_words(), solution.to_words());
  EXPECT_EQ(file.read_case(1).status, TaskStatus::pending);
}

TEST_F(ResultFileTest, LiveStateChangesInPlaceAndLongTextsAreCut) {
  ResultFile file = ResultFile::create(path("x.h5"), a_layout(), kLive);
  LiveState state{"interrupted", "2030-12-31T23:59:59Z", std::string(3000, 'h'), 1234567890123, 7};
  const auto size = fs::file_size(path("x.h5"));
  file.write_live(state);
  EXPECT_EQ(fs::file_size(path("x.h5")), size);
  const LiveState read = ResultFile::open(path("x.h5"), Access::read).live();
  EXPECT_EQ(read.status, state.status);
  EXPECT_EQ(read.updated, state.updated);
  EXPECT_EQ(read.hosts, std::string(999, 'h'));
  EXPECT_EQ(read.ranks, state.ranks);
  EXPECT_TRUE(same_grid(a_layout(), ResultFile::open(path("x.h5"), Access::read).layout()));
}

TEST_F(ResultFileTest, CreationNeverReplacesAFile) {
  (void)ResultFile::create(path("x.h5"), a_layout(), kLive);
  EXPECT_THROW((void)ResultFile::create(path("x.h5"), a_layout(), kLive), InputError);
}

TEST_F(ResultFileTest, AnEmptyGridHasAFile) {
  ResultLayout layout = a_layout();
  layout.algorithms.clear();
  ResultFile file = ResultFile::create(path("x.h5"), layout, kLive);
  file.write_case(1, a_solution(5));
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::read).read_case(1).T_star, 12.5);
}

TEST_F(ResultFileTest, GrowingKeepsEveryRunThatStillCounts) {
  const ResultLayout held = a_layout();
  std::mt19937_64 random(2);
  ResultFile file = ResultFile::create(path("x.h5"), held, kLive);
  const auto done = a_row(held, 4, 6, TaskStatus::done, random);
  const auto capped = a_row(held, 4, 5, TaskStatus::capped, random);
  file.write_rows(done);
  file.write_rows(capped);
  file.write_case(1, a_solution(5));
  ResultLayout wanted = held;
  wanted.cases = {held.cases[1], a_case("c", 9), held.cases[0]};
  wanted.algorithms = {{"oracle", ""}, held.algorithms[1], held.algorithms[0], held.algorithms[2]};
  wanted.replications = 20;
  ASSERT_EQ(why_not_extension(held, wanted), "");
  const ResultFile grown = ResultFile::extend(path("x.h5"), wanted, kLive);
  EXPECT_EQ(grown.read_case(0).T_star, 12.5);
  const std::vector<std::int64_t> kept = grown.read_rows(1, 6, 1);  // case b is first, uniform second
  const ConstRunRow row(kept.data(), grown.shape());
  const ConstRunRow old(done.data(), {2, 5});
  EXPECT_EQ(row.status(), TaskStatus::done);
  EXPECT_EQ(row.verdict(1).tau, old.verdict(1).tau);
  EXPECT_EQ(row.pulls()[4], old.pulls()[4]);
  EXPECT_EQ(row.pulls()[5], -1);
  EXPECT_EQ(grown.run_status(1)[5], 2);
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::write).drop_torn(), 0U);

  ResultLayout longer = wanted;
  longer.max_steps = 5000;
  const ResultFile again = ResultFile::extend(path("x.h5"), longer, kLive);
  EXPECT_EQ(again.run_status(1)[6], 1);
  EXPECT_EQ(again.run_status(1)[5], 0) << "a capped run must run again";
}

TEST_F(ResultFileTest, AFileNeverLosesWhatItHolds) {
  const ResultLayout held = a_layout();
  const auto refuses = [&](auto change, const std::string& why) {
    ResultLayout wanted = held;
    change(wanted);
    EXPECT_NE(why_not_extension(held, wanted).find(why), std::string::npos)
        << why_not_extension(held, wanted);
  };
  refuses([](ResultLayout& l) { l.replications = 6; }, "7 replications");
  refuses([](ResultLayout& l) { l.cases.pop_back(); }, "case b");
  refuses([](ResultLayout& l) { l.cases[0].key = 1; }, "other contents");
  refuses([](ResultLayout& l) { l.algorithms[0].options = ""; }, "tas-fg with period=2");
  refuses([](ResultLayout& l) { l.log_inv_delta[1] = 4.7; }, "ln(1/delta)");
  refuses([](ResultLayout& l) { l.max_steps = 999; }, "max_steps");
  refuses([](ResultLayout& l) { l.seed = 1; }, "seed");
  refuses([](ResultLayout& l) { l.stream = "numpy"; }, "stream");
  refuses([](ResultLayout& l) { l.results_version = "3"; }, "results_version is 2, this job's is 3");
  refuses([](ResultLayout& l) { l.convention_points = "x"; }, "convention");
}

TEST_F(ResultFileTest, MergingTakesWhatIsSettledAndFindsContradictions) {
  const ResultLayout layout = a_layout();
  std::mt19937_64 random(3);
  ResultFile a = ResultFile::create(path("a.h5"), layout, kLive);
  ResultFile b = ResultFile::create(path("b.h5"), layout, kLive);
  const auto first = a_row(layout, 0, 0, TaskStatus::done, random);
  const auto second = a_row(layout, 5, 6, TaskStatus::done, random);
  a.write_rows(first);
  b.write_rows(second);
  auto failed = a_row(layout, 0, 0, TaskStatus::failed, random);
  b.write_rows(failed);  // done elsewhere: not failed
  ResultFile all = ResultFile::merge(path("all.h5"), {path("b.h5"), path("a.h5")});
  EXPECT_EQ(all.read_rows(0, 0, 1), first);
  EXPECT_EQ(all.read_rows(5, 6, 1), second);
  EXPECT_EQ(all.live().status, "interrupted");
  auto other = second;
  RunRow(other.data(), all.shape()).pulls()[0] += 1;
  a.write_rows(other);
  EXPECT_THROW((void)ResultFile::merge(path("new.h5"), {path("b.h5"), path("a.h5")}), InputError);
  EXPECT_FALSE(fs::exists(path("new.h5")));
}

TEST_F(ResultFileTest, FailuresAreKeptUpToTheRoomThereIs) {
  ResultFile file = ResultFile::create(path("x.h5"), a_layout(), kLive);
  for (int i = 0; i < 70; ++i) file.add_failure({1, 2, i, std::string(1000, 'x')});
  const std::vector<Failure> failures = file.failures();
  ASSERT_EQ(failures.size(), 64U);
  EXPECT_EQ(failures[63].seed, 63);
  EXPECT_EQ(failures[0].message, std::string(255, 'x'));
  EXPECT_EQ(file.retry_failed(), 0U);
  EXPECT_TRUE(file.failures().empty());
}

TEST_F(ResultFileTest, TheSizeOfAFileIsPredicted) {
  ResultLayout layout = a_layout();
  layout.replications = 5000;
  (void)ResultFile::create(path("x.h5"), layout, kLive);
  const auto size = static_cast<double>(fs::file_size(path("x.h5")));
  EXPECT_GE(static_cast<double>(file_size(layout)), size);
  EXPECT_LE(static_cast<double>(file_size(layout)), 1.1 * size);
}

TEST_F(ResultFileTest, OneLockAtATime) {
  {
    WriterLock lock(path("x.h5"), nullptr);
    EXPECT_TRUE(lock.beat());
    EXPECT_NE(writer_of(path("x.h5")), "");
    fs::remove(path("x.h5.lock"));
    EXPECT_FALSE(lock.beat()) << "somebody took it";
  }
  EXPECT_EQ(writer_of(path("x.h5")), "");
}

}  // namespace
}  // namespace tasfg
