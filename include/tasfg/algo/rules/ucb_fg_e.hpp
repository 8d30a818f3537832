/// The rule `ucb-fg-e`.
#pragma once

#include <cstddef>
#include <vector>

#include "tasfg/algo/estimate.hpp"
#include "tasfg/algo/graph_product.hpp"
#include "tasfg/algo/ucb_widths.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// argmax_v (G^ucb μ^ucb)_v.
class UcbERule {
 public:
  explicit UcbERule(const Instance& instance);
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    if (e.counts_as_published()) {
      const double t = 1.0 + static_cast<double>(e.draws());
      if constexpr (requires { Stream::log(t); })
        return pick_as_published(e, Stream::log(t));
      else
        return pick_as_published(e, log(t));
    }
    const UcbWidths widths = next_widths_;
    // The next choice's widths depend on no data: their long chain of operations runs beside the rest of this
    // step.
    next_widths_ = UcbWidths(e.draws() + 1, e.graph_known());
    return pick(e, widths);
  }
  void shown(const Estimate& /*estimate*/, int u, double /*reward*/) { stale_[stale_count_++] = u; }
  void finish(const Estimate& e, int v);

 private:
  /// With one root for each entry, as the published runs rounded it.
  int pick_as_published(const Estimate& e, double log_t);
  int pick(const Estimate& e, const UcbWidths& widths);

  GraphProduct product_;
  std::vector<double> mean_, edge_, score_;              // edge_: what is added to Ĝ, by rows
  std::vector<double> inverse_root_M_, inverse_root_N_;  // of max(1, ·)
  std::vector<int> stale_;                               // vertices observed in this draw
  std::size_t stale_count_ = 0;
  UcbWidths next_widths_{0, false};
};

}  // namespace tasfg
