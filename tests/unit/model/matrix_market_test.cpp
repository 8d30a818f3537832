#include "tasfg/model/matrix_market.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

std::vector<double> matrix(const std::string& text) {
  EXPECT_TRUE(is_matrix_market(text));
  const FeedbackGraph graph = parse_matrix_market(text, "G.mtx");
  return {graph.row_major().begin(), graph.row_major().end()};
}

TEST(MatrixMarket, ReadsEveryKind) {
  EXPECT_EQ(
      matrix("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 2 2\n1 2 0.25\n2 1 1e-1\n"),
      (std::vector<double>{0, 0.25, 0.1, 0}));
  EXPECT_EQ(matrix("%%MatrixMarket matrix coordinate pattern symmetric\r\n3 3 2\r\n1 1\r\n3 2\r\n"),
            (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(matrix("%%MatrixMarket matrix array real general\n2 2\n0.1\n0.2\n0.3\n0.4\n"),
            (std::vector<double>{0.1, 0.3, 0.2, 0.4}));  // down the columns
  EXPECT_EQ(matrix("%%MatrixMarket matrix array real symmetric\n3 3\n.1\n.2\n.3\n.4\n.5\n.6\n"),
            (std::vector<double>{.1, .2, .3, .2, .4, .5, .3, .5, .6}));
}

TEST(MatrixMarket, RefusesTheRest) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string& text :
       {std::string("%%MatrixMarket matrix coordinate complex general\n2 2 0\n"),
        std::string("%%MatrixMarket vector\n"), banner, banner + "2 3 0\n", banner + "2 2\n",
        banner + "2 2 1\n", banner + "2 2 1\n1 3 0.5\n", banner + "2 2 1\n0 1 0.5\n",
        banner + "2 2 1\n1 1 1.5\n", banner + "2 2 1\n1 1 nan\n", banner + "2 2 1\n1 1\n",
        banner + "2 2 2\n1 1 1\n1 1 1\n", banner + "2 2 1\n1 1 1\n1 2 1\n", banner + "9999999 9999999 0\n",
        banner + "1 1 1\n1 1 1\n"})
    EXPECT_THROW((void)parse_matrix_market(text, "G.mtx"), InputError) << text;
}

}  // namespace
}  // namespace tasfg
