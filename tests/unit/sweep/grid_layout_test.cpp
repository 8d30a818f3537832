#include "tasfg/sweep/grid_layout.hpp"

#include <cmath>
#include <fstream>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

using GridLayout = SmallStudy;

TEST_F(GridLayout, SaysWhatTheGridIs) {
  const ResultLayout layout = layout_of(grid_, {"1.2", "abc", "gcc"}, "0/3");
  EXPECT_EQ(layout.seed, 1U);
  EXPECT_EQ(layout.replications, kSeeds);
  EXPECT_EQ(layout.stream, "philox");
  EXPECT_EQ(layout.shard, "0/3");
  EXPECT_EQ(layout.git_commit, "abc");
  EXPECT_EQ(layout.job, kJob);
  ASSERT_EQ(layout.cases.size(), 2U);
  EXPECT_EQ(layout.cases[1].label, grid_.cases[1].label);
  EXPECT_EQ(layout.cases[1].K, 4);
  EXPECT_EQ(layout.cases[1].p, 0.3);
  EXPECT_TRUE(std::isnan(layout.cases[1].q)) << "a ring has none";
  EXPECT_EQ(layout.cases[1].variance, 1.0);
  EXPECT_EQ(layout.cases[1].key, grid_.cases[1].key.value);
  ASSERT_EQ(layout.algorithms.size(), 2U);
  EXPECT_EQ(layout.algorithms[1].name, "oracle");
  EXPECT_NE(layout.algorithms[0].digest, layout.algorithms[1].digest);
}

TEST_F(GridLayout, ProgramsWhoseRunsDifferDoNotShareAFile) {
  const ResultLayout layout = layout_of(grid_, {}, "");
  EXPECT_EQ(why_not_extension(layout, layout), "");
  ResultLayout other = layout;
  other.algorithms[1].digest ^= 1;
  EXPECT_EQ(why_not_extension(layout, other),
            "another tasfg, whose runs of oracle come out otherwise, made it");
}

TEST_F(GridLayout, AStudyIsReadFromAJobFileAndFromAResultFile) {
  std::ofstream(path("job.toml")) << kJob;
  const Grid from_job = read_study(path("job.toml"), {});
  EXPECT_EQ(from_job.digest(), grid_.digest());
  const WriterLock lock(path("out.h5"), nullptr);
  (void)ResultFile::create(path("out.h5"), layout_of(from_job, {}, ""), graphs_of(from_job), {}, lock);
  EXPECT_EQ(read_study(path("out.h5"), {}).digest(), grid_.digest());
  EXPECT_EQ(read_study(path("out.h5"), {"replications=11"}).replications, 11);
  EXPECT_THROW((void)read_study(path("none.toml"), {}), InputError);
}

TEST_F(GridLayout, GraphsAndShapesAreThoseOfTheGrid) {
  EXPECT_EQ(graphs_of(grid_)(CaseId(1)).size(), 4);
  const RecordShape shape = shape_of(grid_);
  EXPECT_EQ(shape.deltas, 1U);
  EXPECT_EQ(shape.vertices, 4U) << "of the largest graph";
  EXPECT_FALSE(shape.pulls_by_delta);
}

}  // namespace
}  // namespace tasfg
