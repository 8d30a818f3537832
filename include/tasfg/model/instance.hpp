/// An instance ν = (G, (ν_u)): a feedback graph with rewards at its vertices, checked on construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasfg/model/feedback_graph.hpp"
#include "tasfg/model/reward.hpp"

namespace tasfg {

class Instance {
 public:
  /// Throws InputError unless every vertex is observable, every mean is in the family's range, and the
  /// best vertex is unique.
  Instance(FeedbackGraph graph, std::vector<double> means, RewardFamily reward,
           const ModelOrigin& origin = "instance");

  [[nodiscard]] int size() const { return graph_.size(); }
  [[nodiscard]] const FeedbackGraph& graph() const { return graph_; }
  [[nodiscard]] const std::vector<double>& means() const { return means_; }
  [[nodiscard]] double mean(int u) const { return means_[static_cast<std::size_t>(u)]; }
  [[nodiscard]] const RewardFamily& reward() const { return reward_; }
  /// a*, 0-based.
  [[nodiscard]] int best() const { return best_; }
  /// Δ_u = μ_{a*} − μ_u, and Δ_{a*} = Δ_min (the paper's convention).
  [[nodiscard]] std::vector<double> gaps() const;

 private:
  FeedbackGraph graph_;
  std::vector<double> means_;
  RewardFamily reward_;
  int best_ = 0;
};

/// Whether every vertex can be observed, often enough for T* to be a double. (Instances have such graphs
/// alone.)
[[nodiscard]] bool all_observable(const FeedbackGraph& graph);

/// An InputError where the means that come with a graph, and that nobody chose, do not suit the rewards;
/// `remedy` says how to give others.
void expect_default_means_fit(const std::vector<double>& means, const RewardFamily& reward,
                              const std::string& origin, std::string_view remedy);

/// Gaps of any mean vector around vertex `best`, with Δ_best = Δ_min.
[[nodiscard]] std::vector<double> gaps_of(const std::vector<double>& means, int best);

}  // namespace tasfg
