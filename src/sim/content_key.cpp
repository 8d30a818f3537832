#include "tasfg/sim/content_key.hpp"

#include <bit>

namespace tasfg {

StreamKey content_key(const Instance& instance) {
  StreamKey key = stream_key(static_cast<std::uint64_t>(instance.size()), instance.reward().index());
  const auto absorb = [&key](double value) {
    key = stream_key(key.value, std::bit_cast<std::uint64_t>(value));
  };
  for (const RewardParameter& each : row_of(instance.reward()).parameters)
    absorb(each.get(instance.reward()));
  for (const double mean : instance.means()) absorb(mean == 0.0 ? 0.0 : mean);  // −0 is 0
  const FeedbackGraph& graph = instance.graph();
  if (graph.has_matrix()) {
    for (const double p : graph.row_major()) absorb(p == 0.0 ? 0.0 : p);
    return key;
  }
  for (int v = 0; v < graph.size(); ++v)
    for (const Edge& edge : graph.out(v)) {
      key = stream_key(key.value, static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(edge.vertex));
      absorb(edge.probability);
    }
  return key;
}

}  // namespace tasfg
