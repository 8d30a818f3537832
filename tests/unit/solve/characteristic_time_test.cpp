#include "tasfg/solve/characteristic_time.hpp"

#include <cmath>
#include <numeric>

#include "solve/random_instances.hpp"
#include <gtest/gtest.h>

#include "tasfg/model/graph_families.hpp"
#include "tasfg/solve/allocations.hpp"

namespace tasfg {
namespace {

Instance make(std::string_view family, const Parameters& parameters, RewardFamily reward = Gaussian{1.0},
              std::vector<double> means = {}) {
  GraphAndMeans made = make_graph(graph_family(family, "test"), parameters, "test");
  return {std::move(made.graph), means.empty() ? std::move(made.means) : std::move(means), reward};
}

const ParameterValue kReference = std::string("reference");

TEST(CharacteristicTime, MatchesTheDesignsTestVectors) {
  const struct {
    Instance instance;
    double T;
  } rows[] = {
      {make("loopless-clique", {}), 128.133333},
      {make("loopless-clique", {{"parity", kReference}}), 128.014787},
      {make("loopless-clique", {{"K", 10.0}, {"parity", kReference}}), 648.00278},
      {make("loopless-clique", {{"K", 15.0}, {"parity", kReference}}), 1568.00114},
      {make("loopy-star", {}), 64.9838668},
      {make("loopy-star", {{"K", 10.0}}), 64.9838668},
      {make("loopy-star", {{"K", 15.0}}), 64.9838668},
      {make("ring", {}), 190.319147},
      {make("ring", {{"K", 10.0}}), 1005.087883},
      {make("ring", {{"K", 15.0}}), 2453.153703},
      {make("loopy-star-alt", {}), 121.926185},
      {make("loopy-star-alt", {{"K", 10.0}}), 190.954112},
      {make("loopy-star-alt", {{"K", 15.0}}), 252.855693},
      {make("symmetric", {}), 6.0},
      {make("bandit", {}), 142.96712},
      {make("bandit", {}, Bernoulli{}, {.3, .5, .45, .43, .4}), 1002.303588},
      {make("bandit", {}, Poisson{}, {1, 2, 1.5, 1.7, .5}), 186.313241},
      {make("bandit", {}, Exponential{}, {1, 2, 1.5, 1.7, .5}), 341.040400},
  };
  for (const auto& row : rows) {
    const CharacteristicTime time = characteristic_time(row.instance);
    EXPECT_EQ(time.status, SolveStatus::solved);
    EXPECT_NEAR(time.upper / row.T, 1.0, 5e-8);  // half a unit of the table's last digit, at worst
    EXPECT_LE(time.gap(), 1e-9);
    EXPECT_GE(time.gap(), -1e-13);
  }
}

TEST(CharacteristicTime, IsCertifiedOnTenThousandRandomInstances) {
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const Instance instance = testing::random_instance(i);
    const CharacteristicTime time = characteristic_time(instance);
    ASSERT_EQ(time.status, SolveStatus::solved) << i;
    ASSERT_LE(time.gap(), 1e-8) << i;
    ASSERT_GE(time.gap(), -1e-13) << i;
    ASSERT_NEAR(std::accumulate(time.allocation.begin(), time.allocation.end(), 0.0), 1.0, 1e-12) << i;
    for (const double w : time.allocation) ASSERT_GE(w, 0.0) << i;
  }
}

TEST(CharacteristicTime, LowerEndNeverExceedsAnyAllocationsValue) {
  PhiloxStream stream(stream_key(42));
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Instance instance = testing::random_instance(i, 2, 12);
    const ModelView model = view_of(instance);
    const double lower = characteristic_time(instance).lower;
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<double> omega(static_cast<std::size_t>(model.K));
      double total = 0.0;
      for (double& w : omega) total += w = std::pow(stream.uniform(), 4.0) + 1e-9;
      for (double& w : omega) w /= total;
      ASSERT_LE(lower, time_of(model, omega)) << i;
    }
    ASSERT_LE(lower, time_of(model, heuristic_allocation(model))) << i;
  }
}

TEST(CharacteristicTime, CertificateHoldsForAnyWeights) {
  PhiloxStream stream(stream_key(43));
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Instance instance = testing::random_instance(i, 2, 12);
    const ModelView model = view_of(instance);
    const double upper = characteristic_time(instance).upper;
    std::vector<double> weights(static_cast<std::size_t>(model.K)), omega(weights.size());
    for (double& w : weights) w = stream.uniform();
    for (double& w : omega) w = stream.uniform();
    ASSERT_LE(certified_lower(model, weights, omega), upper) << i;
  }
}

TEST(CharacteristicTime, DoesNotDependOnTheNumberingOfVertices) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Instance instance = testing::random_instance(i, 3, 15);
    const int K = instance.size();
    const auto n = static_cast<std::size_t>(K);
    std::vector<double> G(n * n), means(n);
    std::vector<std::size_t> order(n);
    for (std::size_t v = 0; v < n; ++v) order[v] = (v + 1) % n;
    for (std::size_t v = 0; v < n; ++v) {
      means[order[v]] = instance.means()[v];
      for (std::size_t u = 0; u < n; ++u)
        G[order[v] * n + order[u]] = instance.graph()(static_cast<int>(v), static_cast<int>(u));
    }
    const Instance permuted(FeedbackGraph(K, std::move(G)), std::move(means), instance.reward());
    const double T = characteristic_time(instance).upper;
    ASSERT_NEAR(characteristic_time(permuted).upper / T, 1.0, 3e-10) << i;
  }
}

TEST(CharacteristicTime, ScalesAsTheModelDemands) {
  // Gaussian: T is proportional to the variance, and to 1/p when every edge probability is scaled by p.
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Instance random = testing::random_instance(i, 2, 15);
    const Instance instance(random.graph(), random.means(), Gaussian{1.0});
    std::vector<double> halved(instance.graph().row_major().begin(), instance.graph().row_major().end());
    for (double& p : halved) p *= 0.5;
    const double T = characteristic_time(instance).upper;
    ASSERT_NEAR(characteristic_time({random.graph(), random.means(), Gaussian{4.0}}).upper / T, 4.0, 2e-9)
        << i;
    ASSERT_NEAR(
        characteristic_time({FeedbackGraph(instance.size(), halved), random.means(), Gaussian{1.0}}).upper /
            T,
        2.0, 1e-9)
        << i;
  }
}

TEST(CharacteristicTime, MoreFeedbackNeverHurts) {
  PhiloxStream stream(stream_key(44));
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Instance instance = testing::random_instance(i, 2, 15);
    std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
    for (double& p : G) p += (1.0 - p) * stream.uniform() * 0.1;
    const Instance richer(FeedbackGraph(instance.size(), G), instance.means(), instance.reward());
    ASSERT_LE(characteristic_time(richer).lower, characteristic_time(instance).upper) << i;
  }
}

TEST(CharacteristicTime, SaysThatTheOptimumIsAFaceAndReturnsItsCentre) {
  const CharacteristicTime symmetric = characteristic_time(make("symmetric", {}));
  EXPECT_EQ(symmetric.face_dimension, 1);
  EXPECT_NEAR(symmetric.allocation[0], 0.5, 1e-7);
  EXPECT_EQ(characteristic_time(make("ring", {{"K", 4.0}, {"p", 0.5}})).face_dimension > 0, true);
  EXPECT_GT(characteristic_time(make("loopless-clique", {{"p", 0.8}})).face_dimension, 0);
  EXPECT_EQ(characteristic_time(make("ring", {})).face_dimension, 0);
  EXPECT_EQ(characteristic_time(make("bandit", {})).face_dimension, 0);
  // Three copies of one revealing vertex: a face of dimension 2, centred at equal weights.
  const Instance copies(FeedbackGraph(3, {1, 1, 1, 1, 1, 1, 1, 1, 1}), {0, .3, 1}, Gaussian{1.0});
  const CharacteristicTime time = characteristic_time(copies);
  EXPECT_EQ(time.face_dimension, 2);
  for (const double w : time.allocation) EXPECT_NEAR(w, 1.0 / 3.0, 1e-6);
}

TEST(CharacteristicTime, CentresAFaceThatHasNoSymmetry) {
  // Vertices 0 and 1 show (a, u) at rates (.8, .2) and (.2, .8), vertex 2 at (.5, .5). Only Σ ω matters for
  // the best pair where the rates agree: the face is {(x, x, 1−2x)}, and Σ log ω peaks at x = 1/3.
  const Instance instance(FeedbackGraph(3, {.8, .2, .4, .2, .8, .4, .5, .5, .4}), {1, .5, -5}, Gaussian{1.0});
  const CharacteristicTime time = characteristic_time(instance);
  EXPECT_EQ(time.face_dimension, 1);
  EXPECT_NEAR(time.allocation[0], 1.0 / 3.0, 1e-7);
  EXPECT_NEAR(time.allocation[2], 1.0 / 3.0, 1e-7);
}

TEST(CharacteristicTime, CentresOfSimilarFacesAreSimilar) {
  // On the loopless clique the face has dimension 1, 6 or 11 from p = 0.55 on, and its centre moves smoothly
  // with p: no point may lie off its neighbours' middle.
  for (const double K : {5.0, 10.0, 15.0}) {
    std::vector<std::vector<double>> curve;
    for (int i = 0; i < 90; ++i)
      curve.push_back(
          characteristic_time(make("loopless-clique", {{"K", K}, {"p", 0.55 + 0.005 * i}})).allocation);
    for (std::size_t i = 1; i + 1 < curve.size(); ++i)
      for (std::size_t v = 0; v < curve[i].size(); ++v)
        ASSERT_NEAR(curve[i][v], 0.5 * (curve[i - 1][v] + curve[i + 1][v]), 1e-3)
            << "K=" << K << " point " << i;
  }
}

TEST(CharacteristicTime, GivesNoWeightToVerticesThatShowNothing) {
  const CharacteristicTime time = characteristic_time(make("revealing-action", {}));
  EXPECT_NEAR(time.allocation[0], 1.0, 1e-9);
  EXPECT_NEAR(time.upper, 64.0, 1e-6);  // (1 + 1)·2/(1/4)²
}

TEST(CharacteristicTime, SparseAndDensePathsAgree) {
  // K = 128 takes the sparse path; an extra edge of probability 0 cannot matter, a full row forces the dense
  // one.
  const Instance sparse = make("ring", {{"K", 128.0}});
  const CharacteristicTime time = characteristic_time(sparse);
  EXPECT_EQ(time.status, SolveStatus::solved);
  EXPECT_LE(time.gap(), 1e-9);
  std::vector<double> G(sparse.graph().row_major().begin(), sparse.graph().row_major().end());
  for (double& p : G) p = p == 0.0 ? 1e-13 : p;
  const CharacteristicTime dense =
      characteristic_time({FeedbackGraph(128, G), sparse.means(), Gaussian{1.0}});
  EXPECT_NEAR(dense.upper / time.upper, 1.0, 1e-8);
}

TEST(CharacteristicTime, SolvesLargeGraphs) {
  for (const char* family : {"ring", "bandit", "loopy-star", "revealing-action"}) {
    const CharacteristicTime time = characteristic_time(make(family, {{"K", 1000.0}}));
    EXPECT_EQ(time.status, SolveStatus::solved) << family;
    EXPECT_LE(time.gap(), 1e-9) << family;
  }
}

TEST(CharacteristicTimeSolver, WarmStartsReachTheSameValueInFewerIterations) {
  PhiloxStream stream(stream_key(45));
  long cold_iterations = 0, warm_iterations = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Instance instance = testing::random_instance(i, 3, 20);
    std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
    std::vector<double> means = instance.means();
    CharacteristicTimeSolver solver, fresh;
    (void)solver.solve_cold(view_of(instance), {});
    for (double& p : G) p *= 1.0 + 0.001 * (stream.uniform() - 0.5);
    const ModelView changed{instance.size(), G, means, instance.best(), &instance.reward()};
    const SolveInfo warm = solver.solve_warm(changed, {});
    const SolveInfo cold = fresh.solve_cold(changed, {});
    ASSERT_EQ(warm.status, SolveStatus::solved) << i;
    ASSERT_NEAR(warm.upper / cold.upper, 1.0, 3e-10) << i;
    cold_iterations += cold.iterations;
    warm_iterations += warm.iterations;
  }
  EXPECT_LT(warm_iterations, 0.6 * static_cast<double>(cold_iterations));
}

TEST(CharacteristicTimeSolver, FollowsSparseModelsByAStepOrTwo) {
  std::vector<double> means(100, 0.0);
  means.back() = 1.0;
  const Instance instance = make("torus", {{"K", 100.0}}, Gaussian{1.0}, means);
  const FeedbackGraph& graph = instance.graph();
  std::vector<double> values;
  for (int v = 0; v < 100; ++v)
    for (const Edge& edge : graph.out(v)) values.push_back(edge.probability);
  ModelView model = view_of(instance);
  model.graph = {};  // by their edges alone, and by values that are not the graph's
  model.edge_values = values;
  CharacteristicTimeSolver solver;
  SolveOptions options;
  options.gap = options.acceptable = 1e-2;
  ASSERT_EQ(solver.solve_cold(model, options).status, SolveStatus::solved);
  PhiloxStream stream(stream_key(51));
  int solved = 0, steps = 0;
  for (int round = 0; round < 300; ++round) {
    // As a draw of a vertex does that was drawn some thirty times.
    const std::size_t first = 4 * (static_cast<std::size_t>(round) * 37 % 100);
    for (std::size_t i = first; i < first + 4; ++i) values[i] += (stream.uniform() - values[i]) / 30.0;
    const SolveInfo info = solver.solve_warm(model, options);
    ASSERT_EQ(info.status, SolveStatus::solved);
    steps += info.iterations;
    solved += info.iterations > 0 ? 1 : 0;
    const double T = time_of(model, solver.allocation());
    ASSERT_LE(certified_lower(model, solver.weights(), solver.dual_point()), T);
    ASSERT_GE(certified_lower(model, solver.weights(), solver.dual_point()),
              T * (1.0 - options.gap) * (1 - 1e-9));
  }
  EXPECT_GT(solved, 100) << "models must move for this to show anything";
  EXPECT_LE(steps, solved + solved / 2);
}

TEST(CharacteristicTimeSolver, SolvesModelsInAnyOrderAsAFreshOneDoes) {
  CharacteristicTimeSolver solver;
  for (std::uint64_t i = 0; i < 600; ++i) {
    const Instance instance = testing::random_instance(i, 2, 20);
    CharacteristicTimeSolver fresh;
    const SolveInfo warm = solver.solve_warm(view_of(instance), {});
    const SolveInfo cold = fresh.solve_cold(view_of(instance), {});
    ASSERT_EQ(warm.status, SolveStatus::solved) << i;
    ASSERT_NEAR(warm.upper / cold.upper, 1.0, 3e-8) << i;
  }
}

TEST(CharacteristicTimeSolver, SolvesEstimatesAtTheEndOfTheRange) {
  // As after a few draws of Bernoulli rewards: the best mean is 1, where there is no variance; another is 0.
  const RewardFamily reward = Bernoulli{};
  for (const int K : {3, 7, 8, 13, 17}) {
    const auto n = static_cast<std::size_t>(K);
    std::vector<double> G(n * n, 0.5), means(n, 0.4);
    for (std::size_t u = 0; u < n; ++u) means[u] -= 0.01 * static_cast<double>(u);
    means[1] = 1.0;
    means[2] = 0.0;
    const ModelView model{K, G, means, 1, &reward};
    CharacteristicTimeSolver solver;
    EXPECT_EQ(solver.solve_cold(model, {}).status, SolveStatus::solved) << K;
    for (double& p : G) p *= 0.9;
    G[3] = 0.7;
    EXPECT_EQ(solver.solve_warm(model, {}).status, SolveStatus::solved) << K;
  }
}

TEST(CharacteristicTimeSolver, SaysWhenAVertexCannotBeObserved) {
  const RewardFamily reward = Gaussian{1.0};
  for (const std::size_t n : {2U, 5U, 7U, 8U, 11U, 16U, 21U}) {
    std::vector<double> means(n, 0.0);
    means[n / 2] = 1.0;
    const auto status_without = [&](std::vector<std::size_t> unseen) {
      std::vector<double> G(n * n, 1.0);
      for (const std::size_t u : unseen)
        for (std::size_t v = 0; v < n; ++v) G[v * n + u] = 0.0;
      CharacteristicTimeSolver solver;
      return solver.solve_cold({static_cast<int>(n), G, means, static_cast<int>(n / 2), &reward}, {}).status;
    };
    EXPECT_EQ(status_without({}), SolveStatus::solved) << n;
    EXPECT_EQ(status_without({0}), SolveStatus::infeasible) << n;
    EXPECT_EQ(status_without({n / 2}), SolveStatus::infeasible) << n;
    EXPECT_EQ(status_without({n / 2, n - 1}), SolveStatus::infeasible) << n;
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(status_without(all), SolveStatus::infeasible) << n;
  }
}

TEST(LoopyStarCurve, ShowsThePapersKinkAndTheExitOfTheLastVertex) {
  // q = 1, r = 1/4: vertices 2..4 leave the support at p = (13 − √105)/32.
  const auto middle = [](double p) {
    return characteristic_time(make("loopy-star", {{"p", p}, {"q", 1.0}})).allocation[1];
  };
  double low = 0.01, high = 0.3;
  while (high - low > 1e-6) {
    const double p = 0.5 * (low + high);
    (middle(p) > 1e-7 ? low : high) = p;
  }
  EXPECT_NEAR(low, (13.0 - std::sqrt(105.0)) / 32.0, 2e-5);
  // Vertex 5 leaves at p = (√5 − 1)/4.
  const auto last = [](double p) {
    return characteristic_time(make("loopy-star", {{"p", p}, {"q", 1.0}})).allocation[4];
  };
  low = 0.2, high = 0.45;
  while (high - low > 1e-6) {
    const double p = 0.5 * (low + high);
    (last(p) > 1e-7 ? low : high) = p;
  }
  EXPECT_NEAR(low, (std::sqrt(5.0) - 1.0) / 4.0, 2e-5);
}

}  // namespace
}  // namespace tasfg
