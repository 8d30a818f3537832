/// Curves and maps of the graph families, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tasfg/model/graph_families.hpp"
#include "tasfg/solve/certified_map.hpp"

namespace tasfg::testing {

/// The models of a family over some of its parameters, the others fixed.
inline ModelFamily models_of(std::string_view name, const std::vector<std::string>& over,
                             const Parameters& fixed = {}, const RewardFamily& reward = Gaussian{1.0},
                             std::vector<double> means = {}) {
  const GraphFamily& family = graph_family(name, "test");
  const auto at = [&family, over, fixed](const ParameterPoint& point) {
    Parameters all = fixed;
    for (std::size_t k = 0; k < over.size(); ++k) all.insert_or_assign(over[k], point[k]);
    return make_graph(family, all, "test");
  };
  ModelFamily models;
  models.parameters = static_cast<int>(over.size());
  models.means = means.empty() ? at({0.5, 0.5}).means : std::move(means);
  models.best =
      static_cast<int>(std::max_element(models.means.begin(), models.means.end()) - models.means.begin());
  models.reward = reward;
  models.matrix = [at](const ParameterPoint& point) {
    const GraphAndMeans made = at(point);
    return std::vector<double>(made.graph.row_major().begin(), made.graph.row_major().end());
  };
  models.rounding = 2e-15;
  return models;
}

/// All cells from `low` to `high`, or of that square; kinks as given.
inline CertifiedMap whole_map(const ModelFamily& models, const RefineOptions& options,
                              const std::array<std::vector<double>, 2>& kinks, double low = 0.0,
                              double high = 1.0) {
  const bool two = models.parameters == 2;
  const Box whole{{low, two ? low : 0.0}, {high, two ? high : 0.0}};
  CertifiedMap map;
  for (const Box& box : start_boxes(whole, models.parameters, kinks))
    map.append(refine(models, box, whole, options));
  map.sort_points();
  return map;
}

inline std::vector<double> kinks_of(std::string_view family, std::string_view parameter) {
  for (const ParameterSpec& spec : graph_family(family, "test").parameters)
    if (spec.name == parameter) return {spec.kinks.begin(), spec.kinks.end()};
  return {};
}

}  // namespace tasfg::testing
