#include "io/made_results.hpp"

#include "tasfg/io/result_file.hpp"

namespace tasfg {
namespace {

class ResultStructureTest : public InFolder {};

TEST_F(ResultStructureTest, GivesBackItsLayout) {
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

TEST_F(ResultStructureTest, DamageToWhatNeverChangesIsNoticed) {
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

TEST_F(ResultStructureTest, HoldsNoHeapsAndTreesOfHdf5) {
  // Their marks. HDF5 goes through damaged ones without care.
  ResultLayout layout = a_full_layout();
  layout.job = "replications = 5\n";  // one longer than 64 kB is in a heap
  (void)create(path("x.h5"), layout);
  std::ifstream in(path("x.h5"), std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(in), {});
  for (const char* mark : {"FRHP", "FHDB", "FHIB", "BTHD", "BTIN", "BTLF", "TREE", "SNOD", "HEAP", "GCOL"})
    EXPECT_EQ(all.find(mark), std::string::npos) << mark;
}

TEST_F(ResultStructureTest, TheSizeOfAFileIsPredicted) {
  for (ResultLayout layout : {a_layout(), a_full_layout()}) {
    fs::remove(path("x.h5"));
    layout.replications = 5000;
    (void)create(path("x.h5"), layout);
    const auto size = static_cast<double>(fs::file_size(path("x.h5")));
    EXPECT_GE(static_cast<double>(file_size(layout)), size);
    EXPECT_LE(static_cast<double>(file_size(layout)), 1.1 * size);
  }
}

}  // namespace
}  // namespace tasfg
