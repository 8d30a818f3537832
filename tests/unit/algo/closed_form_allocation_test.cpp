#include "tasfg/algo/closed_form_allocation.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(ClosedFormAllocation, OfTheTruthIsTheModels) {
  for (const char* family : {"random", "ring", "loopy-star", "revealing-action"}) {
    const Instance instance = instance_of(family, {{"K", 7.0}});
    for (const ClosedForm form : {ClosedForm::heuristic, ClosedForm::argmax, ClosedForm::top_k}) {
      const std::vector<double> expected = closed_form_allocation(form, view_of(instance));
      std::vector<double> omega(7);
      ASSERT_TRUE(ClosedFormAllocation(instance, form).allocate(exact_estimate(instance), omega));
      for (std::size_t v = 0; v < 7; ++v) EXPECT_NEAR(omega[v], expected[v], 1e-12) << family << ' ' << v;
    }
  }
}

TEST(ClosedFormAllocation, IsAllOnTheOneVertexThatShowsAnything) {
  const Instance instance = instance_of("revealing-action", {{"K", 4.0}});
  for (const ClosedForm form : {ClosedForm::heuristic, ClosedForm::argmax, ClosedForm::top_k}) {
    std::vector<double> omega(4);
    ASSERT_TRUE(ClosedFormAllocation(instance, form).allocate(exact_estimate(instance), omega));
    EXPECT_EQ(omega, (std::vector<double>{1.0, 0.0, 0.0, 0.0}));
  }
}

TEST(ClosedFormAllocation, TopKDominatesTheEstimatedGraph) {
  PhiloxStream stream(stream_key(5));
  const Instance instance = instance_of("random", {{"K", 9.0}, {"p", 0.25}});
  ClosedFormAllocation allocation(instance, ClosedForm::top_k);
  std::vector<double> omega(9);
  for (int trial = 0; trial < 50; ++trial) {
    const Estimate e = random_estimate(instance, Setting::informed, {}, 100 + trial, 9, stream);
    if (!allocation.allocate(e, omega)) continue;
    double total = 0.0;
    for (int u = 0; u < 9; ++u) {
      total += omega[static_cast<std::size_t>(u)];
      bool seen_at_all = false;
      bool seen = false;
      for (int v = 0; v < 9; ++v) {
        seen_at_all = seen_at_all || e.edge(v, u) > 0.0;
        seen = seen || (e.edge(v, u) > 0.0 && omega[static_cast<std::size_t>(v)] > 0.0);
      }
      EXPECT_EQ(seen, seen_at_all) << u;
    }
    EXPECT_NEAR(total, 1.0, 1e-12);
  }
}

TEST(ClosedFormAllocation, TopKCountsEdgesOfLargeGraphs) {
  PhiloxStream stream(stream_key(6));
  const Instance instance = instance_of("k-regular", {{"K", 4200.0}});
  const auto n = static_cast<std::size_t>(instance.size());
  ASSERT_FALSE(instance.graph().has_matrix());
  std::vector<double> omega(n);
  ClosedFormAllocation allocation(instance, ClosedForm::top_k);
  ASSERT_TRUE(allocation.allocate(exact_estimate(instance), omega));
  EXPECT_EQ(omega, closed_form_allocation(ClosedForm::top_k, view_of(instance)));
  const Estimate some = random_estimate(instance, Setting::informed, {}, 4200, 4200, stream);
  ASSERT_TRUE(allocation.allocate(some, omega));
  std::size_t all = n;  // who was never drawn shows all: one of them is enough
  for (std::size_t v = 0; v < n; ++v)
    if (omega[v] > 0.0 && some.pulls()[v] == 0.0) all = v;
  EXPECT_LT(all, n);
}

TEST(ClosedFormAllocation, IsUnknownWithoutData) {
  const Instance instance = instance_of("ring", {{"K", 5.0}});
  std::vector<double> omega(5);
  EXPECT_FALSE(ClosedFormAllocation(instance, ClosedForm::heuristic)
                   .allocate(Estimate(instance, Setting::informed, {}), omega));
}

}  // namespace
}  // namespace tasfg
