#include "tasfg/solve/certified_map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

constexpr double kSmallest = 0x1p-36;  // share of the range that no cell falls below

struct PointHash {
  std::size_t operator()(const ParameterPoint& at) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    const std::uint64_t mixed =
        std::bit_cast<std::uint64_t>(at[0]) * kOdd + std::bit_cast<std::uint64_t>(at[1]);
    return static_cast<std::size_t>((mixed ^ (mixed >> 29U)) * kOdd);
  }
};

class Refinement {
 public:
  Refinement(const ModelFamily& family, const Box& whole, const RefineOptions& options)
      : family_(family), model_(family.view()), whole_(whole), options_(options) {}

  CertifiedMap run(const Box& start) {
    halve(start);
    result_.points.reserve(points_.size());
    for (const auto& [at, point] : points_)
      result_.points.push_back({at, point.upper, point.lower, point.allocation, point.support, point.clear});
    result_.sort_points();
    result_.keep_values();
    return std::move(result_);
  }

 private:
  using Corners = std::array<const PointSolution*, 4>;

  [[nodiscard]] std::size_t dimensions() const { return static_cast<std::size_t>(family_.parameters); }

  const PointSolution& at(const ParameterPoint& point) {
    const auto found = points_.find(point);
    if (found != points_.end()) return found->second;
    return points_.emplace(point, solve_point(model_, family_.matrix(point), solver_)).first->second;
  }

  /// Depth first, the lower half before the upper one.
  void halve(const Box& box) {
    Corners corners{};
    const std::size_t count = std::size_t{1} << dimensions();
    for (std::size_t i = 0; i < count; ++i)
      corners[i] = &at({(i & 1U) != 0 ? box.high[0] : box.low[0], (i & 2U) != 0 ? box.high[1] : box.low[1]});
    const std::span<const PointSolution* const> used(corners.data(), count);
    const Enclosure time = enclose(model_, used, family_.rounding);
    const CellOutcome outcome = judge(box, used, time);
    if (outcome != CellOutcome::unresolved || dimensions() == 0 || widest(box) <= kSmallest) {
      result_.cells.push_back({box, time, outcome});
      return;
    }
    const std::size_t k = split_along(box, used);
    Box lower = box, upper = box;
    lower.high[k] = upper.low[k] = box.low[k] + 0.5 * box.width(k);
    halve(lower);
    halve(upper);
  }

  /// `unresolved` where the box must be halved.
  [[nodiscard]] CellOutcome judge(const Box& box, std::span<const PointSolution* const> corners,
                                  const Enclosure& time) const {
    if (std::isinf(time.low)) return CellOutcome::infinite;
    if (time.high <= time.low * (1.0 + options_.tolerance) * (1.0 - 2.0 * kEpsilon))
      return CellOutcome::certified;
    if (diverges(corners) && narrow_enough(box, corners)) return CellOutcome::diverges;
    return CellOutcome::unresolved;
  }

  /// As a share of the whole range.
  [[nodiscard]] double share(const Box& box, std::size_t k) const { return box.width(k) / whole_.width(k); }
  [[nodiscard]] double widest(const Box& box) const {
    double most = 0.0;
    for (std::size_t k = 0; k < dimensions(); ++k) most = std::max(most, share(box, k));
    return most;
  }

  static bool diverges(std::span<const PointSolution* const> corners) {
    return std::any_of(corners.begin(), corners.end(),
                       [](const PointSolution* corner) { return !corner->finite(); });
  }
  /// Whether T* turns infinite along an edge of the box in the direction of parameter k.
  static bool diverges_along(std::span<const PointSolution* const> corners, std::size_t k) {
    for (std::size_t i = 0; i < corners.size(); ++i)
      if (corners[i]->finite() != corners[i ^ (std::size_t{1} << k)]->finite()) return true;
    return false;
  }
  /// In every direction in which T* turns infinite; in all, where it is infinite at every corner.
  [[nodiscard]] bool narrow_enough(const Box& box, std::span<const PointSolution* const> corners) const {
    bool any = false, narrow = true;
    for (std::size_t k = 0; k < dimensions(); ++k) {
      if (!diverges_along(corners, k)) continue;
      any = true;
      narrow = narrow && share(box, k) <= options_.divergent_width;
    }
    return any ? narrow : widest(box) <= options_.divergent_width;
  }

  /// The parameter along which T* differs most between corners; the one in which the box is wider where that
  /// does not tell.
  [[nodiscard]] std::size_t split_along(const Box& box, std::span<const PointSolution* const> corners) const {
    if (corners.size() < 4) return 0;
    const std::size_t wider = share(box, 0) >= share(box, 1) ? 0 : 1;
    if (diverges(corners)) {
      const bool first = diverges_along(corners, 0);
      return first == diverges_along(corners, 1) ? wider : first ? 0 : 1;
    }
    std::array<double, 2> ratio = {1.0, 1.0};
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 2; ++k)
        ratio[k] = std::max(ratio[k], corners[i]->upper / corners[i ^ (std::size_t{1} << k)]->upper);
    if (std::max(ratio[0], ratio[1]) <= 1.0 + 0.5 * options_.tolerance) return wider;
    return ratio[0] >= ratio[1] ? 0 : 1;
  }

  const ModelFamily& family_;
  ModelView model_;
  Box whole_;
  RefineOptions options_;
  CharacteristicTimeSolver solver_;
  std::unordered_map<ParameterPoint, PointSolution, PointHash> points_;  // references to values stay valid
  CertifiedMap result_;
};

/// `low` to `high` cut at the kinks between them, and each piece into equal parts, `parts` in all or a few
/// more.
std::vector<double> cuts(double low, double high, const std::vector<double>& kinks, int parts) {
  std::vector<double> ends = {low};
  for (const double kink : kinks)
    if (kink > low && kink < high) ends.push_back(kink);
  ends.push_back(high);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<double> all = {low};
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double width = ends[i + 1] - ends[i];
    const int count = std::max(1, static_cast<int>(std::ceil(parts * width / (high - low))));
    for (int j = 1; j < count; ++j) all.push_back(ends[i] + width * j / count);
    all.push_back(ends[i + 1]);
  }
  return all;
}

bool same(const MapPoint& x, const MapPoint& y) {
  return x.at == y.at;
}

}  // namespace

void CertifiedMap::append(CertifiedMap&& next) {
  cells.insert(cells.end(), next.cells.begin(), next.cells.end());
  const auto begin =
      next.points.begin() +
      (!points.empty() && !next.points.empty() && same(points.back(), next.points.front()) ? 1 : 0);
  points.insert(points.end(), begin, next.points.end());
  values.insert(values.end(), std::make_move_iterator(next.values.begin()),
                std::make_move_iterator(next.values.end()));
}

void CertifiedMap::keep_values() {
  const auto kept = std::make_shared<PointValues>();
  std::size_t count = 0;
  for (const MapPoint& point : points) count += point.allocation.size();
  kept->allocations.reserve(count);  // so that nothing moves
  kept->supports.reserve(count);
  const auto keep = [](auto& all, auto& span) {
    const auto begin = all.insert(all.end(), span.begin(), span.end());
    span = {begin, all.end()};
  };
  for (MapPoint& point : points) {
    TASFG_EXPECT(point.support.size() == point.allocation.size());
    keep(kept->allocations, point.allocation);
    keep(kept->supports, point.support);
  }
  values = {kept};
}

void CertifiedMap::sort_points() {
  struct Key {
    ParameterPoint at;
    std::size_t index;
  };
  std::vector<Key> order;  // a few words each: points are larger, and are moved once
  order.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) order.push_back({points[i].at, i});
  std::sort(order.begin(), order.end(), [](const Key& x, const Key& y) { return x.at < y.at; });
  std::vector<MapPoint> sorted;
  sorted.reserve(points.size());
  for (const Key& key : order)
    if (sorted.empty() || sorted.back().at != key.at) sorted.push_back(points[key.index]);
  points = std::move(sorted);
}

std::vector<Box> start_boxes(const Box& whole, int parameters,
                             const std::array<std::vector<double>, 2>& kinks) {
  constexpr int kParts[] = {1, 64, 16};  // of each parameter, for no, one and two parameters
  const int parts = kParts[parameters];
  std::array<std::vector<double>, 2> ends;
  for (std::size_t k = 0; k < 2; ++k)
    ends[k] = static_cast<int>(k) < parameters ? cuts(whole.low[k], whole.high[k], kinks[k], parts)
                                               : std::vector<double>{whole.low[k], whole.high[k]};
  std::vector<Box> boxes;
  for (std::size_t i = 0; i + 1 < ends[0].size(); ++i)
    for (std::size_t j = 0; j + 1 < ends[1].size(); ++j)
      boxes.push_back({{ends[0][i], ends[1][j]}, {ends[0][i + 1], ends[1][j + 1]}});
  return boxes;
}

CertifiedMap refine(const ModelFamily& family, const Box& start, const Box& whole,
                    const RefineOptions& options) {
  TASFG_EXPECT(family.parameters >= 0 && family.parameters <= 2 && options.tolerance > 0.0);
  return Refinement(family, whole, options).run(start);
}

}  // namespace tasfg
