#include "tasfg/model/graph_source.hpp"

#include "tasfg/base/error.hpp"

namespace tasfg {

GraphAndMeans graph_of(const GraphFamily& family, const Parameters& given, const std::string& origin,
                       const GraphSource& files) {
  if (!family.reads_file()) return make_graph(family, given, origin);
  if (!files)
    throw InputError(within(origin, "family"), bad_text(family.name, "graph files cannot be read here"));
  const Parameters complete = complete_parameters(family, given, origin);
  FeedbackGraph graph = files(std::get<std::string>(complete.find("path")->second));
  std::vector<double> means = rising_means(graph.size());
  return {std::move(graph), std::move(means)};
}

}  // namespace tasfg
