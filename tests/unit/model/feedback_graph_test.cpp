#include "tasfg/model/feedback_graph.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(FeedbackGraph, NeighbourhoodsHoldExistingEdgesOnly) {
  const FeedbackGraph graph(3, {0, .5, 0, 1, 0, 0, 0, .25, 0});
  EXPECT_EQ(graph.edge_count(), 3u);
  ASSERT_EQ(graph.out(0).size(), 1u);
  EXPECT_EQ(graph.out(0)[0].vertex, 1);
  ASSERT_EQ(graph.in(1).size(), 2u);
  EXPECT_EQ(graph.in(1)[1].vertex, 2);
  EXPECT_EQ(graph.in(1)[1].probability, .25);
  EXPECT_TRUE(graph.in(2).empty());
}

TEST(FeedbackGraph, RefusesWhatIsNoMatrixOfProbabilities) {
  const auto message = [](int K, std::vector<double> values) -> std::string {
    try {
      const FeedbackGraph graph(K, std::move(values), "test");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(1, {1}), "test: K = 1 (must be at least 2)");
  EXPECT_EQ(message(2, {1, 0, 1}), "test: 3 probabilities (must be K*K = 4)");
  EXPECT_EQ(message(2, {1, 0, 1.5, 1}), "test: row 2, column 1: probability 1.5 (must lie in [0, 1])");
  EXPECT_EQ(message(2, {1, nan, 1, 1}), "test: row 1, column 2: probability nan (must lie in [0, 1])");
  EXPECT_EQ(message(2, {1, 0, 1, 1}), "accepted");
}

TEST(FeedbackGraph, EdgesInAnyOrderAreTheMatrixOfTheirProbabilities) {
  const std::vector<DirectedEdge> edges = {{2, 1, .25}, {0, 1, .5}, {1, 1, 0.0}, {1, 0, 1.0}};
  const FeedbackGraph graph(3, edges), same(3, {0, .5, 0, 1, 0, 0, 0, .25, 0});
  EXPECT_TRUE(std::equal(graph.row_major().begin(), graph.row_major().end(), same.row_major().begin()));
  EXPECT_EQ(graph.edge_count(), 3u);  // one of probability 0 is none
  // The same where there is no matrix.
  const FeedbackGraph large(kLargestMatrix + 1, edges);
  EXPECT_FALSE(large.has_matrix());
  for (int v = 0; v < 3; ++v) {
    for (int u = 0; u < 3; ++u) EXPECT_EQ(large(v, u), same(v, u)) << v << " " << u;
    ASSERT_EQ(large.in(v).size(), same.in(v).size());
    for (std::size_t i = 0; i < large.in(v).size(); ++i)
      EXPECT_EQ(large.in(v)[i].vertex, same.in(v)[i].vertex);
  }
}

TEST(FeedbackGraph, AnEdgeGivenTwiceIsFoundAndRefused) {
  const std::vector<DirectedEdge> edges = {{2, 1, .25}, {0, 1, .5}, {0, 2, 1.0}, {0, 1, .5}, {2, 1, .25}};
  EXPECT_EQ(first_repeated(edges), 3u);
  EXPECT_EQ(first_repeated(std::span(edges).first(3)), std::nullopt);
  EXPECT_THROW(FeedbackGraph(3, edges), InputError);
  EXPECT_THROW(FeedbackGraph(3, std::vector<DirectedEdge>{{0, 1, 1.5}}), InputError);
}

}  // namespace
}  // namespace tasfg
