#include "tasfg/model/graph_quantities.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"
#include "tasfg/model/graph_families.hpp"

namespace tasfg {
namespace {

FeedbackGraph family(const std::string& name, const Parameters& parameters) {
  return make_graph(graph_family(name, "test"), parameters, "test").graph;
}

std::size_t cell(int K, int v, int u) {
  return static_cast<std::size_t>(v) * static_cast<std::size_t>(K) + static_cast<std::size_t>(u);
}

/// The graph with an edge wherever `edge(v, u)`.
template <typename Predicate>
FeedbackGraph graph_of(int K, Predicate edge) {
  std::vector<double> matrix(cell(K, K, 0), 0.0);
  for (int v = 0; v < K; ++v)
    for (int u = 0; u < K; ++u)
      if (edge(v, u)) matrix[cell(K, v, u)] = 0.5;
  return {K, std::move(matrix)};
}

/// Unlike the family "random" it leaves vertices unobservable when chance does.
FeedbackGraph random_graph(int K, double density, double loop_density, PhiloxStream& stream) {
  return graph_of(K, [&](int v, int u) { return stream.uniform() < (v == u ? loop_density : density); });
}

/// Vertex v of the result is vertex order[v] of `graph`.
FeedbackGraph permuted(const FeedbackGraph& graph, const std::vector<int>& order) {
  return graph_of(graph.size(), [&](int v, int u) {
    return graph.has_edge(order[static_cast<std::size_t>(v)], order[static_cast<std::size_t>(u)]);
  });
}

std::vector<int> random_order(int K, PhiloxStream& stream) {
  std::vector<int> order(static_cast<std::size_t>(K));
  std::iota(order.begin(), order.end(), 0);
  for (int i = K - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(stream.uniform() * static_cast<double>(i + 1))]);
  return order;
}

bool has(unsigned set, int v) {
  return (set >> v & 1U) != 0;
}

/// Tries every subset, straight from the definitions.
int brute_force_independence(const FeedbackGraph& graph) {
  const int K = graph.size();
  int best = 0;
  for (unsigned set = 0; set < 1U << K; ++set) {
    bool independent = true;
    for (int v = 0; v < K; ++v)
      for (int u = 0; u < K; ++u)
        if (v != u && has(set, v) && has(set, u) && graph.has_edge(v, u)) independent = false;
    if (independent) best = std::max(best, std::popcount(set));
  }
  return best;
}

int brute_force_domination(const FeedbackGraph& graph, const std::vector<int>& targets) {
  const int K = graph.size();
  int best = K + 1;
  for (unsigned set = 0; set < 1U << K; ++set) {
    const bool all = std::all_of(targets.begin(), targets.end(), [&](int u) {
      for (int v = 0; v < K; ++v)
        if (has(set, v) && graph.has_edge(v, u)) return true;
      return false;
    });
    if (all) best = std::min(best, std::popcount(set));
  }
  return best;
}

std::vector<int> vertices_where(int K, auto predicate) {
  std::vector<int> list;
  for (int v = 0; v < K; ++v)
    if (predicate(v)) list.push_back(v);
  return list;
}

bool observable(const FeedbackGraph& graph, int u) {
  for (int v = 0; v < graph.size(); ++v)
    if (graph.has_edge(v, u)) return true;
  return false;
}

bool strongly_observable(const FeedbackGraph& graph, int u) {
  bool all_others = true;
  for (int v = 0; v < graph.size(); ++v)
    if (v != u && !graph.has_edge(v, u)) all_others = false;
  return graph.has_edge(u, u) || all_others;
}

bool is_sorted_set(const std::vector<int>& set, int K) {
  return std::adjacent_find(set.begin(), set.end(), std::greater_equal<>()) == set.end() &&
         (set.empty() || (set.front() >= 0 && set.back() < K));
}

/// What must hold of every answer, exact or not.
void expect_sets_attain_their_ends(const FeedbackGraph& graph, const GraphQuantities& q) {
  const int K = graph.size();
  for (const auto* set :
       {&q.weak, &q.strong, &q.self_loops, &q.independent_set, &q.weak_dominating_set, &q.dominating_set})
    EXPECT_TRUE(is_sorted_set(*set, K));
  for (const Count& count : {q.independence, q.weak_domination, q.domination})
    EXPECT_LE(count.lower, count.upper);

  EXPECT_EQ(static_cast<int>(q.independent_set.size()), q.independence.lower);
  for (const int v : q.independent_set)
    for (const int u : q.independent_set) EXPECT_TRUE(v == u || !graph.has_edge(v, u)) << v << " " << u;

  EXPECT_EQ(static_cast<int>(q.weak_dominating_set.size()), q.weak_domination.upper);
  EXPECT_TRUE(dominates(graph, q.weak_dominating_set, q.weak));
  EXPECT_EQ(static_cast<int>(q.dominating_set.size()), q.domination.upper);
  EXPECT_TRUE(dominates(graph, q.dominating_set, q.strong));
  EXPECT_TRUE(dominates(graph, q.dominating_set, q.weak));
}

void expect_contains(const Count& count, int value) {
  EXPECT_LE(count.lower, value);
  EXPECT_GE(count.upper, value);
}

void expect_exactly(const Count& count, int value) {
  EXPECT_EQ(count.lower, value);
  EXPECT_EQ(count.upper, value);
}

/// Disjoint small random graphs whose quantities, found by trying all subsets, add up.
struct Union {
  FeedbackGraph graph;
  int independence = 0, weak_domination = 0, domination = 0;
};

Union random_union(int parts, int part_size, double density, PhiloxStream& stream) {
  std::vector<FeedbackGraph> graphs;
  int independence = 0, weak_domination = 0, domination = 0;
  for (int i = 0; i < parts; ++i) {
    graphs.push_back(random_graph(part_size, density, 0.3, stream));
    const FeedbackGraph& part = graphs.back();
    independence += brute_force_independence(part);
    domination +=
        brute_force_domination(part, vertices_where(part_size, [&](int v) { return observable(part, v); }));
    // In the union no vertex is seen by all the others, so a loop alone makes it strongly observable.
    weak_domination += brute_force_domination(
        part, vertices_where(part_size, [&](int v) { return observable(part, v) && !part.has_edge(v, v); }));
  }
  const int K = parts * part_size;
  const FeedbackGraph in_order = graph_of(K, [&](int v, int u) {
    return v / part_size == u / part_size &&
           graphs[static_cast<std::size_t>(v / part_size)].has_edge(v % part_size, u % part_size);
  });
  return {permuted(in_order, random_order(K, stream)), independence, weak_domination, domination};
}

struct Row {
  std::string family;
  double K;
  Observability observability;
  int independence, weak_domination;
  std::size_t self_loops;
};

TEST(GraphQuantities, MatchTheTableOfTheDesign) {
  const Row rows[] = {
      {"bandit", 5, Observability::strong, 5, 0, 5},
      {"full", 5, Observability::strong, 1, 0, 5},
      {"loopless-clique", 5, Observability::strong, 1, 0, 0},
      {"revealing-action", 5, Observability::weak, 4, 1, 1},
      {"ring", 5, Observability::weak, 2, 3, 0},
      {"loopy-star", 5, Observability::strong, 4, 0, 5},
      {"apple-tasting", 2, Observability::strong, 1, 0, 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.family);
    const FeedbackGraph graph = family(row.family, {{"K", row.K}});
    const GraphQuantities q = graph_quantities(graph);
    EXPECT_EQ(q.observability, row.observability);
    expect_exactly(q.independence, row.independence);
    expect_exactly(q.weak_domination, row.weak_domination);
    EXPECT_EQ(q.self_loops.size(), row.self_loops);
    expect_sets_attain_their_ends(graph, q);
  }
}

TEST(GraphQuantities, ListTheSetsThatTheyCount) {
  const GraphQuantities q = graph_quantities(family("revealing-action", {{"K", 4.0}}));
  EXPECT_EQ(q.strong, (std::vector<int>{0}));
  EXPECT_EQ(q.weak, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(q.self_loops, (std::vector<int>{0}));
  EXPECT_EQ(q.independent_set, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(q.weak_dominating_set, (std::vector<int>{0}));
  EXPECT_EQ(q.dominating_set, (std::vector<int>{0}));
}

TEST(GraphQuantities, CallAVertexSeenByAllTheOthersStronglyObservable) {
  // Vertex 2 has no loop: 0 and 1 show it. Vertex 1 is seen by 0 alone, vertex 0 by itself.
  const GraphQuantities q =
      graph_quantities(graph_of(3, [](int v, int u) { return u == 2 ? v != 2 : v == 0; }));
  EXPECT_EQ(q.strong, (std::vector<int>{0, 2}));
  EXPECT_EQ(q.weak, (std::vector<int>{1}));
  EXPECT_EQ(q.observability, Observability::weak);
  expect_exactly(q.weak_domination, 1);
}

TEST(GraphQuantities, LeaveAnUnobservableVertexOutOfWeakAndStrongAndOfDomination) {
  // 0 shows itself and 1; nothing shows 2.
  const FeedbackGraph graph = graph_of(3, [](int v, int u) { return v == 0 && u < 2; });
  const GraphQuantities q = graph_quantities(graph);
  EXPECT_EQ(q.observability, Observability::none);
  EXPECT_EQ(q.strong, (std::vector<int>{0}));
  EXPECT_EQ(q.weak, (std::vector<int>{1}));
  expect_exactly(q.weak_domination, 1);
  expect_exactly(q.domination, 1);
  expect_exactly(q.independence, 2);
  expect_sets_attain_their_ends(graph, q);
}

TEST(GraphQuantities, OfAGraphWithoutEdgesAreKIndependentVerticesAndNothingToDominate) {
  for (const int K : {2, 64, 65}) {
    const FeedbackGraph graph = graph_of(K, [](int, int) { return false; });
    const GraphQuantities q = graph_quantities(graph);
    EXPECT_EQ(q.observability, Observability::none);
    EXPECT_TRUE(q.weak.empty() && q.strong.empty() && q.self_loops.empty());
    expect_exactly(q.independence, K);
    expect_exactly(q.weak_domination, 0);
    expect_exactly(q.domination, 0);
    expect_sets_attain_their_ends(graph, q);
  }
}

TEST(GraphQuantities, CountAnEdgeOfEitherDirectionAsDependence) {
  const GraphQuantities down = graph_quantities(graph_of(3, [](int v, int u) { return v > u; }));
  const GraphQuantities up = graph_quantities(graph_of(3, [](int v, int u) { return v < u; }));
  expect_exactly(down.independence, 1);
  expect_exactly(up.independence, 1);
}

TEST(GraphQuantities, AgreeWithTryingAllSubsetsOnSmallRandomGraphs) {
  PhiloxStream stream(stream_key(1));
  for (const double density : {0.05, 0.15, 0.3, 0.5, 0.8})
    for (const double loop_density : {0.0, 0.3, 0.8})
      for (int repeat = 0; repeat < 24; ++repeat) {
        const int K = 2 + repeat % 8;
        const FeedbackGraph graph = random_graph(K, density, loop_density, stream);
        SCOPED_TRACE(testing::Message() << "K " << K << " density " << density << " loops " << loop_density
                                        << " repeat " << repeat);
        const GraphQuantities q = graph_quantities(graph);
        const auto seen = vertices_where(K, [&](int v) { return observable(graph, v); });
        const auto strong = vertices_where(K, [&](int v) { return strongly_observable(graph, v); });
        const auto weak =
            vertices_where(K, [&](int v) { return observable(graph, v) && !strongly_observable(graph, v); });
        EXPECT_EQ(q.strong, strong);
        EXPECT_EQ(q.weak, weak);
        EXPECT_EQ(q.self_loops, vertices_where(K, [&](int v) { return graph.has_edge(v, v); }));
        EXPECT_EQ(q.observability, static_cast<int>(seen.size()) < K ? Observability::none
                                   : weak.empty()                    ? Observability::strong
                                                                     : Observability::weak);
        expect_exactly(q.independence, brute_force_independence(graph));
        expect_exactly(q.weak_domination, brute_force_domination(graph, weak));
        expect_exactly(q.domination, brute_force_domination(graph, seen));
        expect_sets_attain_their_ends(graph, q);
      }
}

TEST(GraphQuantities, AddUpOverDisjointGraphs) {
  PhiloxStream stream(stream_key(2));
  for (const double density : {0.1, 0.2, 0.3, 0.5})
    for (int repeat = 0; repeat < 6; ++repeat) {
      const Union sum = random_union(8, 8, density, stream);
      ASSERT_EQ(sum.graph.size(), 64);
      const GraphQuantities q = graph_quantities(sum.graph);
      expect_exactly(q.independence, sum.independence);
      expect_exactly(q.weak_domination, sum.weak_domination);
      expect_exactly(q.domination, sum.domination);
      expect_sets_attain_their_ends(sum.graph, q);
    }
}

TEST(GraphQuantities, AgreeWithTheKnownNumbersOfChessboardsAndTheCube) {
  const auto rows_apart = [](int a, int b) { return std::abs(a / 8 - b / 8); };
  const auto columns_apart = [](int a, int b) { return std::abs(a % 8 - b % 8); };
  const auto knight = [&](int a, int b) { return rows_apart(a, b) * columns_apart(a, b) == 2; };

  const GraphQuantities queens = graph_quantities(graph_of(64, [&](int a, int b) {
    const int r = rows_apart(a, b), c = columns_apart(a, b);
    return r == 0 || c == 0 || r == c;
  }));
  expect_exactly(queens.independence, 8);
  expect_exactly(queens.domination, 5);

  const GraphQuantities kings = graph_quantities(
      graph_of(64, [&](int a, int b) { return std::max(rows_apart(a, b), columns_apart(a, b)) <= 1; }));
  expect_exactly(kings.independence, 16);
  expect_exactly(kings.domination, 9);

  const GraphQuantities knights =
      graph_quantities(graph_of(64, [&](int a, int b) { return a == b || knight(a, b); }));
  expect_exactly(knights.independence, 32);
  expect_exactly(knights.domination, 12);
  // A knight that does not guard its own square: the total domination number.
  expect_exactly(graph_quantities(graph_of(64, knight)).weak_domination, 14);

  // Binary covering code of length 6 and radius 1.
  const GraphQuantities cube = graph_quantities(graph_of(64, [](int a, int b) {
    return std::popcount(static_cast<unsigned>(a) ^ static_cast<unsigned>(b)) <= 1;
  }));
  expect_exactly(cube.independence, 32);
  expect_exactly(cube.domination, 12);
}

// Exactness is the point: a search that ran out of its budget says so by lower < upper.
TEST(GraphQuantities, AreExactOnRandomGraphsOf64Vertices) {
  for (const double density : {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9})
    for (const double seed : {0.0, 1.0, 2.0}) {
      SCOPED_TRACE(testing::Message() << "density " << density << " seed " << seed);
      const FeedbackGraph graph = family("random", {{"K", 64.0}, {"p", density}, {"seed", seed}});
      const GraphQuantities q = graph_quantities(graph);
      EXPECT_TRUE(q.independence.exact());
      EXPECT_TRUE(q.weak_domination.exact());
      EXPECT_TRUE(q.domination.exact());
      expect_sets_attain_their_ends(graph, q);
    }
}

TEST(GraphQuantities, DoNotDependOnTheNumberingOfVertices) {
  PhiloxStream stream(stream_key(3));
  for (const double density : {0.05, 0.1, 0.2, 0.5}) {
    const FeedbackGraph graph = random_graph(50, density, 0.2, stream);
    const GraphQuantities q = graph_quantities(graph);
    const FeedbackGraph other = permuted(graph, random_order(50, stream));
    const GraphQuantities r = graph_quantities(other);
    EXPECT_EQ(q.observability, r.observability);
    EXPECT_EQ(q.weak.size(), r.weak.size());
    expect_exactly(r.independence, q.independence.upper);
    expect_exactly(r.weak_domination, q.weak_domination.upper);
    expect_exactly(r.domination, q.domination.upper);
    expect_sets_attain_their_ends(other, r);
  }
}

// α of a ring is ⌊K/2⌋. Its vertex v shows v ± 1, so covering it is covering a closed walk of steps of 2 by
// pairs of consecutive stops: one walk of length K if K is odd, two of length K/2 if it is even.
TEST(GraphQuantities, OfRingsAreKnownOnBothSidesOfTheLimitOfExactness) {
  for (const int K : {3, 4, 6, 7, 33, 62, 63, 64, 65, 66, 100, 101, 1000}) {
    SCOPED_TRACE(K);
    const FeedbackGraph graph = family("ring", {{"K", static_cast<double>(K)}});
    const GraphQuantities q = graph_quantities(graph);
    const int independence = K / 2;
    const int domination = K % 2 == 1 ? (K + 1) / 2 : 2 * ((K / 2 + 1) / 2);
    expect_contains(q.independence, independence);
    expect_contains(q.domination, domination);
    if (K > 3) expect_contains(q.weak_domination, domination);
    if (K <= 64) {
      EXPECT_TRUE(q.independence.exact());
      EXPECT_TRUE(q.domination.exact());
    }
    expect_sets_attain_their_ends(graph, q);
  }
}

TEST(GraphQuantities, AreTightOnLargeGraphsOfSimpleStructure) {
  const FeedbackGraph bandit = family("bandit", {{"K", 200.0}});
  const GraphQuantities of_bandit = graph_quantities(bandit);
  expect_exactly(of_bandit.independence, 200);
  expect_exactly(of_bandit.weak_domination, 0);
  expect_exactly(of_bandit.domination, 200);
  expect_sets_attain_their_ends(bandit, of_bandit);

  const FeedbackGraph full = family("full", {{"K", 200.0}});
  const GraphQuantities of_full = graph_quantities(full);
  expect_exactly(of_full.independence, 1);
  expect_exactly(of_full.domination, 1);
  expect_sets_attain_their_ends(full, of_full);

  const FeedbackGraph revealing = family("revealing-action", {{"K", 200.0}});
  const GraphQuantities of_revealing = graph_quantities(revealing);
  expect_exactly(of_revealing.independence, 199);
  expect_exactly(of_revealing.weak_domination, 1);
  expect_sets_attain_their_ends(revealing, of_revealing);

  // Nothing shows itself, so one vertex is not enough.
  const GraphQuantities of_clique = graph_quantities(family("loopless-clique", {{"K", 200.0}}));
  EXPECT_EQ(of_clique.observability, Observability::strong);
  expect_exactly(of_clique.independence, 1);
  expect_exactly(of_clique.domination, 2);
}

TEST(GraphQuantities, BracketTheExactValuesAboveTheLimitOfExactness) {
  PhiloxStream stream(stream_key(4));
  for (const double density : {0.1, 0.2, 0.3, 0.5})
    for (int repeat = 0; repeat < 6; ++repeat) {
      const Union sum = random_union(15, 8, density, stream);
      const GraphQuantities q = graph_quantities(sum.graph);
      expect_contains(q.independence, sum.independence);
      expect_contains(q.weak_domination, sum.weak_domination);
      expect_contains(q.domination, sum.domination);
      expect_sets_attain_their_ends(sum.graph, q);
    }
}

TEST(GraphQuantities, AreOrderedOnLargeRandomGraphs) {
  for (const double density : {0.01, 0.1, 0.5}) {
    const FeedbackGraph graph = family("random", {{"K", 400.0}, {"p", density}});
    expect_sets_attain_their_ends(graph, graph_quantities(graph));
  }
}

TEST(Dominates, AsksForAnInNeighbourInTheSetForEveryTarget) {
  const FeedbackGraph graph = family("ring", {{"K", 5.0}});
  EXPECT_TRUE(dominates(graph, {}, {}));
  EXPECT_FALSE(dominates(graph, {}, {0}));
  EXPECT_TRUE(dominates(graph, {1}, {0, 2}));
  EXPECT_FALSE(dominates(graph, {1}, {1}));
  EXPECT_FALSE(dominates(graph, {1}, {0, 2, 3}));
}

TEST(Dominates, FollowsTheDirectionOfTheEdge) {
  const FeedbackGraph graph = graph_of(2, [](int v, int u) { return v == 0 && u == 1; });
  EXPECT_TRUE(dominates(graph, {0}, {1}));
  EXPECT_FALSE(dominates(graph, {1}, {0}));
}

}  // namespace
}  // namespace tasfg
