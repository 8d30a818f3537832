#include "tasfg/job/grid.hpp"

#include <bit>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sim/content_key.hpp"

namespace tasfg {
namespace {

class Digest {
 public:
  void add(std::uint64_t word) { key_ = stream_key(key_.value, word); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  [[nodiscard]] std::uint64_t value() const { return key_.value; }

 private:
  StreamKey key_;
};

}  // namespace

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
  digest.add(std::string_view("tasfg job 1"));
  digest.add(static_cast<std::uint64_t>(options.setting));
  digest.add(std::string_view(points_text(options.conventions)));
  digest.add(static_cast<std::uint64_t>(options.threshold));
  digest.add(static_cast<std::uint64_t>(options.stream));
  digest.add(options.master_seed);
  digest.add(static_cast<std::uint64_t>(options.max_steps));
  digest.add(static_cast<std::uint64_t>(replications));
  digest.add(static_cast<std::uint64_t>(log_inv_delta.size()));
  for (const double value : log_inv_delta) digest.add(value);
  digest.add(static_cast<std::uint64_t>(algorithms.size()));
  for (const JobAlgorithm& entry : algorithms) {
    digest.add(std::string_view(entry.algorithm.name));
    digest.add(std::string_view(entry.options));
  }
  digest.add(static_cast<std::uint64_t>(cases.size()));
  for (const Case& entry : cases) {
    digest.add(std::string_view(entry.label));
    digest.add(entry.key.value);
  }
  for (const std::int64_t each : options.checkpoints) digest.add(static_cast<std::uint64_t>(each));
  if (options.pulls_by_delta) digest.add(std::string_view("pulls_by_delta"));
  return digest.value();
}

}  // namespace tasfg
