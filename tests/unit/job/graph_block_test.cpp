#include "job/graph_block.hpp"

#include <bit>
#include <cmath>

#include "job/expanded.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(GraphBlock, ParametersMultiplyInTheFamilysOrderTheFirstSlowest) {
  // Written in another order on purpose.
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nr = [0.1, 0.2]\nfamily = \"loopy-star\"\np = [0.3, 0.4]\nK = [6, 5]\n");
  EXPECT_EQ(labels(grid), (std::vector<std::string>{
                              "loopy-star K=6 p=0.3 q=0.25 r=0.1", "loopy-star K=6 p=0.3 q=0.25 r=0.2",
                              "loopy-star K=6 p=0.4 q=0.25 r=0.1", "loopy-star K=6 p=0.4 q=0.25 r=0.2",
                              "loopy-star K=5 p=0.3 q=0.25 r=0.1", "loopy-star K=5 p=0.3 q=0.25 r=0.2",
                              "loopy-star K=5 p=0.4 q=0.25 r=0.1", "loopy-star K=5 p=0.4 q=0.25 r=0.2"}));
  EXPECT_EQ(grid.largest_K, 6);
}

TEST(GraphBlock, ExpressionsFollowTheOtherParametersCaseByCase) {
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star-alt\"\nK = [5, 10]\nq = [0.25, 0.4]\nr = "
      "\"0.25*(1-2*q)/(K-1)\"\n");
  ASSERT_EQ(grid.cases.size(), 4U);
  // The family's own default of r is the same formula.
  const Grid defaults =
      expand("algorithms = []\n[[graph]]\nfamily = \"loopy-star-alt\"\nK = [5, 10]\nq = [0.25, 0.4]\n");
  EXPECT_EQ(labels(grid), labels(defaults));
  EXPECT_EQ(grid.digest(), defaults.digest());
}

TEST(GraphBlock, ExpressionsOfExpressionsAreOrderedByWhatTheyUse) {
  // p needs q, q needs r, r needs K: against the order of the table.
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\nK = [4, 8]\np = \"q/2\"\nq = \"r+0.1\"\nr = "
      "\"1/K\"\n");
  EXPECT_EQ(labels(grid), (std::vector<std::string>{"loopy-star K=4 p=0.175 q=0.35 r=0.25",
                                                    "loopy-star K=8 p=0.1125 q=0.225 r=0.125"}));
}

TEST(GraphBlock, ListsMayMixNumbersAndExpressions) {
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\nK = [4, 8]\nr = [0.3, \"1/K\", \"2/K\"]\n");
  EXPECT_EQ(parameter(grid, "r"), (std::vector<double>{0.3, 0.25, 0.5, 0.3, 0.125, 0.25}));
}

TEST(GraphBlock, ExpressionsMayUseDefaultsAndGiveWholeNumbers) {
  const Grid grid =
      expand("algorithms = []\n[[graph]]\nfamily = \"random\"\nK = \"floor(10*p)+1\"\nseed = \"2*K\"\n");
  EXPECT_EQ(labels(grid), std::vector<std::string>{"random K=6 p=0.5 q=0.1 r=1 seed=12"});
}

TEST(GraphBlock, WhereKeepsThePointsAtWhichItHolds) {
  const std::string block =
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\np = [0.1, 0.5, 0.9]\nq = [0.2, 0.6]\n";
  const Grid grid = expand(block + "where = \"p + q <= 1\"\n");
  EXPECT_EQ(parameter(grid, "p"), (std::vector<double>{0.1, 0.1, 0.5}));
  EXPECT_EQ(parameter(grid, "q"), (std::vector<double>{0.2, 0.6, 0.2}));
  EXPECT_EQ(grid.left_out_by_where, 3);
  const Grid both = expand(block + "where = [\"p + q <= 1\", \"q > 0.3\"]\n");
  EXPECT_EQ(parameter(both, "p"), std::vector<double>{0.1});
  EXPECT_EQ(both.left_out_by_where, 5);
}

TEST(GraphBlock, WhereIsAskedBeforeAnExpressionsValueIsRefused) {
  const std::string block =
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\np = [0.1, 0.9]\nr = \"0.5-p\"\n";
  EXPECT_EQ(parameter(expand(block + "where = \"r >= 0\"\n"), "p"), std::vector<double>{0.1});
  EXPECT_THROW(static_cast<void>(expand(block)), InputError);
  // A default that follows from others can be named, too.
  const Grid computed =
      expand("algorithms = []\n[[graph]]\nfamily = \"loopy-star-alt\"\nq = [0.1, 0.5]\nwhere = \"r > 0\"\n");
  EXPECT_EQ(parameter(computed, "q"), std::vector<double>{0.1});
}

TEST(GraphBlock, MinusZeroIsZero) {
  const std::string expected = "loopy-star K=5 p=0 q=0.25 r=0.25";
  for (const char* p : {"-0.0", "\"-0*q\"", "[-0.0]", "{from = -0.0, to = -0.0, count = 1}"})
    EXPECT_EQ(labels(expand(std::string("algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\np = ") + p)),
              std::vector<std::string>{expected})
        << p;
}

TEST(GraphBlock, RewardsMeansAndVarianceOfABlockWinOverThoseAtTheTop) {
  const Grid grid = expand(
      "algorithms = []\nreward = \"poisson\"\nmeans = [1, 2, 3]\nvariance = 4\n"
      "[[graph]]\nfamily = \"bandit\"\nK = 3\n"
      "[[graph]]\nfamily = \"full\"\nK = 3\nreward = \"gaussian\"\n"
      "[[graph]]\nfamily = \"ring\"\nK = 3\nreward = \"gaussian\"\nvariance = 0.5\nmeans = [0.5, 0.25, 0]\n");
  EXPECT_EQ(labels(grid), (std::vector<std::string>{"bandit K=3 p=1 poisson means=1,2,3",
                                                    "full K=3 p=1 variance=4 means=1,2,3",
                                                    "ring K=3 p=0.3 variance=0.5 means=0.5,0.25,0"}));
  EXPECT_TRUE(std::holds_alternative<Poisson>(grid.cases[0].reward));
  EXPECT_EQ(std::get<Gaussian>(grid.cases[1].reward).variance, 4.0);
  EXPECT_EQ(std::get<Gaussian>(grid.cases[2].reward).variance, 0.5);
  EXPECT_EQ(grid.cases[2].means, (std::vector<double>{0.5, 0.25, 0.0}));
  EXPECT_EQ(grid.cases[2].best, 0);
}

TEST(GraphBlock, MeansMayFollowFromTheVertexAndTheParameters) {
  const Grid grid = expand(kRing + "K = [3, 4]\np = [0.25, 0.5]\nmeans = \"p*floor(v/K) - 0*v\"");
  ASSERT_EQ(grid.cases.size(), 4U);
  EXPECT_EQ(grid.cases[0].means, (std::vector<double>{0.0, 0.0, 0.25}));
  EXPECT_EQ(grid.cases[3].means, (std::vector<double>{0.0, 0.0, 0.0, 0.5}));
  EXPECT_EQ(grid.cases[3].label, "ring K=4 p=0.5 means=0,0,0,0.5");
  for (const double mean : grid.cases[3].means) EXPECT_FALSE(std::signbit(mean));
  const Grid listed = expand(kRing + "means = [0.25, 0.5, 0.75, 1, 1.25]");
  EXPECT_EQ(expand(kRing + "means = \"v/4\"").digest(), listed.digest());
}

TEST(GraphBlock, RewardsMultiplyFastestAndVariancesMultiplyGaussianOnesAlone) {
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"bandit\"\nK = 3\np = [0.5, 1]\nreward = [\"gaussian\", "
      "\"bernoulli\"]\n"
      "variance = [1, 4]\nmeans = [0.2, 0.4, 0.6]\n");
  EXPECT_EQ(
      labels(grid),
      (std::vector<std::string>{
          "bandit K=3 p=0.5 means=0.2,0.4,0.6", "bandit K=3 p=0.5 variance=4 means=0.2,0.4,0.6",
          "bandit K=3 p=0.5 bernoulli means=0.2,0.4,0.6", "bandit K=3 p=1 means=0.2,0.4,0.6",
          "bandit K=3 p=1 variance=4 means=0.2,0.4,0.6", "bandit K=3 p=1 bernoulli means=0.2,0.4,0.6"}));
}

}  // namespace
}  // namespace tasfg
