#include "tasfg/model/graph_families.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {
namespace {

GraphAndMeans make(std::string_view family, const Parameters& parameters) {
  return make_graph(graph_family(family, "test"), parameters, "test");
}

void expect_matrix(const FeedbackGraph& graph, const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(graph.size(), static_cast<int>(expected.size()));
  for (int v = 0; v < graph.size(); ++v)
    for (int u = 0; u < graph.size(); ++u)
      EXPECT_DOUBLE_EQ(graph(v, u), expected[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)])
          << v << "," << u;
}

TEST(GraphFamilies, EveryRowBuildsAValidInstanceFromItsDefaults) {
  for (const GraphFamily& family : graph_families()) {
    if (family.name == "file") continue;
    const GraphAndMeans made = make(family.name, {});
    const Instance instance(made.graph, made.means, Gaussian{1.0});
    EXPECT_GE(instance.size(), 2) << family.name;
  }
}

TEST(GraphFamilies, RingFollowsTheFigure) {
  expect_matrix(make("ring", {{"K", 4.0}, {"p", 0.3}}).graph,
                {{0, .3, 0, .7}, {.7, 0, .3, 0}, {0, .7, 0, .3}, {.3, 0, .7, 0}});
}

TEST(GraphFamilies, LooplessCliqueHasBothParities) {
  expect_matrix(make("loopless-clique", {{"K", 3.0}, {"p", 0.6}}).graph,
                {{0, .4, .6}, {.3, 0, .3}, {.2, .8, 0}});
  expect_matrix(make("loopless-clique", {{"K", 3.0}, {"p", 0.6}, {"parity", std::string("reference")}}).graph,
                {{0, .6, .4}, {.7, 0, .7}, {.8, .2, 0}});
}

TEST(GraphFamilies, LoopyStarFollowsTheFigure) {
  const Parameters parameters{{"K", 4.0}, {"p", 0.2}, {"q", 0.5}, {"r", 0.1}};
  const GraphAndMeans made = make("loopy-star", parameters);
  expect_matrix(made.graph, {{.5, .1, .1, .2}, {0, .6, 0, 0}, {0, 0, .6, 0}, {0, 0, 0, .8}});
  EXPECT_EQ(made.means, (std::vector<double>{.5, .5, .5, 1}));
  EXPECT_EQ(make("loopy-star-alt", parameters).means, (std::vector<double>{1, .5, .5, .5}));
  EXPECT_EQ(make("loopy-star", {{"p", 0.7}}).graph(1, 1), 0.0);  // (1-2p)+
}

TEST(GraphFamilies, LoopyStarAltTakesRFromQAndK) {
  EXPECT_DOUBLE_EQ(make("loopy-star-alt", {{"K", 5.0}}).graph(0, 1), 0.125 / 4);
  EXPECT_DOUBLE_EQ(make("loopy-star-alt", {{"K", 9.0}, {"q", 0.1}}).graph(0, 1), 0.25 * 0.8 / 8);
}

TEST(GraphFamilies, SymmetricSwapsItsLastRowForTheReference) {
  const Parameters parameters{{"p", 0.5}, {"q", 1.0}, {"r", 0.25}};
  expect_matrix(make("symmetric", parameters).graph, {{.5, 1, .25}, {0, 0, 0}, {.25, 1, .5}});
  Parameters swapped = parameters;
  swapped.emplace("parity", std::string("reference"));
  expect_matrix(make("symmetric", swapped).graph, {{.5, 1, .25}, {0, 0, 0}, {.5, 1, .25}});
}

TEST(GraphFamilies, RandomGraphsAreObservableAndFixedByTheirSeed) {
  for (int seed = 0; seed < 50; ++seed) {
    const Parameters parameters{{"K", 20.0}, {"p", 0.05}, {"q", 0.2}, {"r", 0.4}, {"seed", double(seed)}};
    const FeedbackGraph graph = make("random", parameters).graph;
    const FeedbackGraph again = make("random", parameters).graph;
    for (int u = 0; u < 20; ++u) {
      EXPECT_FALSE(graph.in(u).empty());
      for (const Edge& edge : graph.in(u)) {
        EXPECT_GE(edge.probability, 0.2);
        EXPECT_LE(edge.probability, 0.4);
        EXPECT_EQ(again(edge.vertex, u), edge.probability);
      }
    }
  }
  EXPECT_NE(make("random", {{"seed", 1.0}}).graph(0, 0), make("random", {{"seed", 2.0}}).graph(0, 0));
}

TEST(GraphFamilies, RefuseBadParametersWithTheNearestName) {
  const auto message = [](std::string_view family, const Parameters& parameters) -> std::string {
    try {
      (void)make(family, parameters);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("rnig", {}), "test: unknown graph family \"rnig\" (did you mean \"ring\"?)");
  EXPECT_EQ(message("ring", {{"k", 5.0}}),
            "test: unknown parameter \"k\" of graph family ring (did you mean \"K\"?)");
  EXPECT_EQ(message("ring", {{"p", 1.3}}), "test: p = 1.3 (must lie in [0, 1])");
  EXPECT_EQ(message("ring", {{"K", 1.0}}), "test: K = 1 (must be a whole number from 3 to 4096)");
  EXPECT_EQ(message("ring", {{"K", 5.5}}), "test: K = 5.5 (must be a whole number from 3 to 4096)");
  EXPECT_EQ(message("apple-tasting", {{"K", 3.0}}), "test: K = 3 (must be 2)");
  EXPECT_EQ(message("loopless-clique", {{"parity", std::string("odd")}}),
            "test: parity = \"odd\" (known: paper, reference)");
  EXPECT_EQ(message("loopless-clique", {{"parity", 1.0}}), "test: parity = 1 (must be text)");
  EXPECT_EQ(message("file", {}), "test: graph family file needs path");
  EXPECT_EQ(message("random", {{"q", 0.9}, {"r", 0.1}}),
            "test: q = 0.9 (must not exceed r = 0.1: they bound the edge probabilities)");
}

}  // namespace
}  // namespace tasfg
