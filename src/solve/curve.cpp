#include "tasfg/solve/curve.hpp"

#include <algorithm>
#include <span>

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

/// A point of a slice's parameters, by axis.
ParameterPoint by_axis(const CurvePlan& plan, const CurveSlice& slice, const ParameterPoint& at) {
  ParameterPoint result = slice.sampled;
  std::size_t next = 0;
  for (std::size_t k = 0; k < plan.axes.size(); ++k)
    if (plan.axes[k].certified()) result[k] = at[next++];
  return result;
}

}  // namespace

std::size_t CurvePlan::parts() const {
  std::size_t count = 0;
  for (const CurveSlice& slice : slices) count += slice.starts.size();
  return count;
}

CertifiedMap CurvePlan::compute(std::size_t part) const {
  for (const CurveSlice& slice : slices) {
    if (part < slice.starts.size()) return refine(slice.models, slice.starts[part], slice.whole, options);
    part -= slice.starts.size();
  }
  TASFG_UNREACHABLE();
}

std::size_t Curve::count(CellOutcome outcome) const {
  return static_cast<std::size_t>(std::count_if(
      cells.begin(), cells.end(), [outcome](const Cell& cell) { return cell.outcome == outcome; }));
}

Curve join(const CurvePlan& plan, std::vector<CertifiedMap> parts) {
  TASFG_EXPECT(parts.size() == plan.parts());
  Curve curve{plan.axes, plan.description, plan.options, 0, {}, {}, {}, {}};
  CertifiedMap all;
  std::size_t next = 0;
  for (const CurveSlice& slice : plan.slices) {
    curve.vertices = std::max(curve.vertices, slice.models.means.size());
    CertifiedMap map;
    const std::span<CertifiedMap> own(parts.data() + next, slice.starts.size());
    std::size_t cells = 0, points = 0;
    for (const CertifiedMap& part : own) {
      cells += part.cells.size();
      points += part.points.size();
    }
    map.cells.reserve(cells);
    map.points.reserve(points);
    for (CertifiedMap& part : own) map.append(std::move(part));
    next += own.size();
    if (slice.models.parameters == 1)
      for (RegimeChange& change : regime_changes(slice.models, map.points))
        curve.regimes.push_back({slice.sampled, std::move(change)});
    for (Cell& cell : map.cells)
      cell.box = {by_axis(plan, slice, cell.box.low), by_axis(plan, slice, cell.box.high)};
    for (MapPoint& point : map.points) point.at = by_axis(plan, slice, point.at);
    if (plan.slices.size() == 1)
      all = std::move(map);
    else
      all.append(std::move(map));
  }
  all.sort_points();
  curve.cells = std::move(all.cells);
  curve.points = std::move(all.points);
  curve.values = std::move(all.values);
  return curve;
}

Curve compute_curve(const CurvePlan& plan) {
  std::vector<CertifiedMap> parts;
  for (std::size_t i = 0; i < plan.parts(); ++i) parts.push_back(plan.compute(i));
  return join(plan, std::move(parts));
}

}  // namespace tasfg
