/// The rule `ucb-fg-v`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/algo/sampling_rule.hpp"
#include "tasfg/algo/ucb_widths.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// argmax_v G^ucb_{v,a} at a = argmax μ^ucb.
///
/// For most of a run both maxima stay where they are, and bounds show it: until `until_` draws the widths lie
/// between those of two moments, counts only grow, and a vertex that is not observed keeps its mean. While
/// the least that the leader's bound can be exceeds the most that any other's can be, and the same holds for
/// the chosen vertex, the choice is that of the last full look. Rounding is monotone, and where it is not
/// enough there is a margin, so that this is exact.
class UcbVRule {
 public:
  explicit UcbVRule(const Instance& instance);
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    if (e.draws() < until_ && stands(e, 0)) [[likely]]
      return chosen_;
    return look(e);
  }
  /// How many draws, at least 1, are of the vertex just chosen as long as holds() after what they show.
  [[nodiscard]] std::int64_t repeats(const Estimate& e) const {
    constexpr std::int64_t kFew = 16;
    const std::int64_t left = until_ - e.draws();
    if (left <= 1) return 1;
    if (stands(e, left)) return left;
    return left > kFew && stands(e, kFew) ? kFew : 1;
  }
  [[nodiscard]] bool holds(const Estimate& e) const {
    return e.means()[static_cast<std::size_t>(leader_)] + mean_bonus_ > rivals_;
  }
  void shown(const Estimate& e, int u, double /*reward*/) {
    const auto i = static_cast<std::size_t>(u);
    const double most = e.means()[i] + most_added_[i];
    rivals_ = most > rivals_ ? most : rivals_;
  }
  void finish(const Estimate& /*estimate*/, int /*v*/) {}

  // Jumps: after choose(), the next draws are all of the vertex chosen, as long as stands() says so of what
  // they show.
  [[nodiscard]] std::int64_t plan(const Estimate& e, std::int64_t draws,
                                  std::vector<std::int64_t>& pulls) const;
  [[nodiscard]] bool stands(const Estimate& e, const Corridor& ahead);
  void jumped() { until_ = 0; }

 private:
  /// Whether the choice is still that of the last look, after `ahead` more pulls that leave the bounds of
  /// means in order.
  [[nodiscard]] bool stands(const Estimate& e, std::int64_t ahead) const {
    return holds(e) && enough_fire(e, ahead);
  }
  [[nodiscard]] bool enough_fire(const Estimate& e, std::int64_t ahead) const {
    const double N = e.pulls()[static_cast<std::size_t>(chosen_)] + static_cast<double>(ahead);
    return pseudo_ + e.count(chosen_, leader_) > needed_ * N;
  }
  int look(const Estimate& e);
  /// Widths, roots and inverses of the counts as they are now.
  void keep_up(const Estimate& e);
  /// G^ucb of the edges into a.
  void edges(const Estimate& e, int a, double width, double* out) const;

  std::vector<double> score_;
  std::vector<double> inverse_root_M_, M_;              // of max(1, M); the M that it is of
  std::vector<double> inverse_root_N_, inverse_N_, N_;  // of max(1, N); the N that they are of
  UcbWidths now_{0, false};                             // of the draws kept_
  std::int64_t kept_ = -1;
  double pseudo_ = 0.0;  // added to counts of edges
  // Of the last full look:
  int leader_ = 0, chosen_ = 0;
  std::int64_t span_ = 8, until_ = 0;  // draws
  std::vector<double> most_added_;     // to a mean, until then; −∞ at the leader
  double rivals_ = 0.0;                // the most that another mean's bound can be
  double mean_bonus_ = 0.0;            // the least that is added to the leader's mean
  double needed_ = 0.0;                // an estimate of the chosen edge that keeps it ahead of others
  std::size_t nearest_ = 0;            // the rival for whom a corridor last failed
};

/// The same where pairs are counted: one question less for each reward.
class UcbVRuleOfPairs : public UcbVRule {
 public:
  static constexpr bool kCountsPairs = true;
  using UcbVRule::UcbVRule;
};

}  // namespace tasfg
