#include "tasfg/solve/bounds.hpp"

#include <gtest/gtest.h>

#include "tasfg/model/graph_families.hpp"
#include "tasfg/solve/allocations.hpp"

namespace tasfg {
namespace {

Instance papers_instance(std::string_view family, const Parameters& parameters) {
  GraphAndMeans made = make_graph(graph_family(family, "test"), parameters, "test");
  return {std::move(made.graph), std::move(made.means), Gaussian{1.0}};
}

TEST(PaperBounds, HoldOnThePapersOwnInstances) {
  for (const char* family : {"bandit", "full", "ring", "loopless-clique", "loopy-star", "loopy-star-alt"}) {
    const Instance instance = papers_instance(family, {});
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
  const Instance bandit = papers_instance("bandit", {});
  EXPECT_DOUBLE_EQ(*paper_bounds(bandit, graph_quantities(bandit.graph())).general, 320.0);
  const Instance full = papers_instance("full", {});
  const PaperBounds bounds = paper_bounds(full, graph_quantities(full.graph()));
  EXPECT_DOUBLE_EQ(*bounds.general, 192.0);
  EXPECT_FALSE(bounds.heuristic.has_value());  // the all-ones matrix is singular
}

TEST(PaperBounds, AreOfGaussianRewardsAlone) {
  GraphAndMeans made = make_graph(graph_family("bandit", "test"), {}, "test");
  const Instance poisson(std::move(made.graph), {1, 2, 3, 4, 5}, Poisson{});
  const PaperBounds bounds = paper_bounds(poisson, graph_quantities(poisson.graph()));
  EXPECT_FALSE(bounds.general || bounds.loopless_clique || bounds.heuristic);
}

}  // namespace
}  // namespace tasfg
