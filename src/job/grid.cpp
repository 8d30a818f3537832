#include "tasfg/job/grid.hpp"

#include <fmt/format.h>

#include "tasfg/algo/rules/external.hpp"
#include "tasfg/base/digest.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/content_key.hpp"

namespace tasfg {

Instance Grid::instance(CaseId id) const {
  const Case& entry = at(id);
  const std::string place = within(origin, fmt::format("case {} ({})", id.value(), entry.label));
  const GraphFamily& family = graph_family(entry.graph, place);
  GraphAndMeans made = graph_of(family, entry.parameters, place, files);
  Instance instance(std::move(made.graph), entry.means, entry.reward, place);
  // Only a graph file can have changed since the job was read.
  if (family.reads_file() && content_key(instance) != entry.key)
    throw InputError(place, remark("the graph file has changed since the job was read"));
  return instance;
}

std::uint64_t Grid::digest() const {
  Digest digest;
  digest.add("tasfg job 1");
  digest.add(static_cast<std::uint64_t>(options.setting));
  digest.add(points_text(options.conventions));
  digest.add(static_cast<std::uint64_t>(options.threshold));
  digest.add(static_cast<std::uint64_t>(options.stream));
  digest.add(options.master_seed);
  digest.add(options.max_steps);
  digest.add(replications);
  digest.add_all(log_inv_delta);
  digest.add(algorithms.size());
  for (const JobAlgorithm& entry : algorithms) {
    digest.add(entry.algorithm.name);
    digest.add(entry.options);
    if (entry.algorithm.external != nullptr) digest.add(entry.algorithm.external->digest);
  }
  digest.add(cases.size());
  for (const Case& entry : cases) {
    digest.add(entry.label);
    digest.add(entry.key.value);
  }
  for (const std::int64_t each : options.checkpoints) digest.add(each);
  if (options.pulls_by_delta) digest.add("pulls_by_delta");
  if (options.measure != Measure::time) digest.add(kMeasureNames[options.measure]);
  if (precision.asked()) digest.add(precision.text());
  return digest.value();
}

}  // namespace tasfg
