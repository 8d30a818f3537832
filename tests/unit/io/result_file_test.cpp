#include "tasfg/io/result_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/graph_file.hpp"
#include "tasfg/io/stored_job.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/sim/content_key.hpp"

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

FeedbackGraph a_graph(int K) {
  std::vector<double> matrix(static_cast<std::size_t>(K) * static_cast<std::size_t>(K), 0.0);
  for (int v = 0; v < K; ++v)
    for (int u = v; u < K; ++u)
      matrix[static_cast<std::size_t>(v * K + u)] = 1.0 / (3.0 + v + u);  // not a short decimal
  return {K, std::move(matrix)};
}

CaseDescription a_case(const std::string& label, int K) {
  CaseDescription made;
  made.graph = "file";
  made.label = label;
  made.parameters = "path=folder/" + label + ".csv";
  made.reward = "gaussian";
  made.observability = "weak";
  made.K = K;
  made.best = K - 1;
  made.p = 0.3;
  made.variance = 1.0;
  for (int v = 0; v < K; ++v) made.means.push_back(v);
  const Instance instance(a_graph(K), made.means, Gaussian{1.0});
  made.edges = static_cast<std::int64_t>(instance.graph().edge_count());
  made.key = content_key(instance).value;
  return made;
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

/// The same with every dataset that a job can ask for.
ResultLayout a_full_layout() {
  ResultLayout layout = a_layout();
  layout.checkpoints = {10, 100, 1000};
  layout.pulls_by_delta = 1;
  return layout;
}

GraphOf graphs_of(const ResultLayout& layout) {
  return [layout](CaseId c) { return a_graph(layout.cases[c.value()].K); };
}

template <typename T>
std::vector<T> random_values(std::size_t n, std::mt19937_64& random) {
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<T>(random() % 100));
  return values;
}

/// A record with random values, as a run of that cell would have.
RunRecord a_run(const ResultLayout& layout, CellId cell, TaskStatus status, std::mt19937_64& random) {
  const std::size_t K = layout.K(layout.grid().case_of(cell));
  const std::size_t deltas = layout.delta.size();
  RunRecord run;
  run.status = status;
  run.attempts = 1;
  run.steps = static_cast<std::int64_t>(random() >> 20);
  run.seconds = 0.25;
  run.tau = random_values<std::int64_t>(deltas, random);
  run.recommended = random_values<std::int32_t>(deltas, random);
  run.correct = random_values<std::int8_t>(deltas, random);
  run.stopped = random_values<std::int8_t>(deltas, random);
  run.pulls = random_values<std::int64_t>(K, random);
  if (layout.pulls_by_delta != 0) run.pulls_at = random_values<std::int64_t>(deltas * K, random);
  run.checkpoint_recommended = random_values<std::int32_t>(layout.checkpoints.size(), random);
  run.checkpoint_correct = random_values<std::int8_t>(layout.checkpoints.size(), random);
  run.checkpoint_T_ratio = random_values<double>(layout.checkpoints.size(), random);
  return run;
}

/// All values of a record but its checksum, in the order of the table.
std::string text_of(const ResultFile& file, RunRecord run, std::size_t K) {
  RunBatch batch;
  run.checksum = 0;
  file.run_format().append(batch, {}, K, run);
  std::string all;
  for (const auto& column : batch.columns) all.append(column.begin(), column.end());
  return all;
}

void write(ResultFile& file, RunName name, const RunRecord& run) {
  RunBatch batch;
  file.run_format().append(batch, name, file.layout().K(file.layout().grid().case_of(name.cell)), run);
  file.write_runs(batch);
}
void write(ResultFile& file, CaseId case_id, const CaseSolution& solution) {
  CaseBatch batch;
  file.case_format().append(batch, name_of(case_id), file.layout().K(case_id), solution);
  file.write_cases(batch);
}
TaskStatus status_of(const ResultFile& file, std::size_t cell, std::size_t seed) {
  return file.run_values(&RunRecord::status, CellId(cell))[seed];
}

CaseSolution a_solution(std::size_t K) {
  CaseSolution solution;
  solution.status = TaskStatus::done;
  solution.T_star = 12.5;
  solution.seconds = 0.1;
  solution.alpha = 2;
  for (std::size_t v = 0; v < K; ++v) {
    solution.omega.push_back(1.0 / static_cast<double>(K));
    solution.omega_heuristic.push_back(0.5);
    solution.m.push_back(static_cast<double>(v));
  }
  solution.lower_bound = {20.0, 40.0};
  solution.practical_bound = {70.0, 90.0};
  return solution;
}

/// Overwrites bytes of the file where `pattern` first occurs.
void damage(const std::string& path, const std::string& pattern, const std::string& by) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  const std::size_t at = all.str().find(pattern);
  ASSERT_NE(at, std::string::npos);
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(at));
  out << by;
}
std::string bytes_of(std::int64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

const LiveState kLive{"running", "2026-01-01T00:00:00Z", "here,there", 3, 8, 5};

ResultFile create(const std::string& path, const ResultLayout& layout) {
  return ResultFile::create(path, layout, graphs_of(layout), kLive);
}

TEST_F(ResultFileTest, GivesBackItsLayout) {
  const ResultLayout layout = a_full_layout();
  (void)create(path("x.h5"), layout);
  const ResultFile file = ResultFile::open(path("x.h5"), Access::read);
  const ResultLayout& read = file.layout();
  EXPECT_TRUE(same_grid(layout, read));
  EXPECT_EQ(read.job, layout.job);
  EXPECT_EQ(read.shard, "");
  EXPECT_EQ(read.seed, layout.seed);
  EXPECT_EQ(read.created, layout.created);
  EXPECT_EQ(read.cases[0].means, layout.cases[0].means);
  EXPECT_EQ(read.cases[1].means, layout.cases[1].means);
  EXPECT_EQ(read.cases[0].observability, "weak");
  EXPECT_EQ(read.delta, layout.delta);
  EXPECT_EQ(read.checkpoints, layout.checkpoints);
  EXPECT_EQ(file.live().hosts, "here,there");
  EXPECT_EQ(file.live().threads, 8);
  EXPECT_EQ(file.live().generation, 5);
}

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
    RunBatch batch;
    const auto K = [&](RunName name) { return layout.K(layout.grid().case_of(name.cell)); };
    for (const RunName name : names) {
      written[name] =
          a_run(layout, name.cell, random() % 5 == 0 ? TaskStatus::capped : TaskStatus::done, random);
      file.run_format().append(batch, name, K(name), written[name]);
      if (random() % 6 == 0) {
        file.write_runs(batch);
        batch.clear();
      }
    }
    file.write_runs(batch);
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

TEST_F(ResultFileTest, ABatchArrivesAsItWasSent) {
  const ResultLayout layout = a_full_layout();
  const RunFormat format(layout.shape());
  std::mt19937_64 random(7);
  RunBatch sent;
  for (std::int64_t seed = 0; seed < 5; ++seed)
    format.append(sent, {CellId(2), seed}, 3, a_run(layout, CellId(2), TaskStatus::done, random));
  std::stringstream stream;
  boost::archive::binary_oarchive(stream) << static_cast<const BatchBytes&>(sent);
  RunBatch received;
  boost::archive::binary_iarchive(stream) >> static_cast<BatchBytes&>(received);
  EXPECT_EQ(received.columns, sent.columns);
  EXPECT_EQ(received.seeds, sent.seeds);
  received.append(sent);
  EXPECT_EQ(received.size(), 10U);
  EXPECT_TRUE(format.sound(received, 9, 3));
  format.values(received, &RunRecord::steps)[9] += 1;
  EXPECT_FALSE(format.sound(received, 9, 3));
}

TEST_F(ResultFileTest, AChecksumCoversEveryValueButTimingAndVerticesThatAreNotThere) {
  const ResultLayout layout = a_full_layout();
  const RunFormat format(layout.shape());
  std::mt19937_64 random(9);
  RunBatch batch;
  format.append(batch, {}, 3, a_run(layout, CellId(0), TaskStatus::done, random));
  const std::uint32_t sum = format.checksum(batch, 0, 3);
  std::size_t silent = 0;
  for (auto& column : batch.columns)
    for (unsigned char& byte : column) {
      byte ^= 0x40U;
      silent += format.checksum(batch, 0, 3) == sum ? 1 : 0;
      byte ^= 0x40U;
    }
  // seconds, attempts, checksum; two vertices past K in pulls, and at either δ in pulls_at
  EXPECT_EQ(silent, 8U + 4U + 4U + 2U * 8U + 2U * 2U * 8U);
}

TEST_F(ResultFileTest, ACaseComesBackAsWritten) {
  ResultFile file = create(path("x.h5"), a_layout());
  write(file, CaseId(0), a_solution(3));
  EXPECT_EQ(file.read_case(CaseId(0)).m, a_solution(3).m);
  EXPECT_EQ(file.read_case(CaseId(0)).practical_bound, a_solution(3).practical_bound);
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
  const FeedbackGraph by_name = read_graph_file(path("x.h5") + ":/edges[1]");
  EXPECT_TRUE(std::ranges::equal(by_name.row_major(), a_graph(5).row_major()));
  const auto fails = [&](const std::string& name, const std::string& why) {
    try {
      (void)read_graph_file(path("x.h5") + name);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  fails(":/edges", "holds the graphs of 2 cases; name one as");
  fails(":/edges[2]", "(there are: 0 (a), 1 (b))");
  fails(":/edges[x]", "(there are: 0 (a), 1 (b))");
}

TEST_F(ResultFileTest, AStoredJobFindsItsGraphsByTheNamesOfTheirFiles) {
  (void)create(path("x.h5"), a_layout());
  const auto job = find_stored_job(path("x.h5"), nullptr);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->text, a_layout().job);
  for (const char* name : {"folder/b.csv", "b.csv", "/home/me/folder/b.csv"})
    EXPECT_EQ(job->reader(name).size(), 5);
  for (const char* name : {"ab.csv", "older/b.csv"}) EXPECT_THROW((void)job->reader(name), InputError);
  std::ofstream(path("job.toml")) << "seed = 1\n";
  EXPECT_FALSE(find_stored_job(path("job.toml"), nullptr));
}

TEST_F(ResultFileTest, GrowingKeepsEveryRunThatStillCounts) {
  const ResultLayout held = a_layout();
  std::mt19937_64 random(2);
  ResultFile file = create(path("x.h5"), held);
  const RunRecord done = a_run(held, CellId(4), TaskStatus::done, random);
  write(file, {CellId(4), 6}, done);
  write(file, {CellId(4), 5}, a_run(held, CellId(4), TaskStatus::capped, random));
  write(file, CaseId(1), a_solution(5));
  const std::uint32_t sum = file.read_run({CellId(4), 6}).checksum;
  ResultLayout wanted = held;
  wanted.cases = {held.cases[1], a_case("c", 9), held.cases[0]};
  wanted.algorithms = {{"oracle", ""}, held.algorithms[1], held.algorithms[0], held.algorithms[2]};
  wanted.replications = 20;
  ASSERT_EQ(why_not_extension(held, wanted), "");
  const auto [grown, torn] = ResultFile::extend(path("x.h5"), wanted, graphs_of(wanted), kLive);
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(grown.read_case(CaseId(0)).T_star, 12.5);
  const RunRecord kept = grown.read_run({CellId(1), 6});  // case b is first, uniform second
  EXPECT_EQ(kept.status, TaskStatus::done);
  EXPECT_EQ(kept.tau, done.tau);
  EXPECT_EQ(kept.pulls, done.pulls);
  EXPECT_EQ(kept.checksum, sum) << "room for more vertices changes no checksum";
  EXPECT_EQ(status_of(grown, 1, 5), TaskStatus::capped);
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::write).drop_torn(), 0U);
  EXPECT_TRUE(std::ranges::equal(grown.graph(CaseId(1)).row_major(), a_graph(9).row_major()));

  ResultLayout longer = wanted;
  longer.max_steps = 5000;
  const ResultFile again = ResultFile::extend(path("x.h5"), longer, graphs_of(longer), kLive).file;
  EXPECT_EQ(status_of(again, 1, 6), TaskStatus::done);
  EXPECT_EQ(status_of(again, 1, 5), TaskStatus::pending) << "a capped run must run again";
}

TEST_F(ResultFileTest, DeltasInAnotherOrderKeepTheirValues) {
  const ResultLayout held = a_full_layout();
  std::mt19937_64 random(3);
  ResultFile file = create(path("x.h5"), held);
  const RunRecord done = a_run(held, CellId(4), TaskStatus::done, random);
  write(file, {CellId(4), 6}, done);
  ResultLayout wanted = held;
  std::swap(wanted.delta[0], wanted.delta[1]);
  std::swap(wanted.log_inv_delta[0], wanted.log_inv_delta[1]);
  const ResultFile grown = ResultFile::extend(path("x.h5"), wanted, graphs_of(wanted), kLive).file;
  const RunRecord kept = grown.read_run({CellId(4), 6});
  EXPECT_EQ(kept.status, TaskStatus::done);
  EXPECT_EQ(kept.tau, (std::vector{done.tau[1], done.tau[0]}));
  EXPECT_EQ(kept.pulls_at[0], done.pulls_at[5]);
  EXPECT_EQ(kept.pulls_at[9], done.pulls_at[4]);
  EXPECT_EQ(kept.checkpoint_T_ratio, done.checkpoint_T_ratio);
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::write).drop_torn(), 0U);
}

TEST_F(ResultFileTest, RunsThatLackWhatAGrownJobAsksForRunAgain) {
  const ResultLayout held = a_layout();
  const auto grows = [&](auto change) {
    ResultLayout wanted = held;
    change(wanted);
    fs::remove(path("x.h5"));
    std::mt19937_64 random(4);
    ResultFile file = create(path("x.h5"), held);
    const RunRecord done = a_run(held, CellId(4), TaskStatus::done, random);
    write(file, {CellId(4), 6}, done);
    write(file, {CellId(4), 5}, a_run(held, CellId(4), TaskStatus::failed, random));
    EXPECT_EQ(why_not_extension(held, wanted), "");
    const ResultFile grown = ResultFile::extend(path("x.h5"), wanted, graphs_of(wanted), kLive).file;
    const RunRecord kept = grown.read_run({CellId(4), 6});
    EXPECT_EQ(kept.status, TaskStatus::pending);
    EXPECT_EQ(kept.tau[0], done.tau[0]) << "what is known of a delta stays";
    EXPECT_EQ(status_of(grown, 4, 5), TaskStatus::failed);
    EXPECT_EQ(ResultFile::open(path("x.h5"), Access::write).drop_torn(), 0U);
    EXPECT_NE(why_not_extension(wanted, held), "");
  };
  grows([](ResultLayout& l) { l.checkpoints = {100}; });
  grows([](ResultLayout& l) { l.pulls_by_delta = 1; });
  grows([](ResultLayout& l) {
    l.delta.push_back(0.001);
    l.log_inv_delta.push_back(6.9);
  });
}

TEST_F(ResultFileTest, CopyingNeverMakesATornRunSound) {
  const ResultLayout layout = a_layout();
  std::mt19937_64 random(5);
  const auto make = [&](const std::string& name, bool torn) {
    ResultFile file = create(path(name), layout);
    RunRecord run = a_run(layout, CellId(4), TaskStatus::done, random);
    run.tau[0] = 0x1122334455667788;
    write(file, {CellId(4), 6}, run);
    CaseSolution solution = a_solution(5);
    solution.T_star = 1.2345e-67;
    write(file, CaseId(1), solution);
    if (!torn) return;
    damage(path(name), bytes_of(0x1122334455667788), bytes_of(0x1122334455667789));
    damage(path(name), bytes_of(std::bit_cast<std::int64_t>(1.2345e-67)), bytes_of(0));
  };
  make("torn.h5", true);
  const auto [merged, left_out] = ResultFile::merge(path("merged.h5"), {path("torn.h5")});
  EXPECT_EQ(left_out, 2U);
  EXPECT_EQ(status_of(merged, 4, 6), TaskStatus::pending);
  EXPECT_EQ(merged.read_case(CaseId(1)).status, TaskStatus::pending);
  EXPECT_EQ(merged.live().status, "interrupted");
  ResultLayout wanted = layout;
  wanted.replications = 9;
  const auto [grown, dropped] = ResultFile::extend(path("torn.h5"), wanted, graphs_of(wanted), kLive);
  EXPECT_EQ(dropped, 2U);
  EXPECT_EQ(status_of(grown, 4, 6), TaskStatus::pending);
  EXPECT_EQ(ResultFile::open(path("torn.h5"), Access::write).drop_torn(), 0U);
}

TEST_F(ResultFileTest, AFileNeverLosesWhatItHolds) {
  const ResultLayout held = a_full_layout();
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
  refuses([](ResultLayout& l) { l.checkpoints = {10, 1000}; }, "the checkpoint 100");
  refuses([](ResultLayout& l) { l.pulls_by_delta = 0; }, "pulls_at");
  refuses([](ResultLayout& l) { l.max_steps = 999; }, "max_steps");
  refuses([](ResultLayout& l) { l.seed = 1; }, "seed");
  refuses([](ResultLayout& l) { l.stream = "numpy"; }, "stream");
  refuses([](ResultLayout& l) { l.results_version = "3"; }, "results_version is 2, this job's is 3");
  refuses([](ResultLayout& l) { l.convention_points = "x"; }, "convention");
}

TEST_F(ResultFileTest, MergingTakesWhatIsSettledAndFindsContradictions) {
  const ResultLayout layout = a_full_layout();
  std::mt19937_64 random(3);
  ResultFile a = create(path("a.h5"), layout);
  ResultFile b = create(path("b.h5"), layout);
  const RunRecord first = a_run(layout, CellId(0), TaskStatus::done, random);
  RunRecord second = a_run(layout, CellId(5), TaskStatus::done, random);
  write(a, {CellId(0), 0}, first);
  write(b, {CellId(5), 6}, second);
  write(b, {CellId(0), 0},
        a_run(layout, CellId(0), TaskStatus::failed, random));  // done elsewhere: not failed
  const ResultFile all = ResultFile::merge(path("all.h5"), {path("b.h5"), path("a.h5")}).file;
  EXPECT_EQ(text_of(all, all.read_run({CellId(0), 0}), 3), text_of(all, first, 3));
  EXPECT_EQ(text_of(all, all.read_run({CellId(5), 6}), 5), text_of(all, second, 5));
  EXPECT_EQ(all.live().status, "interrupted");
  EXPECT_EQ(ResultFile::open(path("all.h5"), Access::write).drop_torn(), 0U);
  second.pulls[0] += 1;
  write(a, {CellId(5), 6}, second);
  EXPECT_THROW((void)ResultFile::merge(path("new.h5"), {path("b.h5"), path("a.h5")}), InputError);
  EXPECT_FALSE(fs::exists(path("new.h5")));
}

TEST_F(ResultFileTest, AMergedFileWithFailedTasksIsNotCalledComplete) {
  ResultLayout layout = a_layout();
  layout.replications = 1;
  layout.algorithms.resize(1);
  std::mt19937_64 random(6);
  const auto merged = [&](TaskStatus last, TaskStatus solution) {
    fs::remove(path("a.h5"));
    fs::remove(path("all.h5"));
    ResultFile a = create(path("a.h5"), layout);
    write(a, {CellId(0), 0}, a_run(layout, CellId(0), TaskStatus::done, random));
    write(a, {CellId(1), 0}, a_run(layout, CellId(1), last, random));
    write(a, CaseId(0), a_solution(3));
    CaseSolution other = a_solution(5);
    other.status = solution;
    write(a, CaseId(1), other);
    return ResultFile::merge(path("all.h5"), {path("a.h5")}).file.live().status;
  };
  EXPECT_EQ(merged(TaskStatus::capped, TaskStatus::done), "complete");
  EXPECT_EQ(merged(TaskStatus::failed, TaskStatus::done), "failed");
  EXPECT_EQ(merged(TaskStatus::done, TaskStatus::failed), "failed");
  EXPECT_EQ(merged(TaskStatus::failed, TaskStatus::pending), "interrupted");
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
  EXPECT_EQ(ResultFile::extend(path("x.h5"), wanted, graphs_of(wanted), kLive).file.failures().size(), 1U);
}

TEST_F(ResultFileTest, DamageToWhatNeverChangesIsNoticed) {
  const auto refused = [&](const std::string& pattern, const std::string& by, const std::string& why) {
    fs::remove(path("x.h5"));
    ResultLayout layout = a_layout();
    layout.job_name = "a name of its own";
    (void)create(path("x.h5"), layout);
    damage(path("x.h5"), pattern, by);
    try {
      (void)ResultFile::open(path("x.h5"), Access::read);
      ADD_FAILURE() << pattern;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused("path=folder/b.csv", "path=folder/c.csv", "cases/parameters cannot be read (damaged?)");
  refused("period=2", "period=3", "runs/algorithm_options cannot be read (damaged?)");
  refused(bytes_of(std::bit_cast<std::int64_t>(0.01)), bytes_of(std::bit_cast<std::int64_t>(0.02)),
          "delta cannot be read (damaged?)");
  refused("a name of its own", "a name of no  one", "damaged");  // HDF5's own checksums see it first

  fs::remove(path("x.h5"));
  (void)create(path("x.h5"), a_layout());
  const std::string edge = bytes_of(std::bit_cast<std::int64_t>(1.0 / 3.0));  // at (0, 0) of case a
  damage(path("x.h5"), edge, bytes_of(std::bit_cast<std::int64_t>(0.5)));
  const ResultFile file = ResultFile::open(path("x.h5"), Access::read);
  EXPECT_THROW((void)file.graph(CaseId(0)), InputError);
}

TEST_F(ResultFileTest, TheSizeOfAFileIsPredicted) {
  for (ResultLayout layout : {a_layout(), a_full_layout()}) {
    fs::remove(path("x.h5"));
    layout.replications = 5000;
    (void)create(path("x.h5"), layout);
    const auto size = static_cast<double>(fs::file_size(path("x.h5")));
    EXPECT_GE(static_cast<double>(file_size(layout)), size);
    EXPECT_LE(static_cast<double>(file_size(layout)), 1.1 * size);
  }
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
