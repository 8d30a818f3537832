#include "tasfg/io/verification.hpp"

#include "io/made_results.hpp"

namespace tasfg {
namespace {

class VerificationTest : public InFolder {
 protected:
  /// A file with runs that a sweep could have made.
  [[nodiscard]] ResultFile made() const {
    const ResultLayout layout = a_full_layout();
    ResultFile file = create(path("x.h5"), layout);
    for (CellId cell; cell.value() < 6; ++cell) write(file, {cell, 3}, possible(layout, cell));
    write(file, CaseId(1), a_solution(5));
    return file;
  }
  static RunRecord possible(const ResultLayout& layout, CellId cell) {
    std::mt19937_64 random(cell.value());
    RunRecord run = a_run(layout, cell, TaskStatus::done, random);
    run.recommended = {0, 2};
    run.correct = run.stopped = {0, 1};
    run.checkpoint_recommended = {0, 1, 2};
    run.checkpoint_correct = {0, 1, -1};
    run.tau[0] = 0x1122334455667788;
    return run;
  }
  /// The damages found.
  [[nodiscard]] std::vector<std::string> damages() const {
    return ResultFile::open(path("x.h5"), Access::read).verify(100).list;
  }
};

using Lines = std::vector<std::string>;

TEST_F(VerificationTest, ASoundFileIsFoundSound) {
  const Verification found = made().verify(10);
  EXPECT_EQ(found.list, Lines{});
  EXPECT_EQ(found.runs, 6U);
  EXPECT_EQ(found.solutions, 1U);
  EXPECT_EQ(found.graphs, 2U);
  EXPECT_EQ(found.pending, 36U);
}

TEST_F(VerificationTest, DamagedRunsAreNamedUpToALimit) {
  (void)made();
  for (int i = 0; i < 6; ++i) damage(path("x.h5"), bytes_of(0x1122334455667788), bytes_of(1));
  const Verification found = ResultFile::open(path("x.h5"), Access::read).verify(2);
  EXPECT_EQ(found.damages, 6U);
  EXPECT_EQ(found.list, (Lines{"case 0 (a), tas-fg, seed 3: does not fit its checksum",
                               "case 0 (a), uniform, seed 3: does not fit its checksum"}));
}

TEST_F(VerificationTest, DamagedSolutionsGraphsAndCopiesOfTheHeaderAreNamed) {
  (void)made();
  damage(path("x.h5"), bytes_of(std::bit_cast<std::int64_t>(12.5)), bytes_of(1));  // T_star
  EXPECT_EQ(damages(), Lines{"the solution of case 1 (b): does not fit its checksum"});
  fs::remove(path("x.h5"));
  (void)made();
  damage(path("x.h5"), bytes_of(std::bit_cast<std::int64_t>(1.0 / 3.0)), bytes_of(0));
  EXPECT_EQ(damages(), (Lines{"edges/probability: does not fit its checksum",
                              "the graph of case 0 (a): does not fit its key"}));
  fs::remove(path("x.h5"));
  (void)made();
  const std::string seeds = bytes_of(4) + bytes_of(5) + bytes_of(6);
  damage(path("x.h5"), seeds, bytes_of(4) + bytes_of(5) + bytes_of(7));
  EXPECT_EQ(damages(), Lines{"runs/seed: is not what the header says"});
}

TEST_F(VerificationTest, WhatIsImpossibleIsNamedThoughItsChecksumFits) {
  const auto named = [&](auto change, const std::string& why) {
    fs::remove(path("x.h5"));
    ResultFile file = made();
    RunRecord run = possible(file.layout(), CellId(4));
    change(run);
    write(file, {CellId(4), 0}, run);
    EXPECT_EQ(damages(), Lines{"case 1 (b), uniform, seed 0: " + why});
  };
  named([](RunRecord& run) { run.recommended[1] = 5; }, "recommends a vertex that there is not");
  named([](RunRecord& run) { run.checkpoint_recommended[0] = -2; }, "recommends a vertex that there is not");
  named([](RunRecord& run) { run.stopped[0] = 2; }, "has an answer that is neither yes nor no");
  named([](RunRecord& run) { run.pulls[2] = -7; }, "has a negative number of draws");
  named([](RunRecord& run) { run.steps = -1; }, "has no results");
  named([](RunRecord& run) { run.status = static_cast<TaskStatus>(9); }, "does not fit its checksum");
}

TEST_F(VerificationTest, DamagedSittingsAndRunsOfNoneAreNamed) {
  (void)made();
  damage(path("x.h5"), "GCC, Release", "GCC, release");
  EXPECT_EQ(damages(), Lines{"sittings[0]: does not fit its checksum"});
  ResultFile file = ResultFile::open(path("x.h5"), Access::write);
  RunRecord run = possible(file.layout(), CellId(4));
  run.sitting = 1;
  write(file, {CellId(4), 0}, run);
  EXPECT_EQ(damages(), (Lines{"case 1 (b), uniform, seed 0: was made in a sitting that there is not",
                              "sittings[0]: does not fit its checksum"}));
}

TEST_F(VerificationTest, FailuresOfNoTaskAndAnOddStateAreNamed) {
  ResultFile file = made();
  file.add_failure({1, 0, 0, "fine"});
  file.add_failure({1000000, 0, 0, "x"});
  file.add_failure({0, -5, 0, "x"});
  file.write_live({"odd\x1b[", "", "", 1, 1, 1});
  EXPECT_EQ(damages(), (Lines{"failures[1]: is of a task that there is not",
                              "failures[2]: is of a task that there is not", "live/status = \"odd?[\""}));
}

}  // namespace
}  // namespace tasfg
