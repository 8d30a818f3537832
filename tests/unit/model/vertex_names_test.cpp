#include "tasfg/model/vertex_names.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {
namespace {

TEST(ModelOrigin, NumbersVerticesWithoutNames) {
  const ModelOrigin origin = "G.csv";
  EXPECT_EQ(origin.vertex(3), "vertex 3 (counted from 0)");
  EXPECT_EQ(origin.vertices(1, 2), "vertices 1 and 2 (counted from 0)");
  EXPECT_EQ(origin.mean(3), "means[3]");
  EXPECT_EQ(origin.edge(0, 4), "row 1, column 5");
}

TEST(ModelOrigin, CallsVerticesByTheirNames) {
  const ModelOrigin origin("graph", {"lima", "quito\n"});
  EXPECT_EQ(origin.vertex(0), "vertex lima");
  EXPECT_EQ(origin.vertices(0, 1), "vertices lima and quito?");
  EXPECT_EQ(origin.mean(0), "means[lima]");
  EXPECT_EQ(origin.edge(0, 1), "edge lima -> quito?");
}

TEST(ModelOrigin, SpeaksInWhatGraphsAndInstancesRefuse) {
  ModelOrigin origin("graph", {"lima", "quito"});
  origin.advice = "turn it round";
  const auto message = [&](std::vector<double> matrix, std::vector<double> means) -> std::string {
    try {
      const Instance instance(FeedbackGraph(2, std::move(matrix), origin), std::move(means), Bernoulli{},
                              origin);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({1, 0, 0, 1}, {0.2, 0.4}), "accepted");
  EXPECT_EQ(message({1, 1.5, 0, 1}, {0.2, 0.4}),
            "graph: edge lima -> quito: probability 1.5 (must lie in [0, 1])");
  EXPECT_EQ(message({1, 0, 1, 0}, {0.2, 0.4}),
            "graph: vertex quito is unobservable: its column holds no positive probability (turn it round)");
  EXPECT_EQ(message({1, 0, 0, 1}, {0.2, 1.4}),
            "graph: means[quito] = 1.4 (bernoulli means must lie in the open interval (0, 1))");
  EXPECT_EQ(message({1, 0, 0, 1}, {0.4, 0.4}),
            "graph: vertices lima and quito share the largest mean 0.4 (the best vertex must be unique)");
}

}  // namespace
}  // namespace tasfg
