#include "tasfg/solve/regimes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

using Support = std::vector<std::uint8_t>;

bool within(const Support& inner, const Support& outer) {
  for (std::size_t v = 0; v < inner.size(); ++v)
    if (inner[v] > outer[v]) return false;
  return true;
}

/// A point where the support is beyond doubt, and how far away from the change it is known to last.
struct Known {
  double at, extent;
  Support support;
};

/// The value at x of the polynomial through the points (Neville's scheme).
double polynomial(std::span<const double> xs, std::span<const double> ys, double x) {
  std::vector<double> y(ys.begin(), ys.end());
  for (std::size_t order = 1; order < y.size(); ++order)
    for (std::size_t i = 0; i + order < y.size(); ++i)
      y[i] = ((x - xs[i + order]) * y[i] - (x - xs[i]) * y[i + 1]) / (xs[i] - xs[i + order]);
  return y[0];
}

class RegimeSearch {
 public:
  RegimeSearch(const ModelFamily& family, double width)
      : family_(family), model_(family.view()), width_(width) {}

  /// All changes between two points of different supports.
  void search(const Known& left, const Known& right) {
    if (left.support == right.support) return;
    // Regimes in between come apart first, as far as points tell.
    constexpr double kDoubtful = 1e-5;
    if (right.at - left.at > kDoubtful) {
      for (const double share : {0.5, 0.37, 0.71}) {
        if (auto known = look(left.at + share * (right.at - left.at))) {
          Known before = *known, after = *known;
          if (known->support == left.support) before.extent = after.extent = left.extent;
          if (known->support == right.support) before.extent = after.extent = right.extent;
          search(left, after);
          search(before, right);
          return;
        }
      }
    }
    locate(left, right);
  }

  std::vector<RegimeChange> found;

 private:
  std::optional<Known> look(double at) {
    PointSolution point = solve_point(model_, family_.matrix({at, 0.0}), solver_);
    if (!point.finite() || !point.clear) return {};
    return Known{at, at, std::move(point.support)};
  }

  /// By how much the best price of another vertex exceeds the best of these, relative, where only these can
  /// be chosen: negative while they suffice.
  double lead(const Support& support, double at) {
    const std::vector<double> full = family_.matrix({at, 0.0});
    std::vector<double> graph = full;
    const std::size_t K = support.size();
    for (std::size_t v = 0; v < K; ++v)
      if (support[v] == 0) std::fill_n(graph.begin() + static_cast<std::ptrdiff_t>(v * K), K, 0.0);
    ModelView model = model_;
    model.graph = graph;
    SolveOptions options;
    options.gap = 1e-13;
    if (solver_.solve_cold(model, options).status == SolveStatus::infeasible) return 1.0;
    const std::vector<double> g = certificate_prices(model, solver_.weights(), solver_.dual_point());
    double inside = 0.0, outside = 0.0;
    for (std::size_t v = 0; v < K; ++v) {
      double price = 0.0;
      for (std::size_t u = 0; u < K; ++u) price += full[v * K + u] * g[u];
      double& largest = support[v] != 0 ? inside : outside;
      largest = std::max(largest, price);
    }
    return outside / inside - 1.0;
  }

  void locate(const Known& left, const Known& right) {
    // Where vertices enter, the old ones suffice on the left; where they only leave, the new ones on the
    // right.
    const bool enters = !within(right.support, left.support);
    const Known& from = enters ? left : right;
    const Known& to = enters ? right : left;
    const Support& asked = from.support;
    const Zero first = zero_of_lead(asked, -1.0, from, to);
    RegimeChange change{first.at - first.error, first.at + first.error, {}, {}};
    if (lead(asked, to.at) > kTie) {  // elsewhere a tie: optimal allocations become many at the change
      const Zero second = zero_of_lead(asked, 1.0, to, from);
      change.low = std::min(change.low, second.at - second.error);
      change.high = std::max(change.high, second.at + second.error);
    }
    change.low = std::clamp(change.low, left.at, right.at);
    change.high = std::clamp(change.high, left.at, right.at);
    for (std::size_t v = 0; v < left.support.size(); ++v) {
      if (left.support[v] < right.support[v]) change.entering.push_back(static_cast<int>(v));
      if (left.support[v] > right.support[v]) change.leaving.push_back(static_cast<int>(v));
    }
    found.push_back(std::move(change));
  }

  struct Zero {
    double at, error;
  };

  /// Where the lead, of this sign at `from`, becomes 0. It is smooth but for jumps, and hard to compute where
  /// it is nearly 0: its zero is extrapolated from where it is clear.
  Zero zero_of_lead(const Support& asked, double sign, const Known& from, const Known& to) {
    // `from` itself may lie so near to the change that nothing is clear there.
    double edge = from.at, beyond = to.at, most = 0.0;
    for (const double share : {0.0, 0.01, 0.1, 0.5}) {
      const double inside = from.at + share * (from.extent - from.at);
      const double value = sign * lead(asked, inside);
      if (value > most) edge = inside;
      most = std::max(most, value);
      if (most > 10.0 * kClear) break;
    }
    const double clear = std::min(kClear, 0.1 * most);
    while (std::abs(beyond - edge) > 0.25 * width_) {
      const double middle = edge + 0.5 * (beyond - edge);
      if (middle == edge || middle == beyond) break;
      (sign * lead(asked, middle) > clear ? edge : beyond) = middle;
    }
    const double here = lead(asked, edge);
    if (sign * lead(asked, beyond) < 0.5 * clear)  // a jump
      return {0.5 * (edge + beyond), 0.5 * std::abs(beyond - edge) + 0.1 * width_};
    // Steps of about the distance that is left, back into the regime.
    const double back = from.extent - edge;
    double step = back / 500.0;
    const double slope = step == 0.0 ? 0.0 : (lead(asked, edge + step) - here) / step;
    if (slope * back * here <= 0.0) return {0.5 * (edge + to.at), 0.5 * std::abs(to.at - edge)};
    if (std::abs(here / slope) < std::abs(step)) step = std::copysign(here / slope, step);
    std::array<double, 6> xs{}, ys{};
    for (std::size_t i = 0; i < xs.size(); ++i) {
      xs[i] = edge + static_cast<double>(i) * step;
      ys[i] = i == 0 ? here : lead(asked, xs[i]);
    }
    // Secant steps on the polynomial through the first few points; of all orders, the one that the next
    // differs from least.
    const auto zero = [&](std::size_t points) {
      double x = edge, next = edge - here / slope, y = here;
      for (int i = 0; i < 50 && next != x; ++i) {
        const double value = polynomial(std::span(xs).first(points), std::span(ys).first(points), next);
        if (value == y) break;
        const double better = next - value * (next - x) / (value - y);
        x = std::exchange(next, better);
        y = value;
      }
      return next;
    };
    Zero best{0.5 * (edge + to.at), 0.5 * std::abs(to.at - edge)};
    double last = zero(2);
    for (std::size_t points = 3; points <= xs.size(); ++points) {
      const double next = zero(points);
      const double error = 2.0 * std::abs(next - last);
      if (error < best.error) best = {next, error};
      last = next;
    }
    best.error += 0.25 * width_;
    return best;
  }

  static constexpr double kClear = 1e-3;  // far above the error of a lead
  static constexpr double kTie = 1e-6;    // about the error where optimal allocations are many

  const ModelFamily& family_;
  ModelView model_;
  double width_;
  CharacteristicTimeSolver solver_;
};

}  // namespace

std::vector<RegimeChange> regime_changes(const ModelFamily& family, const std::vector<MapPoint>& points,
                                         double width) {
  TASFG_EXPECT(family.parameters == 1 && width > 0.0);
  RegimeSearch search(family, width);
  std::optional<Known> last;  // of the run of points with one support
  const auto end_of_run = [&points](std::size_t i) {
    std::size_t last_same = i;
    for (std::size_t j = i; j < points.size() && !points[j].allocation.empty(); ++j) {
      if (!points[j].clear) continue;
      if (points[j].support != points[i].support) break;
      last_same = j;
    }
    return points[last_same].at[0];
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const MapPoint& point = points[i];
    if (point.allocation.empty()) {
      last.reset();  // T* is infinite here
      continue;
    }
    if (!point.clear) continue;
    if (last && last->support == point.support) {
      last->at = point.at[0];
      continue;
    }
    if (last) search.search(*last, {point.at[0], end_of_run(i), point.support});
    last = Known{point.at[0], point.at[0], point.support};
  }
  return std::move(search.found);
}

}  // namespace tasfg
