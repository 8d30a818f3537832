#include "tasfg/solve/allocations.hpp"

#include <cmath>

#include "solve/random_instances.hpp"
#include <gtest/gtest.h>

#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/solve/bounds.hpp"

namespace tasfg {
namespace {

Instance gaussian(std::string_view family, const Parameters& parameters) {
  GraphAndMeans made = make_graph(graph_family(family, "test"), parameters, "test");
  return {std::move(made.graph), std::move(made.means), Gaussian{1.0}};
}

TEST(Allocations, HeuristicAndUniformMatchTheDesignsTable) {
  const struct {
    const char* family;
    Parameters parameters;
    double T_heuristic, T_uniform;
  } rows[] = {
      {"loopless-clique", {}, 184.257, 207.231},
      {"loopless-clique", {{"parity", std::string("reference")}}, 191.540, 211.462},
      {"loopy-star", {}, 135.879, 200.0},
      {"ring", {}, 244.063, 320.0},
      {"loopy-star-alt", {}, 439.114, 200.0},
      {"bandit", {}, 155.111, 320.0},
  };
  for (const auto& row : rows) {
    const Instance instance = gaussian(row.family, row.parameters);
    const ModelView model = view_of(instance);
    EXPECT_NEAR(time_of(model, heuristic_allocation(model)), row.T_heuristic, 5e-4) << row.family;
    EXPECT_NEAR(time_of(model, uniform_allocation(model.K)), row.T_uniform, 5e-4) << row.family;
  }
}

TEST(Allocations, AreDistributionsAndTopKDominates) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Instance instance = testing::random_instance(i);
    const ModelView model = view_of(instance);
    for (const auto& allocation :
         {heuristic_allocation(model), argmax_allocation(model), top_k_allocation(model)}) {
      double total = 0.0;
      for (const double w : allocation) {
        EXPECT_GE(w, 0.0);
        total += w;
      }
      EXPECT_NEAR(total, 1.0, 1e-12);
    }
    EXPECT_TRUE(std::isfinite(time_of(model, top_k_allocation(model)))) << i;
  }
}

TEST(Allocations, TopKIsTheShortestDominatingPrefix) {
  // Vertex 2 has the largest score but does not show vertex 0; vertex 0 completes the domination.
  const Instance instance(FeedbackGraph(3, {1, 0, 0, .1, .1, 0, 0, 1, 1}), {0, .5, 1}, Gaussian{1.0});
  const ModelView model = view_of(instance);
  EXPECT_EQ(top_k_allocation(model), (std::vector<double>{0.5, 0.0, 0.5}));
  EXPECT_EQ(argmax_allocation(model), (std::vector<double>{0.0, 0.0, 1.0}));
  EXPECT_TRUE(std::isinf(time_of(model, argmax_allocation(model))));
}

TEST(PaperBounds, HoldOnThePapersOwnInstances) {
  for (const char* family : {"bandit", "full", "ring", "loopless-clique", "loopy-star", "loopy-star-alt"}) {
    const Instance instance = gaussian(family, {});
    const PaperBounds bounds = paper_bounds(instance, graph_quantities(instance.graph()));
    const double T = characteristic_time(instance).upper;
    EXPECT_NE(bounds.general.has_value(), bounds.loopless_clique.has_value()) << family;
    if (bounds.loopless_clique) {
      EXPECT_GE(*bounds.loopless_clique, T) << family;
    }
    if (bounds.heuristic) {
      EXPECT_GE(*bounds.heuristic, time_of(view_of(instance), heuristic_allocation(view_of(instance))))
          << family;
    }
  }
}

TEST(PaperBounds, BanditAndFullFeedbackInClosedForm) {
  // Bandit, K = 5, gap 1/4: κ = 5 − ⌊5/6⌋ = 5, 4·5/(1/16) = 320. Full: κ = 5 − ⌊5/2⌋ = 3, 4·3·16 = 192.
  const Instance bandit = gaussian("bandit", {});
  EXPECT_DOUBLE_EQ(*paper_bounds(bandit, graph_quantities(bandit.graph())).general, 320.0);
  const Instance full = gaussian("full", {});
  const PaperBounds bounds = paper_bounds(full, graph_quantities(full.graph()));
  EXPECT_DOUBLE_EQ(*bounds.general, 192.0);
  EXPECT_FALSE(bounds.heuristic.has_value());  // the all-ones matrix is singular
}

}  // namespace
}  // namespace tasfg
