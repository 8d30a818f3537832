#include "io/result_table.hpp"

#include <algorithm>
#include <set>

#include "io/made_results.hpp"

namespace tasfg {
namespace {

/// Every dataset that a file can have.
std::vector<Column> all_columns() {
  const ResultLayout layout = a_full_layout();
  std::vector<Column> all;
  const auto add = [&]<typename Record>(const Table<Record>& of) {
    const std::vector<Column> columns = columns_of(of, Extents(layout), layout.shape());
    all.insert(all.end(), columns.begin(), columns.end());
  };
  add(table<RunRecord>());
  add(table<CaseDescription>());
  add(table<CaseSolution>());
  add(table<AlgorithmInfo>());
  add(table<EdgeRow>());
  add(table<Failure>());
  add(table<Sitting>());
  add(table<LiveState>());
  for (const Table<ResultLayout>& each : layout_tables()) add(each);
  return all;
}

TEST(ResultTable, EveryDatasetHasANameOfItsOwnAndSaysWhatItHolds) {
  std::set<std::string> paths;
  for (const Column& column : all_columns()) {
    EXPECT_TRUE(paths.insert(column.path()).second) << column.path();
    EXPECT_FALSE(column.long_name.empty()) << column.path();
    EXPECT_EQ(column.units.empty(), column.type == Stored::text) << column.path();
    EXPECT_LE(column.traits.since, kFormatMinor) << column.path() << ": newer than the format";
  }
}

TEST(ResultTable, AMemberIsStoredOnce) {
  const auto once = []<typename Record>(const Table<Record>& of) {
    for (const auto& a : of.datasets)
      EXPECT_EQ(std::count_if(of.datasets.begin(), of.datasets.end(),
                              [&](const auto& b) { return a.member == b.member; }),
                1)
          << a.name;
  };
  once(table<RunRecord>());
  once(table<CaseSolution>());
  once(table<CaseDescription>());
}

TEST(ResultTable, ChecksumsCoverTheStatusAndNeitherThemselvesNorTiming) {
  for (const Column& column : all_columns()) {
    if (column.group != "runs" && column.group != "cases") continue;
    for (const char* aside : {"checksum", "seconds", "attempts"})
      EXPECT_FALSE(column.name == aside && column.traits.summed) << column.path();
    EXPECT_TRUE(column.name != "status" || column.traits.summed) << column.path();
  }
}

TEST(ResultTable, DimensionsStandAroundTheRecordsOwn) {
  using enum Dimension;
  const std::vector<Column> all = all_columns();
  const auto dimensions = [&](const std::string& path) {
    return std::find_if(all.begin(), all.end(), [&](const Column& c) { return c.path() == path; })
        ->dimensions;
  };
  EXPECT_EQ(dimensions("runs/tau"), (std::vector{case_, algorithm, delta, seed}));
  EXPECT_EQ(dimensions("runs/pulls_at"), (std::vector{case_, algorithm, delta, seed, vertex}));
  EXPECT_EQ(dimensions("cases/lower_bound"), (std::vector{case_, delta}));
  EXPECT_EQ(dimensions("live/status"), std::vector<Dimension>{});
}

TEST(ResultTable, CoordinatesOfRunsAreDescriptionsOfCases) {
  EXPECT_TRUE(is_run_coordinate("label"));
  EXPECT_TRUE(is_run_coordinate("variance"));
  EXPECT_FALSE(is_run_coordinate("means"));
  EXPECT_FALSE(is_run_coordinate("T_star"));
}

}  // namespace
}  // namespace tasfg
