#include "tasfg/io/graph_file.hpp"

#include <algorithm>

#include "io/made_results.hpp"

namespace tasfg {
namespace {

class GraphFileTest : public InFolder {
 protected:
  [[nodiscard]] std::string refused(const std::string& name) const {
    return error_of<Error>([&] { (void)read_graph_file(path(name)); });
  }
};

TEST_F(GraphFileTest, TextIsReadAsCsv) {
  std::ofstream(path("g.csv")) << "0.5,1\n0,0.25\n";
  const FeedbackGraph graph = read_graph_file(path("g.csv"));
  EXPECT_TRUE(std::ranges::equal(graph.row_major(), std::vector{0.5, 1.0, 0.0, 0.25}));
}

TEST_F(GraphFileTest, ACaseOfAResultFileIsNamedByItsNumber) {
  (void)create(path("x.h5"), a_layout());
  const FeedbackGraph graph = read_graph_file(path("x.h5:/edges[1]"));
  EXPECT_TRUE(std::ranges::equal(graph.row_major(), a_graph(5).row_major()));
  EXPECT_TRUE(contains(refused("x.h5:/edges"), "holds the graphs of 2 cases; name one as "));
  for (const char* name : {"x.h5:/edges[2]", "x.h5:/edges[x]", "x.h5:/edges[-1]"})
    EXPECT_TRUE(contains(refused(name), "(there are: 0 (a), 1 (b))")) << refused(name);
}

TEST_F(GraphFileTest, OtherDatasetsMustBeSquareMatrices) {
  (void)create(path("x.h5"), a_layout());
  EXPECT_TRUE(contains(refused("x.h5"), "is a result file (name the graph of one of its cases as "))
      << refused("x.h5");
  EXPECT_TRUE(
      contains(refused("x.h5:cases/means"), "x.h5:cases/means: 2 x 5 values (the matrix must be square)"))
      << refused("x.h5:cases/means");
  EXPECT_TRUE(contains(refused("x.h5:cases/K"), "has 1 dimensions (must be a K x K matrix)"));
  EXPECT_TRUE(contains(refused("x.h5:cases/label"), "does not hold plain numbers"));
  EXPECT_TRUE(contains(refused("x.h5:nothing"), "x.h5:nothing: no such dataset"));
}

}  // namespace
}  // namespace tasfg
