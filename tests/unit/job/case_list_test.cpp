#include "job/case_list.hpp"

#include <algorithm>
#include <set>

#include "job/expanded.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sim/content_key.hpp"

namespace tasfg {
namespace {

TEST(CaseList, BlocksAddUpInTheOrderOfTheFile) {
  const Grid grid = expand(
      "algorithms = [\"uniform\", \"exp3.g\"]\n[[graph]]\nfamily = \"ring\"\nK = [5, 7]\n[[graph]]\nfamily = "
      "\"bandit\"\nK = 3\n[[graph]]\nfamily = \"full\"\n");
  EXPECT_EQ(labels(grid),
            (std::vector<std::string>{"ring K=5 p=0.3", "ring K=7 p=0.3", "bandit K=3 p=1", "full K=5 p=1"}));
  EXPECT_EQ(grid.cells(), 8U);
  EXPECT_EQ(grid.largest_K, 7);
}

TEST(CaseList, InfeasibleCasesAreLeftOutWhereTheJobSaysSo) {
  const std::string block = "[[graph]]\nfamily = \"loopless-clique\"\np = [0, 0.5, 1]\n" + kRingBlock;
  const Grid grid = expand("algorithms = []\nskip_infeasible = true\n" + block);
  EXPECT_EQ(labels(grid),
            (std::vector<std::string>{"loopless-clique K=5 p=0.5 parity=paper",
                                      "loopless-clique K=5 p=1 parity=paper", "ring K=5 p=0.3"}));
  EXPECT_EQ(grid.left_out_infeasible, 1);
  EXPECT_EQ(grid.at(CaseId(2)).graph, "ring");
  for (const char* flag : {"", "skip_infeasible = false\n"})
    EXPECT_THROW(static_cast<void>(expand(std::string("algorithms = []\n") + flag + block)), InputError);
}

TEST(CaseList, LabelsNameMeansOnlyWhereTheyDifferFromTheFamilys) {
  const Grid same = expand(kRing + "means = {from = 0, to = 1, count = 5}");
  EXPECT_EQ(labels(same), std::vector<std::string>{"ring K=5 p=0.3"});
  EXPECT_EQ(same.digest(), expand(kRing).digest());
  // Long lists are told apart by a fingerprint.
  const Grid one = expand(kRing + "K = 30\nmeans = {from = 0, to = 2, count = 30}");
  const Grid other = expand(kRing + "K = 30\nmeans = {from = 0, to = 2, count = 30, scale = \"linear\"}");
  const Grid different =
      expand(kRing + "K = 30\nmeans = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2]");
  EXPECT_TRUE(one.cases[0].label.starts_with("ring K=30 p=0.3 means=0,..,2#")) << one.cases[0].label;
  EXPECT_EQ(one.cases[0].label, other.cases[0].label);
  EXPECT_NE(one.cases[0].label, different.cases[0].label);
}

TEST(CaseList, CasesCarryWhatTheirInstancesSay) {
  std::string text = "algorithms = [\"uniform\"]\n";
  for (const GraphFamily& family : graph_families())
    if (family.name != "file") text += "[[graph]]\nfamily = \"" + std::string(family.name) + "\"\n";
  const Grid grid = expand(text);
  ASSERT_EQ(grid.cases.size(), graph_families().size() - 1);
  std::set<std::string> distinct;
  for (std::size_t i = 0; i < grid.cases.size(); ++i) {
    const Case& entry = grid.cases[i];
    const Instance instance = grid.instance(CaseId(i));
    EXPECT_EQ(entry.K, instance.size());
    EXPECT_EQ(entry.best, instance.best());
    EXPECT_EQ(entry.means, instance.means());
    EXPECT_EQ(entry.edges, instance.graph().edge_count());
    EXPECT_EQ(entry.observability, graph_quantities(instance.graph()).observability) << entry.label;
    EXPECT_EQ(entry.key, content_key(instance));
    const GraphAndMeans made = make_graph(graph_family(entry.graph, "test"), entry.parameters, "test");
    const auto expected = made.graph.row_major();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), instance.graph().row_major().begin()));
    EXPECT_EQ(entry.parameters.size(), graph_family(entry.graph, "test").parameters.size());
    distinct.insert(entry.label);
  }
  EXPECT_EQ(distinct.size(), grid.cases.size());
}

}  // namespace
}  // namespace tasfg
