/// The sampling rules. Each is a small class with
///
///   - int choose(const Estimate&, Stream&): the next vertex, from what is known and the rule's own
///   randomness;
///   - void shown(const Estimate&, int u, double reward): called for each reward that the chosen vertex
///   shows;
///   - void finish(const Estimate&, int v): called after the draw of v.
///
/// A rule that can tell for how long its choice stands may also have
///
///   - std::int64_t repeats(const Estimate&): how many draws, at least 1, are of the vertex just chosen as
///   long as
///   - bool holds(const Estimate&) after each reward shown.
///
/// Several draws may then be made at once: finish() is not called for them, and while they are made the
/// estimate's draws() and pulls() are those before the first.
///
/// The step loop is a template over the rule, so that these inline; none allocates after construction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/algo/estimate.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/numpy_stream.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// Index i with probability p_i (p sums to 1): inverse cdf of one uniform.
inline int draw_index(NumpyStream& stream, std::span<const double> p) {
  return stream.choice(p);
}
inline int draw_index(PhiloxStream& stream, std::span<const double> p) {
  double left = stream.uniform();
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    if (left < p[i]) return static_cast<int>(i);
    left -= p[i];
  }
  return static_cast<int>(p.size()) - 1;
}

/// What rules without memory of rewards share.
struct NoMemory {
  void shown(const Estimate& /*estimate*/, int /*u*/, double /*reward*/) {}
  void finish(const Estimate& /*estimate*/, int /*v*/) {}
};

/// All vertices in turn.
class UniformRule : public NoMemory {
 public:
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    return static_cast<int>(e.draws() % e.size());
  }
};

/// (Ĝ x)_v for all v, in O(edges seen): vertices never pulled count with the prior's row.
class GraphProduct {
 public:
  explicit GraphProduct(const Instance& instance);
  void multiply(const Estimate& e, const std::vector<double>& x, std::vector<double>& out) const;

 private:
  struct OutEdge {
    std::uint32_t to;
    std::uint32_t count;  // where the estimate keeps N_vu
    double probability;
  };
  std::vector<OutEdge> edges_;  // of all vertices in turn
  std::vector<std::size_t> begin_;
  bool dense_;  // so many edges that all pairs take less time
};

/// The closed-form allocations of an estimated model, without allocating.
class ClosedForm {
 public:
  ClosedForm(const Instance& instance, RuleKind kind);
  /// Writes ω to `out`; false where the estimated best vertex is not unique.
  bool allocate(const Estimate& e, std::vector<double>& out);
  /// G Δ⁻² alone; false as above.
  bool scores(const Estimate& e, std::vector<double>& out);

 private:
  RuleKind kind_;
  GraphProduct product_;
  std::vector<double> inverse_square_;
  std::vector<int> order_;
  std::vector<char> seen_;
};

/// The optimal allocation of an estimated model, by warm solves.
class OptimalAllocation {
 public:
  /// `gap` as in Algorithm.
  OptimalAllocation(const Instance& instance, double gap, AllocationUpdate update);
  bool allocate(const Estimate& e, std::vector<double>& out);

 private:
  RewardFamily reward_;
  double gap_;
  SolveOptions options_;
  CharacteristicTimeSolver solver_;
  std::vector<double> graph_;
  std::vector<double> row_pulls_;  // pulls when a row of graph_ was last written
};

/// Follows a sequence of allocations with the counts N (subsec "Sampling Rule").
class Tracker {
 public:
  Tracker(const Instance& instance, const Algorithm& algorithm, const Conventions& conventions);
  [[nodiscard]] bool due(const Estimate& e) const {
    return conventions_.allocation_update == AllocationUpdate::every_5K ? e.draws() % (5 * e.size()) == 0
                                                                        : e.draws() % algorithm_.period == 0;
  }
  /// The newest allocation; `known` is false where the model has none (its best vertex is not unique).
  void add(const Estimate& e, const std::vector<double>& allocation, bool known);
  /// The next vertex.
  [[nodiscard]] int choose(const Estimate& e);

 private:
  void project(double floor, const std::vector<double>& allocation);

  const Algorithm algorithm_;
  const Conventions conventions_;
  std::vector<double> total_;    // Σ of allocations, or the running one
  std::vector<double> current_;  // the allocation in force, for periods beyond 1
  std::vector<double> sorted_;
  double updates_ = 0.0;
};

/// TaS-FG and its variants: an allocation of the estimated model, tracked.
template <typename Allocation>
class TasRule : public NoMemory {
 public:
  TasRule(Allocation allocation, Tracker tracker, int K)
      : allocation_(std::move(allocation)),
        tracker_(std::move(tracker)),
        omega_(static_cast<std::size_t>(K)) {}

  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    if (tracker_.due(e)) {
      const bool known = allocation_.allocate(e, omega_);
      tracker_.add(e, omega_, known);
    } else {
      tracker_.add(e, omega_, false);
    }
    return tracker_.choose(e);
  }

 private:
  Allocation allocation_;
  Tracker tracker_;
  std::vector<double> omega_;
};

/// D-tracking of a fixed allocation.
class OracleRule : public NoMemory {
 public:
  explicit OracleRule(std::vector<double> allocation) : allocation_(std::move(allocation)) {}
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    const double t = static_cast<double>(e.draws() + 1);
    int chosen = 0;
    double least = e.pulls()[0] - t * allocation_[0];
    for (std::size_t v = 1; v < allocation_.size(); ++v) {
      const double lag = e.pulls()[v] - t * allocation_[v];
      if (lag < least) {
        least = lag;
        chosen = static_cast<int>(v);
      }
    }
    return chosen;
  }

 private:
  std::vector<double> allocation_;
};

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

/// √(2 ln(1 + t)) and √(ln(1 + t)/2), the widths of both UCB rules' bounds after t draws; 0 at the first.
struct UcbWidths {
  explicit UcbWidths(std::int64_t draws, bool graph_known) {
    if (draws == 0) return;
    const double l = log(1.0 + static_cast<double>(draws));
    mean = std::sqrt(2.0 * l);
    edge = graph_known ? 0.0 : std::sqrt(0.5 * l);
  }
  double mean = 0.0, edge = 0.0;
};

/// argmax_v (G^ucb μ^ucb)_v.
class UcbERule {
 public:
  explicit UcbERule(const Instance& instance);
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    const UcbWidths widths = next_widths_;
    // The next choice's widths depend on no data: their long chain of operations runs beside the rest of this
    // step.
    next_widths_ = UcbWidths(e.draws() + 1, e.graph_known());
    return pick(e, widths);
  }
  void shown(const Estimate& /*estimate*/, int u, double /*reward*/) { stale_[stale_count_++] = u; }
  void finish(const Estimate& e, int v);

 private:
  int pick(const Estimate& e, const UcbWidths& widths);

  GraphProduct product_;
  std::vector<double> mean_, score_;
  std::vector<double> inverse_root_M_, inverse_root_N_;  // of max(1, ·)
  std::vector<int> stale_;                               // vertices observed in this draw
  std::size_t stale_count_ = 0;
  UcbWidths next_widths_{0, false};
};

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

 private:
  /// Whether the choice is still that of the last look, after `ahead` more pulls that leave the bounds of
  /// means in order.
  [[nodiscard]] bool stands(const Estimate& e, std::int64_t ahead) const {
    const double N = e.pulls()[static_cast<std::size_t>(chosen_)] + static_cast<double>(ahead);
    return holds(e) && pseudo_ + e.count(chosen_, leader_) > needed_ * N;
  }
  int look(const Estimate& e);
  /// G^ucb of the edges into a.
  void edges(const Estimate& e, int a, double width, double* out) const;

  std::vector<double> score_;
  std::vector<double> inverse_root_M_, M_;              // of max(1, M); the M that it is of
  std::vector<double> inverse_root_N_, inverse_N_, N_;  // of max(1, N); the N that they are of
  double pseudo_ = 0.0;                                 // added to counts of edges
  // Of the last full look:
  int leader_ = 0, chosen_ = 0;
  std::int64_t span_ = 8, until_ = 0;  // draws
  std::vector<double> most_added_;     // to a mean, until then; −∞ at the leader
  double rivals_ = 0.0;                // the most that another mean's bound can be
  double mean_bonus_ = 0.0;            // the least that is added to the leader's mean
  double needed_ = 0.0;                // an estimate of the chosen edge that keeps it ahead of others
};

/// With probability ε a uniform vertex, else the estimated best (plain) or the most informative one.
class EpsGreedyRule : public NoMemory {
 public:
  EpsGreedyRule(const Instance& instance, const Algorithm& algorithm);
  template <typename Stream>
  int choose(const Estimate& e, Stream& stream) {
    const double u = stream.uniform();
    if (u < epsilon_) return std::min(static_cast<int>(u / epsilon_ * e.size()), e.size() - 1);
    return informative_ ? most_informative(e) : e.best();
  }

 private:
  int most_informative(const Estimate& e);
  double epsilon_;
  bool informative_;
  ClosedForm closed_form_;
  std::vector<double> scores_;
};

}  // namespace tasfg
