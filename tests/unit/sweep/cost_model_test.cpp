#include "tasfg/sweep/cost_model.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tasfg/sweep/task_runner.hpp"

namespace tasfg {
namespace {

Grid grid_of(const std::string& top) {
  std::string algorithms;
  for (const AlgorithmRow& row : algorithm_rows()) algorithms += '"' + std::string(row.name) + "\",";
  return expand_job(top + "algorithms = [" + algorithms + "]\n[[graph]]\nfamily = \"ring\"\nK = [5, 10]\n",
                    "test.toml", {}, nullptr);
}

TEST(CostModel, PricesEveryAlgorithm) {
  const Grid grid = grid_of("delta = [0.01]\n");
  const CaseSolution solution = solve_case(grid, CaseId(0));
  for (AlgorithmId a; a.value() < grid.algorithms.size(); ++a) {
    SCOPED_TRACE(grid.at(a).algorithm.name);
    const double steps = expected_steps(grid, CaseId(0), a, solution);
    EXPECT_GT(steps, 10.0);
    EXPECT_LT(steps, 1e9);
    EXPECT_GT(seconds_per_step(grid, CaseId(0), a), 1e-9);
    EXPECT_LT(seconds_per_step(grid, CaseId(0), a), 1e-4);
    const double single = expected_single_steps(grid, CaseId(0), a, steps);
    EXPECT_GT(single, 10.0);
    EXPECT_LE(single, steps);
    EXPECT_GT(expected_seconds(grid, CaseId(0), a, solution), single * seconds_per_step(grid, CaseId(0), a));
  }
}

TEST(CostModel, KnowsWhereDrawsAreMadeAtOnce) {
  const Grid grid = grid_of("delta = [1e-8]\nmax_steps = 1e15\n");
  const Grid single = grid_of("delta = [1e-8]\nmax_steps = 1e15\nskip = false\n");
  for (AlgorithmId a; a.value() < grid.algorithms.size(); ++a) {
    SCOPED_TRACE(grid.at(a).algorithm.name);
    double before = 0.0;
    for (double steps = 10.0; steps < 1e15; steps *= 7.0) {
      const double with = expected_single_steps(grid, CaseId(0), a, steps);
      EXPECT_GT(with, before);
      before = with;
      EXPECT_EQ(expected_single_steps(single, CaseId(0), a, steps), steps);
    }
    const bool skips_here = skips(grid.at(a).algorithm);
    EXPECT_EQ(expected_single_steps(grid, CaseId(0), a, 1e12) < 0.2 * 1e12, skips_here);
  }
}

TEST(CostModel, PricesStepsOfLargerModelsAndOtherRewardsAsMeasured) {
  const auto prices = [](const std::string& graph, int K) {  // with Bernoulli rewards: TaS-FG, uniform
    std::string means = "0.8";
    for (int v = 1; v < K; ++v) means += fmt::format(", {}", 0.3 + 0.38 * v / K);
    const Grid grid = expand_job(fmt::format("algorithms = [\"tas-fg\", \"uniform\"]\nreward = "
                                             "\"bernoulli\"\n[[graph]]\n{}\nK = {}\nmeans = [{}]\n",
                                             graph, K, means),
                                 "test.toml", {}, nullptr);
    return std::pair{seconds_per_step(grid, CaseId(0), AlgorithmId(0)),
                     seconds_per_step(grid, CaseId(0), AlgorithmId(1))};
  };
  struct Measured {
    const char* graph;
    int K;
    double tas;  // seconds a step
  };
  for (const Measured& row : {Measured{"family = \"ring\"", 40, 12e-6},
                              {"family = \"ring\"", 100, 28e-6},
                              {"family = \"random\"\np = 0.2", 40, 22e-6},
                              {"family = \"random\"\np = 0.2", 100, 190e-6},
                              {"family = \"loopless-clique\"", 100, 20e-6}}) {
    SCOPED_TRACE(fmt::format("{}, K = {}", row.graph, row.K));
    const double price = prices(row.graph, row.K).first;
    EXPECT_GT(price, row.tas / 2.0);
    EXPECT_LT(price, row.tas * 2.0);
  }
  const double uniform = prices("family = \"ring\"", 40).second;
  EXPECT_GT(uniform, 75e-9 / 1.5);
  EXPECT_LT(uniform, 75e-9 * 1.5);
}

TEST(CostModel, HarderTasksCostMore) {
  const Grid easy = grid_of("delta = [0.1]\n"), hard = grid_of("delta = [0.1, 1e-9]\n");
  const AlgorithmId tas(0);
  const CaseSolution five = solve_case(easy, CaseId(0)), ten = solve_case(easy, CaseId(1));
  EXPECT_GT(expected_steps(hard, CaseId(0), tas, five), 2.0 * expected_steps(easy, CaseId(0), tas, five));
  EXPECT_GT(expected_steps(easy, CaseId(1), tas, ten), 2.0 * expected_steps(easy, CaseId(0), tas, five));
  EXPECT_GT(expected_solution_seconds(easy.at(CaseId(1))), expected_solution_seconds(easy.at(CaseId(0))));
}

TEST(CostModel, KnowsTheCapAndTheLastCheckpoint) {
  const AlgorithmId tas(0);
  const Grid capped = grid_of("delta = [1e-9]\nmax_steps = 20\n");
  EXPECT_EQ(expected_steps(capped, CaseId(0), tas, solve_case(capped, CaseId(0))), 20.0);
  const Grid watched = grid_of("delta = [0.1]\ncheckpoints = [10, 1000000]\n");
  EXPECT_EQ(expected_steps(watched, CaseId(0), tas, solve_case(watched, CaseId(0))), 1e6);
}

TEST(CostModel, PricesPrecision) {
  const auto runs = [](const std::string& top) {
    const Grid grid = grid_of("delta = [0.1, 0.001]\n" + top);
    return expected_runs(grid, CaseId(0), AlgorithmId(0), solve_case(grid, CaseId(0)));
  };
  EXPECT_EQ(runs("replications = 500\n"), 500.0);
  const double coarse = runs("replications = 1e6\nprecision = { mean = 0.1 }\n");
  const double fine = runs("replications = 1e6\nprecision = { mean = 0.02 }\n");
  EXPECT_EQ(coarse, static_cast<double>(look_from(static_cast<std::int64_t>(coarse))));
  EXPECT_NEAR(fine / coarse, 25.0, 8.0) << "but for the looks, like one over the square";
  EXPECT_EQ(runs("replications = 500\nprecision = { mean = 0.001 }\n"), 500.0);
  EXPECT_EQ(runs("replications = 500\nprecision = { mean = 0.9, minimum = 100 }\n"), 123.0);
}

}  // namespace
}  // namespace tasfg
