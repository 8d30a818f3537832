#include "tasfg/algo/sampling_rules.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace tasfg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

GraphProduct::GraphProduct(const Instance& instance) {
  const auto stride = static_cast<std::uint32_t>(padded(static_cast<std::size_t>(instance.size())));
  begin_.push_back(0);
  for (int v = 0; v < instance.size(); ++v) {
    for (const Edge& edge : instance.graph().out(v)) {
      const auto u = static_cast<std::uint32_t>(edge.vertex);
      edges_.push_back({u, u * stride + static_cast<std::uint32_t>(v), edge.probability});
    }
    begin_.push_back(edges_.size());
  }
  const auto n = static_cast<std::size_t>(instance.size());
  dense_ = edges_.size() > n * n / 4;
}

void GraphProduct::multiply(const Estimate& e, const std::vector<double>& x, std::vector<double>& out) const {
  const std::size_t n = out.size();
  if (e.graph_known()) {
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0.0;
      for (std::size_t i = begin_[v]; i < begin_[v + 1]; ++i) sum += edges_[i].probability * x[edges_[i].to];
      out[v] = sum;
    }
    return;
  }
  if (e.prior() == GraphPrior::pseudo_count) {
    // Every entry is positive here; in index order, as the published data had it.
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0.0;
      for (std::size_t u = 0; u < n; ++u) sum += e.edge(static_cast<int>(v), static_cast<int>(u)) * x[u];
      out[v] = sum;
    }
    return;
  }
  // A count can be positive on existing edges only.
  const double* counts = e.counts();
  const double* pulls = e.pulls().data();
  if (dense_) {  // the same sums, with zeros in them
    combine_rows(counts, padded(n), n, x.data(), out.data());
    for (std::size_t v = 0; v < n; ++v) out[v] /= pulls[v];
  } else {
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0.0;
      for (std::size_t i = begin_[v]; i < begin_[v + 1]; ++i)
        sum += counts[edges_[i].count] * x[edges_[i].to];
      out[v] = sum / pulls[v];
    }
  }
  if (e.pulled() == e.size()) return;
  double total = 0.0;
  for (const double value : x) total += value;
  for (std::size_t v = 0; v < n; ++v)
    if (pulls[v] == 0.0) out[v] = total;
}

ClosedForm::ClosedForm(const Instance& instance, RuleKind kind)
    : kind_(kind),
      product_(instance),
      inverse_square_(static_cast<std::size_t>(instance.size())),
      order_(static_cast<std::size_t>(instance.size())),
      seen_(static_cast<std::size_t>(instance.size())) {}

bool ClosedForm::scores(const Estimate& e, std::vector<double>& out) {
  if (e.exact_gaps() ? e.draws() == 0 : !e.best_is_unique()) return false;
  const std::size_t n = inverse_square_.size();
  const auto a = static_cast<std::size_t>(e.best());
  const double top = e.means()[a];
  for (std::size_t u = 0; u < n; ++u) {
    const double gap = top - e.means()[u];
    inverse_square_[u] = 1.0 / (gap * gap);
  }
  inverse_square_[a] = 0.0;
  const double largest = largest_of(inverse_square_.data(), n);
  if (!std::isfinite(largest)) return false;  // a gap of 0: the best vertex is not unique
  inverse_square_[a] = largest;               // Δ at the best vertex is the smallest gap
  product_.multiply(e, inverse_square_, out);
  return true;
}

bool ClosedForm::allocate(const Estimate& e, std::vector<double>& out) {
  if (!scores(e, out)) return false;
  const std::size_t n = out.size();
  if (kind_ == RuleKind::tas_heuristic) {
    double total = 0.0;
    for (const double score : out) total += score;
    if (!(total > 0.0 && std::isfinite(total))) return false;
    for (double& value : out) value /= total;
    return true;
  }
  std::size_t chosen = 0;  // the first of order_
  if (kind_ == RuleKind::tas_argmax) {
    const double top = *std::max_element(out.begin(), out.end());
    for (std::size_t v = 0; v < n; ++v)
      if (out[v] >= top * (1.0 - 1e-12)) order_[chosen++] = static_cast<int>(v);
  } else {
    for (std::size_t v = 0; v < n; ++v) order_[v] = static_cast<int>(v);
    std::sort(order_.begin(), order_.end(), [&](int v, int w) {
      const double x = out[static_cast<std::size_t>(v)];
      const double y = out[static_cast<std::size_t>(w)];
      return x != y ? x > y : v < w;
    });
    std::fill(seen_.begin(), seen_.end(), char{0});
    std::size_t left = n;
    while (chosen < n && left > 0) {
      const int v = order_[chosen++];
      for (std::size_t u = 0; u < n; ++u) {
        if (seen_[u] == 0 && e.edge(v, static_cast<int>(u)) > 0.0) {
          seen_[u] = 1;
          --left;
        }
      }
    }
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < chosen; ++i)
    out[static_cast<std::size_t>(order_[i])] = 1.0 / static_cast<double>(chosen);
  return true;
}

OptimalAllocation::OptimalAllocation(const Instance& instance, double gap, AllocationUpdate update)
    : reward_(instance.reward()),
      // The published rule solves rarely, and closely.
      gap_(gap == 0.0 && update == AllocationUpdate::every_5K ? 1e-7 : gap),
      graph_(static_cast<std::size_t>(instance.size()) * static_cast<std::size_t>(instance.size()), 0.0),
      row_pulls_(static_cast<std::size_t>(instance.size()), -1.0) {}

bool OptimalAllocation::allocate(const Estimate& e, std::vector<double>& out) {
  if (!e.best_is_unique()) return false;
  const auto n = out.size();
  for (std::size_t v = 0; v < n; ++v) {
    if (row_pulls_[v] == e.pulls()[v]) continue;
    row_pulls_[v] = e.pulls()[v];
    for (std::size_t u = 0; u < n; ++u) graph_[v * n + u] = e.edge(static_cast<int>(v), static_cast<int>(u));
  }
  // The estimates are off by a few times 1/√t of themselves: solving for them more closely than that changes
  // nothing but the time that it takes.
  constexpr double kOfEstimates = 0.5;
  options_.gap =
      gap_ > 0.0 ? gap_ : std::min(0.1, kOfEstimates / std::sqrt(static_cast<double>(e.draws() + 1)));
  options_.acceptable = std::max(options_.gap, 1e-4);
  const SolveInfo info = solver_.solve_warm({e.size(), graph_, e.means(), e.best(), &reward_}, options_);
  if (info.status == SolveStatus::infeasible) return false;
  const auto solution = solver_.allocation();
  std::copy(solution.begin(), solution.end(), out.begin());
  return true;
}

Tracker::Tracker(const Instance& instance, const Algorithm& algorithm, const Conventions& conventions)
    : algorithm_(algorithm),
      conventions_(conventions),
      total_(static_cast<std::size_t>(instance.size()), 0.0),
      current_(static_cast<std::size_t>(instance.size()), 1.0 / instance.size()),
      sorted_(static_cast<std::size_t>(instance.size())) {}

/// sorted_ ← max(allocation − c, floor) with c such that it sums to 1: the ℓ∞ projection on {ω ≥ floor}.
void Tracker::project(double floor, const std::vector<double>& allocation) {
  sorted_ = allocation;
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  const std::size_t n = sorted_.size();
  double head = 0.0;
  double shift = 0.0;
  for (std::size_t k = 1; k <= n; ++k) {  // the k largest stay above the floor
    head += sorted_[k - 1];
    const double c = (head + static_cast<double>(n - k) * floor - 1.0) / static_cast<double>(k);
    if (k == n || sorted_[k] - c <= floor) {
      shift = c;
      break;
    }
  }
  for (std::size_t v = 0; v < n; ++v) sorted_[v] = std::max(allocation[v] - shift, floor);
}

void Tracker::add(const Estimate& e, const std::vector<double>& allocation, bool known) {
  const std::size_t n = total_.size();
  if (conventions_.allocation_update == AllocationUpdate::every_5K) {
    if (!known) return;
    updates_ += 1.0;
    for (std::size_t v = 0; v < n; ++v) total_[v] += allocation[v];
    return;
  }
  if (known) current_ = allocation;
  switch (algorithm_.tracking) {
    case Tracking::averaged_d:
      for (std::size_t v = 0; v < n; ++v) total_[v] += current_[v];
      break;
    case Tracking::d:
      total_ = current_;
      break;
    case Tracking::c: {
      const double K = static_cast<double>(n);
      project(0.5 / std::sqrt(K * K + static_cast<double>(e.draws())), current_);
      for (std::size_t v = 0; v < n; ++v) total_[v] += sorted_[v];
      break;
    }
    case Tracking::exponential:
      if (updates_ == 0.0) total_ = current_;
      updates_ = 1.0;
      for (std::size_t v = 0; v < n; ++v) total_[v] += algorithm_.weight * (current_[v] - total_[v]);
      break;
  }
}

int Tracker::choose(const Estimate& e) {
  const std::size_t n = total_.size();
  const std::vector<double>& N = e.pulls();
  const double t = static_cast<double>(e.draws() + 1);
  const bool reference = conventions_.allocation_update == AllocationUpdate::every_5K;
  if (reference || algorithm_.tracking != Tracking::c) {
    const double least = std::sqrt(t) - 0.5 * static_cast<double>(n);
    const double fewest = smallest_of(N.data(), n);
    if (fewest < least) {
      if (conventions_.forced_exploration == ForcedExploration::least_pulled)
        return first_index_of(fewest, N.data(), n);
      int v = 0;
      while (!(N[static_cast<std::size_t>(v)] < least)) ++v;
      return v;
    }
  }
  const double K = static_cast<double>(n);
  const bool scaled = algorithm_.tracking == Tracking::d || algorithm_.tracking == Tracking::exponential;
  for (std::size_t v = 0; v < n; ++v) {
    sorted_[v] = reference ? N[v] / t - (updates_ > 0.0 ? total_[v] / updates_ : 1.0 / K)
                 : scaled  ? N[v] - t * total_[v]
                           : N[v] - total_[v];
  }
  return index_of_smallest(sorted_.data(), n);
}

Exp3Rule::Exp3Rule(const Instance& instance, const Conventions& conventions)
    : variant_(conventions.exp3),
      graph_(&instance.graph()),
      rate_(conventions.exp3 == Exp3Variant::reference ? 1.0 / instance.size() : 0.3),
      p_(padded(static_cast<std::size_t>(instance.size())), 1.0 / instance.size()),
      q_(p_.begin(), p_.begin() + instance.size()),
      vertex_(q_.size()),
      gain_(p_.size(), 0.0) {}

double Exp3Rule::weight_of(const Estimate& e, int u) const {
  const auto edges = graph_->in(u);
  if (e.graph_known()) {
    double weight = 0.0;
    for (const Edge& edge : edges) weight += p_[static_cast<std::size_t>(edge.vertex)];
    return weight;
  }
  const std::size_t n = q_.size();
  const double* through = e.seen_through(u);
  if (e.pulled() == e.size()) {
    // A count can be positive on existing edges only. Where there are many, four sums side by side over all
    // vertices take less time than one over those.
    if (edges.size() > n / 4) return sum_where(through, p_.data(), n);
    double weight = 0.0;
    for (const Edge& edge : edges) {
      const auto v = static_cast<std::size_t>(edge.vertex);
      weight += through[v] > 0.0 ? p_[v] : 0.0;
    }
    return weight;
  }
  double weight = 0.0;
  for (std::size_t v = 0; v < n; ++v)
    if (through[v] > 0.0 || e.pulls()[v] == 0.0) weight += p_[v];
  return weight;
}

void Exp3Rule::finish(const Estimate& e, int /*v*/) {
  for (std::size_t i = 0; i < shown_; ++i)
    gain_[i] = rate_ * gain_[i] / (variant_ == Exp3Variant::paper ? weight_of(e, vertex_[i]) : 1.0);
  exp_each(gain_.data(), shown_);
  for (std::size_t i = 0; i < shown_; ++i) q_[static_cast<std::size_t>(vertex_[i])] *= gain_[i];
  double total = 0.0;
  for (const double value : q_) total += value;
  if (!(total > 0.0 && total < kInfinity)) {  // a reward so large that exp overflowed: all weight on it
    for (double& value : q_) value = value > 1e300 ? 1.0 : 0.0;
    total = 0.0;
    for (const double value : q_) total += value;
    if (total == 0.0) {
      std::fill(q_.begin(), q_.end(), 1.0);
      total = static_cast<double>(q_.size());
    }
  }
  for (double& value : q_) value /= total;
}

UcbERule::UcbERule(const Instance& instance)
    : product_(instance),
      mean_(static_cast<std::size_t>(instance.size())),
      score_(mean_),
      inverse_root_M_(mean_.size(), 1.0),
      inverse_root_N_(inverse_root_M_),
      stale_(mean_.size()) {}

void UcbERule::finish(const Estimate& e, int v) {
  for (std::size_t k = 0; k < stale_count_; ++k) {
    const auto u = static_cast<std::size_t>(stale_[k]);
    inverse_root_M_[u] = 1.0 / std::sqrt(e.observations()[u]);
  }
  stale_count_ = 0;
  const auto i = static_cast<std::size_t>(v);
  inverse_root_N_[i] = 1.0 / std::sqrt(e.pulls()[i]);
}

int UcbERule::pick(const Estimate& e, const UcbWidths& widths) {
  const std::size_t n = mean_.size();
  for (std::size_t u = 0; u < n; ++u) mean_[u] = e.means()[u] + widths.mean * inverse_root_M_[u];
  double total = 0.0;
  for (const double value : mean_) total += value;
  product_.multiply(e, mean_, score_);
  for (std::size_t v = 0; v < n; ++v) score_[v] += widths.edge * inverse_root_N_[v] * total;
  return index_of_largest(score_.data(), n);
}

UcbVRule::UcbVRule(const Instance& instance)
    : score_(static_cast<std::size_t>(instance.size())),
      inverse_root_M_(score_.size(), 1.0),
      M_(score_.size(), 0.0),
      inverse_root_N_(inverse_root_M_),
      inverse_N_(inverse_root_M_),
      N_(M_),
      most_added_(M_) {}

void UcbVRule::edges(const Estimate& e, int a, double width, double* out) const {
  const std::size_t n = score_.size();
  if (e.graph_known()) {
    for (std::size_t v = 0; v < n; ++v) out[v] = e.edge(static_cast<int>(v), a);
    return;
  }
  const double* counts = e.seen_through(a);
  for (std::size_t v = 0; v < n; ++v)
    out[v] = (pseudo_ + counts[v]) * inverse_N_[v] + width * inverse_root_N_[v];
  if (pseudo_ > 0.0 || e.pulled() == e.size()) return;
  for (std::size_t v = 0; v < n; ++v)
    if (e.pulls()[v] == 0.0) out[v] = 1.0 + width * inverse_root_N_[v];
}

int UcbVRule::look(const Estimate& e) {
  const std::size_t n = score_.size();
  double* score = score_.data();
  for (std::size_t v = 0; v < n; ++v) {
    if (M_[v] != e.observations()[v]) {
      M_[v] = e.observations()[v];
      inverse_root_M_[v] = 1.0 / std::sqrt(M_[v]);
    }
    if (N_[v] != e.pulls()[v]) {
      N_[v] = e.pulls()[v];
      inverse_root_N_[v] = 1.0 / std::sqrt(N_[v]);
      inverse_N_[v] = 1.0 / N_[v];
    }
  }
  pseudo_ = e.prior() == GraphPrior::pseudo_count ? 1.0 : 0.0;
  const UcbWidths now(e.draws(), e.graph_known());
  const double* mean = e.means().data();
  for (std::size_t u = 0; u < n; ++u) score[u] = mean[u] + now.mean * inverse_root_M_[u];
  leader_ = index_of_largest(score, n);
  edges(e, leader_, now.edge, score);
  chosen_ = index_of_largest(score, n);

  // How long the choice may stand without another look. log grows visibly from one draw to the next up to
  // here.
  constexpr std::int64_t kLongestRun = std::int64_t{1} << 36;
  // A long span makes wide bounds. It shrinks where they met too soon, and grows where they held.
  constexpr std::int64_t kShortestSpan = 8;
  span_ = e.draws() < until_ ? std::max(kShortestSpan, span_ / 4) : std::min(2 * span_, 32 + e.draws() / 256);
  const std::int64_t span = span_;
  until_ = e.draws() + span;
  const auto a = static_cast<std::size_t>(leader_);
  const auto v = static_cast<std::size_t>(chosen_);
  if (until_ > kLongestRun || N_[v] == 0.0) {
    until_ = 0;
    return chosen_;
  }
  const UcbWidths then(until_, e.graph_known());
  mean_bonus_ = now.mean * (1.0 / std::sqrt(M_[a] + static_cast<double>(span)));
  if (e.graph_known()) {
    needed_ = -kInfinity;
  } else {
    const double bonus = now.edge * (1.0 / std::sqrt(N_[v] + static_cast<double>(span)));
    edges(e, leader_, then.edge, score);
    score[v] = -kInfinity;
    const double others = largest_of(score, n);
    constexpr double kMargin = 1e-14;  // of numbers up to 3 or so, added and divided with rounding
    needed_ = others - bonus + kMargin * (others + bonus + 3.0);
  }
  for (std::size_t u = 0; u < n; ++u) most_added_[u] = then.mean * inverse_root_M_[u];
  most_added_[a] = -kInfinity;
  for (std::size_t u = 0; u < n; ++u) score[u] = mean[u] + most_added_[u];
  rivals_ = largest_of(score, n);
  return chosen_;
}

EpsGreedyRule::EpsGreedyRule(const Instance& instance, const Algorithm& algorithm)
    : epsilon_(algorithm.epsilon),
      informative_(algorithm.rule == RuleKind::eps_greedy_info),
      closed_form_(instance, RuleKind::tas_heuristic),
      scores_(static_cast<std::size_t>(instance.size())) {}

int EpsGreedyRule::most_informative(const Estimate& e) {
  return closed_form_.scores(e, scores_) ? index_of_largest(scores_.data(), scores_.size()) : e.best();
}

}  // namespace tasfg
