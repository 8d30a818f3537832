#include "io/made_results.hpp"

#include "tasfg/io/result_file.hpp"

namespace tasfg {
namespace {

class ResultCopyTest : public InFolder {};

TEST_F(ResultCopyTest, GrowingKeepsEveryRunThatStillCounts) {
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
  const auto [grown, torn] = extend(path("x.h5"), wanted);
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
  const ResultFile again = extend(path("x.h5"), longer).file;
  EXPECT_EQ(status_of(again, 1, 6), TaskStatus::done);
  EXPECT_EQ(status_of(again, 1, 5), TaskStatus::pending) << "a capped run must run again";
}

TEST_F(ResultCopyTest, DeltasInAnotherOrderKeepTheirValues) {
  const ResultLayout held = a_full_layout();
  std::mt19937_64 random(3);
  ResultFile file = create(path("x.h5"), held);
  const RunRecord done = a_run(held, CellId(4), TaskStatus::done, random);
  write(file, {CellId(4), 6}, done);
  ResultLayout wanted = held;
  std::swap(wanted.delta[0], wanted.delta[1]);
  std::swap(wanted.log_inv_delta[0], wanted.log_inv_delta[1]);
  const ResultFile grown = extend(path("x.h5"), wanted).file;
  const RunRecord kept = grown.read_run({CellId(4), 6});
  EXPECT_EQ(kept.status, TaskStatus::done);
  EXPECT_EQ(kept.tau, (std::vector{done.tau[1], done.tau[0]}));
  EXPECT_EQ(kept.pulls_at[0], done.pulls_at[5]);
  EXPECT_EQ(kept.pulls_at[9], done.pulls_at[4]);
  EXPECT_EQ(kept.checkpoint_T_ratio, done.checkpoint_T_ratio);
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::write).drop_torn(), 0U);
}

TEST_F(ResultCopyTest, RunsThatLackWhatAGrownJobAsksForRunAgain) {
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
    const ResultFile grown = extend(path("x.h5"), wanted).file;
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

TEST_F(ResultCopyTest, CopyingNeverMakesATornRunSound) {
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
  const auto [merged, left_out] = merge(path("merged.h5"), {path("torn.h5")});
  EXPECT_EQ(left_out, 2U);
  EXPECT_EQ(status_of(merged, 4, 6), TaskStatus::pending);
  EXPECT_EQ(merged.read_case(CaseId(1)).status, TaskStatus::pending);
  EXPECT_EQ(merged.live().status, "interrupted");
  ResultLayout wanted = layout;
  wanted.replications = 9;
  const auto [grown, dropped] = extend(path("torn.h5"), wanted);
  EXPECT_EQ(dropped, 2U);
  EXPECT_EQ(status_of(grown, 4, 6), TaskStatus::pending);
  EXPECT_EQ(ResultFile::open(path("torn.h5"), Access::write).drop_torn(), 0U);
}

TEST_F(ResultCopyTest, MergingTakesWhatIsSettledAndFindsContradictions) {
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
  const ResultFile all = merge(path("all.h5"), {path("b.h5"), path("a.h5")}).file;
  EXPECT_EQ(text_of(all, all.read_run({CellId(0), 0}), 3), text_of(all, first, 3));
  EXPECT_EQ(text_of(all, all.read_run({CellId(5), 6}), 5), text_of(all, second, 5));
  EXPECT_EQ(all.live().status, "interrupted");
  EXPECT_EQ(ResultFile::open(path("all.h5"), Access::write).drop_torn(), 0U);
  second.pulls[0] += 1;
  write(a, {CellId(5), 6}, second);
  EXPECT_THROW((void)merge(path("new.h5"), {path("b.h5"), path("a.h5")}), InputError);
  EXPECT_FALSE(fs::exists(path("new.h5")));
}

TEST_F(ResultCopyTest, CopiesKeepWhichSittingMadeARun) {
  const ResultLayout layout = a_layout();
  std::mt19937_64 random(5);
  const auto made = [&](const std::string& name, const std::vector<std::string>& commits, std::int64_t seed) {
    ResultFile file = create(path(name), layout);
    for (const std::string& commit : commits) {
      file.begin_sitting(a_sitting(commit));
      write(file, {CellId(5), seed++}, a_run(layout, CellId(5), TaskStatus::done, random));
    }
  };
  const auto commits = [](const ResultFile& file) {
    std::vector<std::string> found;
    const std::vector<Sitting> sittings = file.sittings();
    for (const std::int32_t each : file.run_values(&RunRecord::sitting, CellId(5)))
      found.push_back(each < 0 ? "-" : sittings.at(static_cast<std::size_t>(each)).git_commit);
    return found;
  };
  made("a.h5", {"one", "two"}, 0);
  made("b.h5", {"three", "one"}, 3);
  const std::vector<std::string> wanted = {"one", "two", "-", "three", "one", "-", "-"};
  const ResultFile all = merge(path("all.h5"), {path("a.h5"), path("b.h5")}).file;
  EXPECT_EQ(commits(all), wanted);
  EXPECT_EQ(all.sittings().size(), 3U) << "what stands in both is one sitting";
  EXPECT_EQ(commits(merge(path("all.h5"), {path("b.h5")}).file), wanted);
  ResultLayout longer = layout;
  longer.max_steps = 5000;
  EXPECT_EQ(commits(extend(path("all.h5"), longer).file), wanted);
}

TEST_F(ResultCopyTest, FilesOfAnOlderFormatAreTakenAsTheyAre) {
  ResultLayout newer = a_full_layout();
  newer.weighted = false;  // there were no weights
  ResultLayout older = newer;
  older.format_minor = 0;
  std::mt19937_64 random(5);
  ResultFile file = create(path("old.h5"), older);
  RunRecord run = a_run(older, CellId(4), TaskStatus::done, random);
  run.recommended = {1, 2};
  run.checkpoint_recommended = {0, 0, 4};
  run.correct = run.stopped = {1, 0};
  run.checkpoint_correct = {0, 1, 1};
  write(file, {CellId(4), 6}, run);
  write(file, CaseId(1), a_solution(5));
  EXPECT_TRUE(file.sittings().empty());
  const std::uint32_t sum = file.read_run({CellId(4), 6}).checksum;
  const auto check = [&](const ResultFile& copy) {
    EXPECT_EQ(copy.layout().format_minor, kFormatMinor);
    const RunRecord kept = copy.read_run({CellId(4), 6});
    EXPECT_EQ(kept.status, TaskStatus::done);
    EXPECT_EQ(kept.checksum, sum);
    EXPECT_EQ(kept.pulls_at, run.pulls_at);
    EXPECT_EQ(kept.sitting, -1);
    EXPECT_EQ(copy.read_case(CaseId(1)).T_star, 12.5);
    EXPECT_EQ(copy.verify(10).list, std::vector<std::string>{});
  };
  check(merge(path("all.h5"), {path("old.h5")}).file);
  check(extend(path("old.h5"), newer).file);
}

TEST_F(ResultCopyTest, AMergedFileWithFailedTasksIsNotCalledComplete) {
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
    return merge(path("all.h5"), {path("a.h5")}).file.live().status;
  };
  EXPECT_EQ(merged(TaskStatus::capped, TaskStatus::done), "complete");
  EXPECT_EQ(merged(TaskStatus::failed, TaskStatus::done), "failed");
  EXPECT_EQ(merged(TaskStatus::done, TaskStatus::failed), "failed");
  EXPECT_EQ(merged(TaskStatus::failed, TaskStatus::pending), "interrupted");
}

TEST_F(ResultCopyTest, AShardIsNotTakenForTheOutput) {
  ResultLayout layout = a_layout();
  std::mt19937_64 random(8);
  for (const int i : {0, 1}) {
    layout.shard = std::to_string(i) + "/2";
    ResultFile part = create(path("part" + std::to_string(i) + ".h5"), layout);
    write(part, {CellId(i), 0}, a_run(layout, CellId(i), TaskStatus::done, random));
  }
  const std::string why =
      error_of<InputError>([&] { (void)merge(path("part0.h5"), {path("part1.h5")}); });  // merge part*.h5
  EXPECT_TRUE(contains(why, "part0.h5: is shard 0/2 of its job, and the first file is the one to make"))
      << why;
  EXPECT_EQ(ResultFile::open(path("part0.h5"), Access::read).layout().shard, "0/2");
  const ResultFile joined = merge(path("part0.h5"), {path("part1.h5"), path("part0.h5")}).file;
  EXPECT_EQ(joined.layout().shard, "");
  EXPECT_EQ(status_of(joined, 0, 0), TaskStatus::done);
  EXPECT_EQ(status_of(joined, 1, 0), TaskStatus::done);
  EXPECT_EQ(ResultFile::open(path("part0.h5"), Access::read).layout().shard, "");
  (void)merge(path("part0.h5"), {path("part1.h5")});  // it is the whole now
}

TEST_F(ResultCopyTest, ALinkStaysOne) {
  (void)create(path("real.h5"), a_layout());
  fs::create_directory(path("scratch"));
  fs::create_symlink("real.h5", path("out.h5"));
  fs::create_symlink("scratch/new.h5", path("new.h5"));
  (void)merge(path("out.h5"), {path("real.h5")});
  (void)merge(path("new.h5"), {path("real.h5")});
  EXPECT_TRUE(fs::is_symlink(path("out.h5")));
  EXPECT_TRUE(fs::is_symlink(path("new.h5")));
  EXPECT_TRUE(fs::is_regular_file(path("scratch/new.h5")));
}

/// Another process takes the lock away, as from one that was stopped for long.
void steal(const std::string& path) {
  fs::remove(path + ".lock");
  std::ofstream(path + ".lock") << "another\t1\t1\tn9\tnow\t000000000001\n";
}

TEST_F(ResultCopyTest, WhoHasLostTheLockReplacesNothing) {
  const ResultLayout held = a_layout();
  (void)create(path("x.h5"), held);
  ResultLayout wanted = held;
  wanted.replications = 9;
  const WriterLock lock(path("x.h5"), nullptr);
  const GraphOf slow = [&](CaseId c) {  // the lock is lost while the copy is made
    steal(path("x.h5"));
    return graphs_of(wanted)(c);
  };
  EXPECT_THROW((void)ResultFile::extend(path("x.h5"), wanted, slow, kLive, lock), BusyError);
  EXPECT_EQ(ResultFile::open(path("x.h5"), Access::read).layout().replications, 7);
  EXPECT_FALSE(fs::exists(path("x.h5.new-" + std::to_string(::getpid()))));
}

}  // namespace
}  // namespace tasfg
