#include "job/expanded.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(GraphFiles, AreFoundBesideTheJobFileOrInTheWorkingDirectory) {
  const Folder folder;
  const std::string graph = folder.write("graphs/two.csv", "1,0\n0.5,1\n");
  const std::string job =
      folder.write("job.toml", "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"graphs/two.csv\"\n");
  const Grid beside = read_job(job, {}, &read_graph_csv);
  ASSERT_EQ(beside.cases.size(), 1U);
  EXPECT_EQ(beside.cases[0].K, 2);
  EXPECT_EQ(beside.cases[0].edges, 3U);
  EXPECT_EQ(beside.cases[0].label, "file path=graphs/two.csv");
  EXPECT_EQ(std::get<std::string>(beside.cases[0].parameters.find("path")->second), graph);
  EXPECT_EQ(beside.instance(CaseId(0)).graph()(1, 0), 0.5);
  EXPECT_EQ(beside.name, "job");
  // An absolute path stands as it is.
  const Grid absolute = expand("algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"" + graph + "\"\n");
  EXPECT_EQ(absolute.cases[0].key, beside.cases[0].key);
}

TEST(GraphFiles, TheFolderDoesNotChangeTheDigest) {
  const Folder here, there;
  const std::string text = "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"two.csv\"\n";
  static_cast<void>(here.write("two.csv", "1,0\n0.5,1\n"));
  static_cast<void>(there.write("two.csv", "1,0\n0.5,1\n"));
  const Grid first = read_job(here.write("job.toml", text), {}, &read_graph_csv);
  EXPECT_EQ(first.digest(), read_job(there.write("job.toml", text), {}, &read_graph_csv).digest());
  static_cast<void>(there.write("two.csv", "1,0\n0.25,1\n"));
  EXPECT_NE(first.digest(), read_job(there.write("job.toml", text), {}, &read_graph_csv).digest());
}

TEST(GraphFiles, ChangedUnderAGridAreNoticed) {
  const Folder folder;
  static_cast<void>(folder.write("two.csv", "1,0\n0.5,1\n"));
  const std::string job =
      folder.write("job.toml", "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"two.csv\"\n");
  const Grid grid = read_job(job, {}, &read_graph_csv);
  EXPECT_NO_THROW(static_cast<void>(grid.instance(CaseId(0))));
  static_cast<void>(folder.write("two.csv", "1,0\n0.25,1\n"));
  try {
    static_cast<void>(grid.instance(CaseId(0)));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              job + ": case 0 (file path=two.csv): the graph file has changed since the job was read");
  }
}

TEST(GraphFiles, ADatasetOfAFileBesideTheJobIsFoundToo) {
  const Folder folder;
  const std::string file = folder.write("graphs.h5", "not read here");
  const std::string job = folder.write(
      "job.toml",
      "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = [\"graphs.h5:G\", \"graphs.h5:H\"]\n");
  const Grid grid = read_job(job, {}, [](const std::string& path) -> FeedbackGraph {
    return {2, {1.0, path.ends_with(":G") ? 0.5 : 0.25, 0.0, 1.0}, path};
  });
  ASSERT_EQ(grid.cases.size(), 2U);
  EXPECT_EQ(std::get<std::string>(grid.cases[1].parameters.find("path")->second), file + ":H");
}

TEST(GraphSource, MayGiveGraphsThatAreInNoFile) {
  int asked = 0;
  const GraphSource kept = [&asked](const std::string& path) -> FeedbackGraph {
    ++asked;
    return {2, {1.0, 0.25, 0.0, 1.0}, path};
  };
  const Grid grid = expand_job("algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"gone.csv\"\n",
                               "jobs/test.toml", {}, kept);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(grid.instance(CaseId(0)).graph()(0, 1), 0.25);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(grid.at(CaseId(0)).means, (std::vector<double>{0.0, 1.0}));
}

}  // namespace
}  // namespace tasfg
