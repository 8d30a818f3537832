/// The rule `exp3.g`.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tasfg/algo/conventions.hpp"
#include "tasfg/algo/draw_index.hpp"
#include "tasfg/algo/estimate.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// EXP3.G (Alon et al., 2015) as the paper runs it: gains instead of losses.
class Exp3Rule {
 public:
  Exp3Rule(const Instance& instance, const Conventions& conventions);

  template <typename Stream>
  int choose(const Estimate& e, Stream& stream) {
    const auto K = static_cast<double>(e.size());
    for (std::size_t v = 0; v < q_.size(); ++v) p_[v] = (1.0 - kExploration) * q_[v] + kExploration / K;
    shown_ = 0;
    return draw_index(stream, std::span<const double>(p_).first(q_.size()));
  }
  void shown(const Estimate& /*estimate*/, int u, double reward) {
    vertex_[shown_] = u;
    gain_[shown_++] = reward;
  }
  void finish(const Estimate& e, int v);

 private:
  /// Σ of p over the vertices that may show u.
  [[nodiscard]] double weight_of(const Estimate& e, int u) const;

  static constexpr double kExploration = 0.3;
  Exp3Variant variant_;
  const FeedbackGraph* graph_;
  double rate_;
  std::vector<double> p_, q_;
  // What this draw showed:
  std::size_t shown_ = 0;
  std::vector<int> vertex_;
  std::vector<double> gain_;  // the reward, then what q is multiplied by
};

}  // namespace tasfg
