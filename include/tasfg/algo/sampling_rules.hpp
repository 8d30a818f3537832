/// The sampling rules. Each is a small class with
///   int choose(const Estimate&, Stream&)   the next vertex, from what is known and the rule's own
///   randomness; void shown(int u, double reward)        called for each reward that the chosen vertex shows;
///   void finish(const Estimate&, int v)     called after the draw of v.
/// The step loop is a template over the rule, so that these inline; none allocates after construction.
#pragma once

#include <cmath>
#include <cstddef>
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
  void shown(int /*u*/, double /*reward*/) {}
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
  OptimalAllocation(const Instance& instance, double gap);
  bool allocate(const Estimate& e, std::vector<double>& out);

 private:
  RewardFamily reward_;
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
    shown_.clear();
    return draw_index(stream, p_);
  }
  void shown(int u, double reward) { shown_.push_back({u, reward}); }
  void finish(const Estimate& e, int v);

 private:
  static constexpr double kExploration = 0.3;
  Exp3Variant variant_;
  const FeedbackGraph* graph_;
  double rate_;
  std::vector<double> p_, q_;
  std::vector<Edge> shown_;  // vertex and reward
};

/// The upper confidence bounds that both UCB rules use, with ln(1 + draws).
class ConfidenceBounds {
 public:
  explicit ConfidenceBounds(int K);
  /// To be called before each choice. The next choice's widths are worked out now: they depend on no data, so
  /// that their long chain of operations runs beside the rest of this step.
  void advance(const Estimate& e) {
    mean_width_ = next_mean_width_;
    edge_width_ = next_edge_width_;
    const double l = log(2.0 + static_cast<double>(e.draws()));
    next_mean_width_ = std::sqrt(2.0 * l);
    next_edge_width_ = e.graph_known() ? 0.0 : std::sqrt(0.5 * l);
  }
  void shown(int u) { stale_[stale_count_++] = u; }
  void finish(const Estimate& e, int v);
  /// μ̂^ucb of all vertices.
  void means(const Estimate& e, double* out) const {
    const double* mean = e.means().data();
    const double* root = inverse_root_M_.data();
    for (std::size_t u = 0; u < inverse_root_M_.size(); ++u) out[u] = mean[u] + mean_width_ * root[u];
  }
  /// Ĝ^ucb of the edges into one vertex, from the counts N_vu plus `pseudo`.
  void edges(const double* counts, double pseudo, double* out) const {
    const double* inverse = inverse_N_.data();
    const double* root = inverse_root_N_.data();
    for (std::size_t v = 0; v < inverse_N_.size(); ++v)
      out[v] = (pseudo + counts[v]) * inverse[v] + edge_width_ * root[v];
  }
  [[nodiscard]] double edge_bonus(std::size_t v) const { return edge_width_ * inverse_root_N_[v]; }

 private:
  double mean_width_ = 0.0, edge_width_ = 0.0;  // √(2 ln(1 + t)), √(ln(1 + t)/2); 0 at the first draw
  double next_mean_width_ = 0.0, next_edge_width_ = 0.0;             // at the next draw
  std::vector<double> inverse_root_M_, inverse_root_N_, inverse_N_;  // of max(1, ·)
  std::vector<int> stale_;                                           // vertices observed in this draw
  std::size_t stale_count_ = 0;
};

/// What both UCB rules do; `Rule::pick` chooses from the bounds.
template <typename Rule>
class UcbRule {
 public:
  explicit UcbRule(int K) : bounds_(K) {}
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    bounds_.advance(e);
    return static_cast<Rule*>(this)->pick(e);
  }
  void shown(int u, double /*reward*/) { bounds_.shown(u); }
  void finish(const Estimate& e, int v) { bounds_.finish(e, v); }

 protected:
  ConfidenceBounds bounds_;
};

/// argmax_v (G^ucb μ^ucb)_v.
class UcbERule : public UcbRule<UcbERule> {
 public:
  explicit UcbERule(const Instance& instance);
  int pick(const Estimate& e);

 private:
  GraphProduct product_;
  std::vector<double> mean_, score_;
};

/// argmax_v G^ucb_{v,a} at a = argmax μ^ucb.
class UcbVRule : public UcbRule<UcbVRule> {
 public:
  explicit UcbVRule(const Instance& instance);
  int pick(const Estimate& e);

 private:
  std::vector<double> score_;
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
