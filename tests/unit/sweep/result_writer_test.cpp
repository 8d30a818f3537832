#include "tasfg/sweep/result_writer.hpp"

#include <fstream>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

#include "tasfg/sweep/report.hpp"

namespace tasfg {
namespace {

using ResultWriterTest = SmallSweep;

TEST_F(ResultWriterTest, SaysWhoWritesAndHowItEnded) {
  results_.add_rank("n7", 3);
  results_.add_rank("n8", 4);
  results_.close("complete");
  const LiveState live = file_.live();
  EXPECT_EQ(live.status, "complete");
  EXPECT_EQ(live.threads, 7);
  EXPECT_EQ(live.hosts, "here,n7,n8") << "hosts of earlier sittings stay";
}

TEST_F(ResultWriterTest, KeepsTheLock) {
  const auto text = [this] {
    std::ifstream in(path("out.h5.lock"));
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = text();
  EXPECT_TRUE(results_.keep(1.0));
  EXPECT_EQ(text(), before) << "not yet";
  EXPECT_TRUE(results_.keep(3.5));
  EXPECT_NE(text(), before);
}

TEST_F(ResultWriterTest, WritesNothingOnceTheLockIsLost) {
  std::ofstream(path("out.h5.lock")) << "another\t1\t1\tn9\tnow\t000000000001\n";
  EXPECT_FALSE(results_.keep(3.5));
  CaseBatch cases;
  CaseSolution solution;
  solution.status = TaskStatus::failed;
  file_.case_format().append(cases, name_of(CaseId(0)), 3, solution);
  results_.write_cases(cases);
  results_.write_attempts({CellId(0), 0}, std::vector<std::int32_t>{5});
  results_.add_failure(failure_of(cells_, CaseId(0), "why"));
  RunBatch runs;
  RunRecord record;
  record.status = TaskStatus::done;
  file_.run_format().append(runs, {CellId(0), 0}, 3, record);
  results_.write_runs(runs);
  results_.close("complete");
  EXPECT_EQ(file_.case_values(&CaseSolution::status)[0], TaskStatus::pending);
  EXPECT_EQ(file_.run_values(&RunRecord::attempts, CellId(0))[0], 0);
  EXPECT_EQ(file_.run_values(&RunRecord::status, CellId(0))[0], TaskStatus::pending);
  EXPECT_TRUE(file_.failures().empty());
  EXPECT_EQ(file_.live().status, "running");
  EXPECT_FALSE(results_.keep(100.0)) << "for good";
}

}  // namespace
}  // namespace tasfg
