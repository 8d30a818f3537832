#include "tasfg/solve/regimes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

using Support = std::vector<std::uint8_t>;

bool within(const Support& inner, const Support& outer) {
  for (std::size_t v = 0; v < inner.size(); ++v)
    if (inner[v] > outer[v]) return false;
  return true;
}

/// A point where the support is beyond doubt, and that support.
struct Known {
  double at;
  Support support;
};

class RegimeSearch {
 public:
  RegimeSearch(const ModelFamily& family, double width) : family_(family), model_(family.view()), width_(width) {}

  /// All changes between two points of different supports.
  void search(const Known& left, const Known& right) {
    if (left.support == right.support) return;
    // Regimes in between come apart first, as far as points tell.
    constexpr double kDoubtful = 1e-5;
    if (right.at - left.at > kDoubtful) {
      for (const double share : {0.5, 0.37, 0.71}) {
        if (const auto known = look(left.at + share * (right.at - left.at))) {
          search(left, *known);
          search(*known, right);
          return;
        }
      }
    }
    bracket(left, right);
  }

  std::vector<RegimeChange> found;

 private:
  std::optional<Known> look(double at) {
    const PointSolution point = solve_point(model_, family_.matrix({at, 0.0}), solver_);
    if (!point.finite() || !point.clear) return {};
    return Known{at, point.support};
  }

  /// Whether these vertices suffice, or another one would be chosen; or a tie, as far as the solver can tell.
  enum class Verdict { suffice, tie, fall_short };
  struct Lead {
    double value;  // of the best other vertex' price over the best price, relative
    double error;
    [[nodiscard]] Verdict verdict() const {
      if (value < -error) return Verdict::suffice;
      return value > error ? Verdict::fall_short : Verdict::tie;
    }
  };
  Lead lead(const Support& support, double at) {
    const std::vector<double> full = family_.matrix({at, 0.0});
    std::vector<double> graph = full;
    const std::size_t K = support.size();
    for (std::size_t v = 0; v < K; ++v)
      if (support[v] == 0) std::fill_n(graph.begin() + static_cast<std::ptrdiff_t>(v * K), K, 0.0);
    ModelView model = model_;
    model.graph = graph;
    SolveOptions options;
    options.gap = 1e-13;
    const SolveInfo info = solver_.solve_cold(model, options);
    if (info.status == SolveStatus::infeasible) return {1.0, 0.0};
    const std::vector<double> g = certificate_prices(model, solver_.weights(), solver_.dual_point());
    double inside = 0.0, outside = 0.0;
    for (std::size_t v = 0; v < K; ++v) {
      double price = 0.0;
      for (std::size_t u = 0; u < K; ++u) price += full[v * K + u] * g[u];
      double& largest = support[v] != 0 ? inside : outside;
      largest = std::max(largest, price);
    }
    // Prices are about as good as this.
    return {outside / inside - 1.0, 1e-13 + 100.0 * (info.upper - info.lower) / info.upper};
  }

  /// The furthest point from `from` that has the verdict.
  double reach(const Support& asked, double from, double to, Verdict wanted) {
    while (std::abs(to - from) > 0.25 * width_) {
      const double middle = from + 0.5 * (to - from);
      if (middle == from || middle == to) break;
      (lead(asked, middle).verdict() == wanted ? from : to) = middle;
    }
    return from;
  }

  /// How far the lead at `at` is from 0, by its slope towards `back`; twice that, to be safe.
  double distance_to_tie(const Support& asked, double at, double back) {
    const double step = std::clamp(back - at, -1e3 * width_, 1e3 * width_);
    if (step == 0.0) return 0.0;
    const double here = lead(asked, at).value;
    const double slope = (here - lead(asked, at + step).value) / std::abs(step);
    return slope > 0.0 ? 2.0 * std::abs(here) / slope : 0.0;
  }

  void bracket(const Known& left, const Known& right) {
    // Where vertices enter, the old ones suffice on the left; where they only leave, the new ones on the right.
    const bool enters = !within(right.support, left.support);
    const Support& asked = enters ? left.support : right.support;
    const Known& beyond = enters ? right : left;
    const Known& before = enters ? left : right;
    const double suffice = reach(asked, before.at, beyond.at, Verdict::suffice);
    double fallen = beyond.at;
    if (lead(asked, beyond.at).verdict() == Verdict::tie) {
      // Optimal allocations become many at the change, and the other side is a tie throughout.
      const double far = 0.25 * width_ + distance_to_tie(asked, suffice, before.at);
      fallen = std::clamp(suffice + (enters ? far : -far), std::min(suffice, beyond.at), std::max(suffice, beyond.at));
    } else {
      fallen = reach(asked, beyond.at, suffice, Verdict::fall_short);
    }
    RegimeChange change{std::min(suffice, fallen), std::max(suffice, fallen), {}, {}};
    for (std::size_t v = 0; v < asked.size(); ++v) {
      if (left.support[v] < right.support[v]) change.entering.push_back(static_cast<int>(v));
      if (left.support[v] > right.support[v]) change.leaving.push_back(static_cast<int>(v));
    }
    found.push_back(std::move(change));
  }

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
  std::optional<Known> last;
  for (const MapPoint& point : points) {
    if (point.allocation.empty()) {
      last.reset();  // T* is infinite here
      continue;
    }
    if (!point.clear) continue;
    Known here{point.at[0], point.support};
    if (last) search.search(*last, here);
    last = std::move(here);
  }
  return std::move(search.found);
}

}  // namespace tasfg
