#include "tasfg/algo/graph_product.hpp"

#include "algo/made_estimates.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(GraphProduct, IsTheSumOverTheEstimatedRows) {
  PhiloxStream stream(stream_key(11));
  // A sparse graph, a dense one, and vertices that were never pulled.
  for (const auto& [family, K] : {std::pair("ring", 9.0), std::pair("full", 6.0), std::pair("random", 7.0)}) {
    const Instance instance = instance_of(family, {{"K", K}});
    GraphProduct product(instance);
    for (const Setting setting : {Setting::informed, Setting::known_graph}) {
      for (const ConventionSet set : {ConventionSet::paper, ConventionSet::reference}) {
        for (const int among : {instance.size(), instance.size() - 2}) {
          const Estimate e = random_estimate(instance, setting, conventions_of(set), 60, among, stream);
          std::vector<double> x(static_cast<std::size_t>(e.size())), out(x.size());
          for (double& value : x) value = 1.0 + 9.0 * stream.uniform();
          product.multiply(e, x, out);
          for (int v = 0; v < e.size(); ++v) {
            double sum = 0.0;
            for (int u = 0; u < e.size(); ++u) sum += e.edge(v, u) * x[static_cast<std::size_t>(u)];
            EXPECT_NEAR(out[static_cast<std::size_t>(v)], sum, 1e-12 * sum) << family << ' ' << v;
          }
          std::vector<double> added(x.size());
          for (double& value : added) value = stream.uniform();
          product.multiply_raised(e, added, x, out);
          for (int v = 0; v < e.size(); ++v) {
            const auto i = static_cast<std::size_t>(v);
            double sum = 0.0;
            for (int u = 0; u < e.size(); ++u)
              sum += (e.edge(v, u) + added[i]) * x[static_cast<std::size_t>(u)];
            EXPECT_NEAR(out[i], sum, 1e-12 * sum) << family << ' ' << v;
          }
        }
      }
    }
  }
}

TEST(GraphProduct, OfLargeGraphsRunsOverTheirEdges) {
  PhiloxStream stream(stream_key(25));
  const Instance instance = instance_of("k-regular", {{"K", 5000.0}, {"k", 4.0}});
  ASSERT_FALSE(instance.graph().has_matrix());
  GraphProduct product(instance);
  for (const Setting setting : {Setting::informed, Setting::known_graph}) {
    const Estimate e = random_estimate(instance, setting, {}, 20'000, 4900, stream);
    std::vector<double> x(5000), out(x.size());
    for (double& value : x) value = 1.0 + 9.0 * stream.uniform();
    product.multiply(e, x, out);
    for (int v = 0; v < e.size(); v += v < 4800 ? 97 : 1) {
      double sum = 0.0;
      for (int u = 0; u < e.size(); ++u) sum += e.edge(v, u) * x[static_cast<std::size_t>(u)];
      ASSERT_NEAR(out[static_cast<std::size_t>(v)], sum, 1e-11 * sum) << v;
    }
  }
}

}  // namespace
}  // namespace tasfg
