#include "tasfg/model/instance.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr double kLeast = 1e-100;  // below, the evidence per draw underflows, and T* is out of range

double highest_probability(const FeedbackGraph& graph, int u) {
  double highest = 0.0;
  for (const Edge& edge : graph.in(u)) highest = std::max(highest, edge.probability);
  return highest;
}

}  // namespace

Instance::Instance(FeedbackGraph graph, std::vector<double> means, RewardFamily reward,
                   const ModelOrigin& origin)
    : graph_(std::move(graph)), means_(std::move(means)), reward_(reward) {
  const int K = graph_.size();
  if (means_.size() != static_cast<std::size_t>(K))
    throw InputError(origin.text, remark(fmt::format("{} means", means_.size()),
                                         fmt::format("must be one per vertex, K = {}", K)));
  const RewardFamilyRow& row = row_of(reward_);
  for (int u = 0; u < K; ++u) {
    if (!admits(reward_, mean(u)))
      throw InputError(within(origin.text, origin.mean(u)),
                       bad_value(mean(u), fmt::format("{} means must lie in {}", row.name, row.range)));
    if (graph_.in(u).empty())
      throw InputError(origin.text,
                       remark(fmt::format("{} is unobservable: its column holds no positive probability",
                                          origin.vertex(u)),
                              origin.advice));
    if (const double highest = highest_probability(graph_, u); highest < kLeast)
      throw InputError(origin.text, remark(fmt::format("{} cannot be seen: its largest probability is {}",
                                                       origin.vertex(u), to_text(highest)),
                                           fmt::format("must be {} at least", to_text(kLeast))));
  }
  best_ = static_cast<int>(std::max_element(means_.begin(), means_.end()) - means_.begin());
  for (int u = 0; u < K; ++u) {
    if (u != best_ && mean(u) == mean(best_))
      throw InputError(origin.text, remark(fmt::format("{} share the largest mean {}",
                                                       origin.vertices(best_, u), to_text(mean(u))),
                                           "the best vertex must be unique"));
  }
  // Below this the evidence per observation underflows and no finite T* can be stated.
  const double spread =
      *std::max_element(means_.begin(), means_.end()) - *std::min_element(means_.begin(), means_.end());
  for (int u = 0; u < K; ++u) {
    const double nearest = divergence(reward_, mean(best_), mean(u));
    if (u != best_ && !(nearest > 1e-200 && nearest < 1e200 && spread < 1e150))
      throw InputError(
          origin.text,
          remark(fmt::format("{} = {} and the best mean {} are too {} to tell apart in double precision",
                             origin.mean(u), to_text(mean(u)), to_text(mean(best_)),
                             nearest > 1 ? "far apart" : "close")));
  }
}

bool all_observable(const FeedbackGraph& graph) {
  for (int u = 0; u < graph.size(); ++u)
    if (highest_probability(graph, u) < kLeast) return false;
  return true;
}

void expect_default_means_fit(const std::vector<double>& means, const RewardFamily& reward,
                              const std::string& origin, std::string_view remedy) {
  const RewardFamilyRow& row = row_of(reward);
  for (const double mean : means)
    if (!admits(reward, mean))
      throw InputError(origin,
                       remark(fmt::format("the default means, {} to {}, do not fit {} rewards",
                                          to_text(*std::min_element(means.begin(), means.end())),
                                          to_text(*std::max_element(means.begin(), means.end())), row.name),
                              fmt::format("means must lie in {}; {}", row.range, remedy)));
}

std::vector<double> Instance::gaps() const {
  return gaps_of(means_, best_);
}

std::vector<double> gaps_of(const std::vector<double>& means, int best) {
  const auto a = static_cast<std::size_t>(best);
  std::vector<double> gaps(means.size());
  double smallest = kInfinity;
  for (std::size_t u = 0; u < means.size(); ++u) {
    gaps[u] = means[a] - means[u];
    if (u != a) smallest = std::min(smallest, gaps[u]);
  }
  gaps[a] = smallest;
  return gaps;
}

}  // namespace tasfg
