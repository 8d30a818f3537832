#include "tasfg/algo/rules/ucb_fg_v.hpp"

#include <algorithm>
#include <cmath>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/extremes.hpp"

namespace tasfg {

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
  if (e.counts_pairs()) {
    const double* counts = e.seen_through(a);
    for (std::size_t v = 0; v < n; ++v)
      out[v] = (pseudo_ + counts[v]) * inverse_N_[v] + width * inverse_root_N_[v];
  } else {
    for (std::size_t v = 0; v < n; ++v) out[v] = width * inverse_root_N_[v];
    for (const Edge& edge : e.support().in(a)) {
      const auto v = static_cast<std::size_t>(edge.vertex);
      out[v] += e.count(edge.vertex, a) * inverse_N_[v];
    }
  }
  if (pseudo_ > 0.0 || e.pulled() == e.size()) return;
  for (std::size_t v = 0; v < n; ++v)
    if (e.pulls()[v] == 0.0) out[v] = 1.0 + width * inverse_root_N_[v];
}

void UcbVRule::keep_up(const Estimate& e) {
  if (kept_ == e.draws()) return;
  kept_ = e.draws();
  now_ = UcbWidths(e.draws(), e.graph_known());
  for (std::size_t v = 0; v < score_.size(); ++v) {
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
}

int UcbVRule::look(const Estimate& e) {
  const std::size_t n = score_.size();
  double* score = score_.data();
  keep_up(e);
  pseudo_ = e.prior() == GraphPrior::pseudo_count ? 1.0 : 0.0;
  const double* mean = e.means().data();
  for (std::size_t u = 0; u < n; ++u) score[u] = mean[u] + now_.mean * inverse_root_M_[u];
  leader_ = index_of_largest(score, n);
  edges(e, leader_, now_.edge, score);
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
  mean_bonus_ = now_.mean * (1.0 / std::sqrt(M_[a] + static_cast<double>(span)));
  if (e.graph_known()) {
    needed_ = -kInfinity;
  } else {
    const double bonus = now_.edge * (1.0 / std::sqrt(N_[v] + static_cast<double>(span)));
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

std::int64_t UcbVRule::plan(const Estimate& /*estimate*/, std::int64_t draws,
                            std::vector<std::int64_t>& pulls) const {
  std::fill(pulls.begin(), pulls.end(), 0);
  pulls[static_cast<std::size_t>(chosen_)] = draws;
  return draws;
}

bool UcbVRule::stands(const Estimate& e, const Corridor& ahead) {
  // Widths grow with the draws and shrink with what is seen: each bound at the end of the interval that
  // speaks against the choice.
  constexpr double kMargin = 8e-15;  // on the rounding of both sides, a few units of 1e-16
  const auto exceeds = [](double x, double y) { return x - y > kMargin * (std::abs(x) + std::abs(y)); };
  const auto root = [](double count) { return std::sqrt(std::max(count, 1.0)); };
  const auto a = static_cast<std::size_t>(leader_), v = static_cast<std::size_t>(chosen_);
  const std::size_t n = score_.size();
  double* score = score_.data();
  // Often the bounds of the last look will do.
  if (e.draws() + ahead.draws <= until_ && enough_fire(e, ahead.draws)) {
    for (std::size_t u = 0; u < n; ++u) score[u] = ahead.high[u] + most_added_[u];
    if (ahead.low[a] + mean_bonus_ > largest_of(score, n)) return true;
  }
  keep_up(e);
  const UcbWidths then(e.draws() + ahead.draws, e.graph_known());
  const double least = ahead.low[a] + now_.mean / root(ahead.observations[a]);
  const auto most = [&](std::size_t u) { return ahead.high[u] + then.mean * inverse_root_M_[u]; };
  // Who came too near last time often does so again.
  if (nearest_ != a && !exceeds(least, most(nearest_))) return false;
  for (std::size_t u = 0; u < n; ++u) score[u] = most(u);
  score[a] = -kInfinity;
  if (const double rival = largest_of(score, n); !exceeds(least, rival)) {
    nearest_ = static_cast<std::size_t>(first_index_of(rival, score, n));
    return false;
  }
  if (e.graph_known()) return true;
  edges(e, leader_, then.edge, score);
  score[v] = -kInfinity;
  return exceeds(ahead.edge_low[a] + now_.edge / root(e.pulls()[v] + static_cast<double>(ahead.draws)),
                 largest_of(score, n));
}

}  // namespace tasfg
