/// Estimates with data in them, for the tests of this folder.
#pragma once

#include <cstddef>
#include <vector>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/model/graph_families.hpp"

namespace tasfg {

inline Instance instance_of(std::string_view family, const Parameters& parameters) {
  GraphAndMeans made = make_graph(graph_family(family, "test"), parameters, "test");
  return {std::move(made.graph), std::move(made.means), Gaussian{1.0}};
}

/// One draw of v: every edge fires with its probability; rewards are the mean plus noise up to ± `noise`/2.
/// Calls also(u, r) for each reward.
template <typename Also>
void draw(const Instance& instance, Estimate& e, int v, PhiloxStream& stream, double noise, Also also) {
  e.pull(v);
  for (const Edge& edge : instance.graph().out(v)) {
    if (stream.uniform() >= edge.probability) continue;
    const double r = instance.mean(edge.vertex) + noise * (stream.uniform() - 0.5);
    e.observe(v, edge.vertex, r);
    also(edge.vertex, r);
  }
}

/// After `draws` of random vertices below `among`.
inline Estimate random_estimate(const Instance& instance, Setting setting, const Conventions& conventions,
                                int draws, int among, PhiloxStream& stream) {
  Estimate e(instance, setting, conventions);
  for (int t = 0; t < draws; ++t)
    draw(instance, e, static_cast<int>(stream.uniform() * among), stream, 0.4, [](int, double) {});
  return e;
}

/// The truth: every mean observed exactly, the graph known.
inline Estimate exact_estimate(const Instance& instance) {
  Estimate e(instance, Setting::known_graph, {});
  for (int u = 0; u < instance.size(); ++u) {
    e.pull(u);
    e.observe(u, u, instance.mean(u));
  }
  return e;
}

}  // namespace tasfg
