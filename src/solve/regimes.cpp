#include "tasfg/solve/regimes.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "optimality.hpp"

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

using Support = std::span<const std::uint8_t>;

/// A point of the curve whose support is known.
struct Known {
  double at;
  Optimum optimum;
};

class RegimeSearch {
 public:
  RegimeSearch(const ModelFamily& family, double width)
      : family_(family), model_(family.view()), width_(width) {}

  /// All changes between two runs of neighbouring points, each of one support as far as the solver tells.
  void search(std::span<const MapPoint* const> before, std::span<const MapPoint* const> after) {
    constexpr std::size_t kMostVertices =
        100;  // a step of Newton's method costs K³, and a change some hundred
    const MapPoint &left = *before.back(), &right = *after.front();
    if (left.support.size() > kMostVertices) {
      add(left.at[0], left.support, right.at[0], right.support);
      return;
    }
    // Where the change is too near, a point further off, up to the middle of the run, tells more.
    std::optional<Known> first, last;
    for (const std::size_t steps : {std::size_t{0}, (before.size() - 1) / 2})
      if (!first) first = look(before[before.size() - 1 - steps]->at[0], {});
    for (const std::size_t steps : {std::size_t{0}, (after.size() - 1) / 2})
      if (!last) last = look(after[steps]->at[0], {});
    if (first && last)
      bisect(*first, *last);
    else
      add(left.at[0], left.support, right.at[0], right.support);
  }

  std::vector<RegimeChange> found;

 private:
  void bisect(const Known& left, const Known& right) {
    if (left.optimum.drawn == right.optimum.drawn) return;
    if (right.at - left.at > width_) {
      for (const double share : {0.5, 0.37, 0.71}) {
        if (const auto middle = look(left.at + share * (right.at - left.at), {&left, &right})) {
          bisect(left, *middle);
          bisect(*middle, right);
          return;
        }
      }
    }
    add(left.at, left.optimum.drawn, right.at, right.optimum.drawn);
  }

  /// Nearby regimes first: this close to a change, a solution does not tell what is drawn.
  std::optional<Known> look(double at, std::initializer_list<const Known*> nearby) {
    const std::vector<double> graph = family_.matrix({at, 0.0});
    ModelView model = model_;
    model.graph = graph;
    for (const Known* known : nearby)
      if (auto optimum = optimum_with_sets_of(model, known->optimum)) return Known{at, std::move(*optimum)};
    const SolveOptions options;
    if (solver_.solve_cold(model, options).status == SolveStatus::infeasible) return {};
    solver_.centre(model, options);
    if (auto optimum = optimum_near(model, guess_of(model, solver_))) return Known{at, std::move(*optimum)};
    for (const Known* known : nearby)
      if (auto optimum = optimum_near(model, known->optimum)) return Known{at, std::move(*optimum)};
    return {};
  }

  void add(double low, Support before, double high, Support after) {
    RegimeChange change{low, high, {}, {}};
    for (std::size_t v = 0; v < before.size(); ++v) {
      if (before[v] < after[v]) change.entering.push_back(static_cast<int>(v));
      if (before[v] > after[v]) change.leaving.push_back(static_cast<int>(v));
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
  std::vector<const MapPoint*> run, next;  // neighbouring points of one support that is beyond doubt
  const auto end_run = [&] {
    if (!run.empty() && !next.empty()) search.search(run, next);
    run = std::exchange(next, {});
  };
  for (const MapPoint& point : points) {
    if (point.allocation.empty()) {  // T* is infinite here
      end_run();
      run.clear();
      continue;
    }
    if (!point.clear) continue;
    if (!next.empty() && !std::ranges::equal(next.back()->support, point.support)) end_run();
    next.push_back(&point);
  }
  end_run();
  return std::move(search.found);
}

}  // namespace tasfg
