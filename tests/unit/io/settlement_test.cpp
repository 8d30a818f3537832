#include <limits>

#include "io/made_results.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

constexpr std::int64_t kRuns = 100;

/// A file whose cells of case 0 are to be precise. Seeds alternate between two stopping times.
class SettlementTest : public InFolder {
 protected:
  static ResultLayout layout(const std::string& precision = "mean=0.15 minimum=32") {
    ResultLayout made = a_layout();
    made.replications = kRuns;
    made.precision = precision;
    return made;
  }
  static RunRecord run_of(const ResultLayout& layout, CellId cell, std::int64_t seed, std::int64_t spread) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    RunRecord run = a_run(layout, cell, TaskStatus::done, random);
    run.tau = {100 + (seed % 2 == 0 ? spread : -spread), 200};
    run.stopped = run.correct = {1, 1};
    run.recommended = {0, 0};
    return run;
  }
  static void fill(ResultFile& file, std::size_t cell, std::int64_t first, std::int64_t last,
                   std::int64_t spread) {
    for (std::int64_t seed = first; seed < last; ++seed)
      write(file, {CellId(cell), seed}, run_of(file.layout(), CellId(cell), seed, spread));
  }
  static std::string statuses(const ResultFile& file, std::size_t cell) {
    std::string text;
    for (const TaskStatus each : file.run_values(&RunRecord::status, CellId(cell)))
      text += static_cast<char>('0' + static_cast<int>(each));
    return text;
  }
  static std::string runs(std::size_t done, std::size_t rest, char status) {
    return std::string(done, '1') + std::string(rest, status);
  }
};

// Half-widths at ±30 of 100: 0.14 with 32 runs (0.1230 before Student's term); at ±60: 0.27; 0.15 at 98 runs.
TEST_F(SettlementTest, RunsPastADecisionAreNotNeededAndLeaveNothing) {
  ResultFile file = create(path("a.h5"), layout());
  fill(file, 0, 0, 45, 30);  // 13 of them were run ahead
  fill(file, 1, 0, 45, 60);
  file.add_failure({0, 0, 40, "it was tried"});
  file.add_failure({0, 0, 3, "this one was needed"});
  const ResultFile::Settlement found = file.settle(CaseId(0));
  EXPECT_EQ(found.decisions[0].state, Decision::State::precise);
  EXPECT_EQ(found.decisions[0].n, 32);
  EXPECT_EQ(statuses(file, 0), runs(32, 68, '4'));
  EXPECT_EQ(found.decisions[1].state, Decision::State::waiting);
  EXPECT_EQ(found.decisions[1].n, 50);
  EXPECT_EQ(statuses(file, 1), runs(45, 55, '0'));
  EXPECT_EQ(statuses(file, 2), std::string(100, '0'));
  RunRecord none;
  none.status = TaskStatus::not_needed;
  EXPECT_EQ(text_of(file, file.read_run({CellId(0), 40}), 3), text_of(file, none, 3));
  EXPECT_EQ(file.drop_torn(), 0U);
  ASSERT_EQ(file.failures().size(), 1U);
  EXPECT_EQ(file.failures()[0].seed, 3);
  const Verification checked = file.verify(5);
  EXPECT_EQ(checked.list, std::vector<std::string>{}) << checked.list[0];
  EXPECT_EQ(checked.not_needed, 68U);
  EXPECT_EQ(checked.runs, 32U + 45U);
  // Nothing changes the second time.
  EXPECT_EQ(file.settle(CaseId(0)).decisions[0].n, 32);
  EXPECT_EQ(statuses(file, 0), runs(32, 68, '4'));
}

TEST_F(SettlementTest, CappedAndFailedRunsCountAsWhatTheyAre) {
  ResultFile file = create(path("a.h5"), layout());
  fill(file, 0, 0, 32, 0);
  RunRecord capped = run_of(file.layout(), CellId(0), 4, 0);
  capped.status = TaskStatus::capped;
  capped.tau = {100000, 200};
  capped.stopped = {0, 1};
  write(file, {CellId(0), 4}, capped);
  RunRecord failed;
  failed.status = TaskStatus::failed;
  write(file, {CellId(0), 5}, failed);
  const Decision found = file.decisions(CaseId(0))[0];
  EXPECT_EQ(found.state, Decision::State::precise);
  EXPECT_EQ(found.n, 32);
  EXPECT_EQ(found.width.interval.relative, 0.0) << "the median of what is known";
}

TEST_F(SettlementTest, AGrownPrecisionGoesOnAndALesserOneIsRefused) {
  {
    ResultFile file = create(path("a.h5"), layout());
    fill(file, 0, 0, 32, 30);
    (void)file.settle(CaseId(0));
  }
  EXPECT_NE(why_not_extension(layout(), layout("mean=0.2 minimum=32")), "");
  EXPECT_NE(why_not_extension(layout(""), layout()), "");
  EXPECT_EQ(why_not_extension(layout(), layout("")), "");
  EXPECT_FALSE(same_grid(layout(), layout("mean=0.1 minimum=32")));
  ResultFile grown = extend(path("a.h5"), layout("mean=0.1 minimum=32")).file;
  EXPECT_EQ(statuses(grown, 0), runs(32, 68, '0'));
  EXPECT_EQ(grown.decisions(CaseId(0))[0].n, 40);
  grown = extend(path("a.h5"), layout("")).file;
  EXPECT_EQ(statuses(grown, 0), runs(32, 68, '0'));
}

TEST_F(SettlementTest, MergingDecidesByTheRunsThatAreKept) {
  // One has a failed run and went on; the other was killed before it dropped what it had run ahead.
  ResultFile a = create(path("a.h5"), layout()), b = create(path("b.h5"), layout());
  fill(a, 0, 0, 40, 30);
  RunRecord failed;
  failed.status = TaskStatus::failed;
  write(a, {CellId(0), 5}, failed);
  fill(b, 0, 0, 36, 30);
  const ResultFile merged = merge(path("all.h5"), {path("a.h5"), path("b.h5")}).file;
  EXPECT_EQ(statuses(merged, 0), runs(32, 68, '4'));
  EXPECT_EQ(merged.live().status, "interrupted");
  // And one that lacks a run is not decided, whatever it said before.
  ResultFile c = create(path("c.h5"), layout());
  fill(c, 0, 0, 32, 30);
  (void)c.settle(CaseId(0));
  RunRecord torn = run_of(c.layout(), CellId(0), 31, 30);
  torn.status = TaskStatus::pending;
  write(c, {CellId(0), 31}, torn);
  const ResultFile alone = merge(path("alone.h5"), {path("c.h5")}).file;
  EXPECT_EQ(statuses(alone, 0), runs(31, 69, '0'));
}

}  // namespace
}  // namespace tasfg
