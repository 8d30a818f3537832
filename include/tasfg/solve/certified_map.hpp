/// T* over a range of one parameter, or a rectangle of two, cut into cells on each of which it is enclosed
/// within a tolerance (enclosure.hpp).
///
/// Cells are halved until high/low ≤ 1 + tolerance. Which cells come out depends on the start box alone, so
/// that start boxes can be refined anywhere and in any order. T* is infinite where a vertex cannot be
/// observed. In a cell with such a corner no tolerance can be kept; it is halved to a width that is stated
/// instead.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tasfg/base/enum_names.hpp"
#include "tasfg/solve/enclosure.hpp"

namespace tasfg {

/// Values of up to two parameters; those that there are not stay 0.
using ParameterPoint = std::array<double, 2>;

/// Models that differ in their matrix alone.
struct ModelFamily {
  int parameters = 1;  // 0, 1 or 2
  std::vector<double> means;
  int best = 0;
  RewardFamily reward;
  /// The matrix at a point, row-major; within a start box it is affine in each parameter. Called from several
  /// threads.
  std::function<std::vector<double>(const ParameterPoint&)> matrix;
  double rounding = 0.0;  // how far its entries may be off, by rounding

  [[nodiscard]] ModelView view() const { return {static_cast<int>(means.size()), {}, means, best, &reward}; }
};

struct Box {
  ParameterPoint low{}, high{};
  [[nodiscard]] double width(std::size_t k) const { return high[k] - low[k]; }
};

struct RefineOptions {
  double tolerance = 1e-3;        // of high/low − 1 on each cell
  double divergent_width = 1e-4;  // of cells at infinite T*, as a share of the whole range
};

enum class CellOutcome {
  certified,   // high/low ≤ 1 + tolerance
  infinite,    // T* is infinite all over it
  diverges,    // T* is infinite at a corner
  unresolved,  // as small as cells get, and not within the tolerance
};
inline constexpr EnumNames<CellOutcome> kCellOutcomeNames = {"certified", "infinite", "diverges",
                                                             "unresolved"};

struct Cell {
  Box box;
  Enclosure time;
  CellOutcome outcome = CellOutcome::certified;
};

/// A corner of cells.
struct MapPoint {
  ParameterPoint at{};
  double upper = 0.0, lower = 0.0;     // of T*
  std::span<const double> allocation;  // as in PointSolution
  std::span<const std::uint8_t> support;
  bool clear = false;
};

/// What stands in the spans of many points: maps have some 10⁵ of them, and allocating, moving and freeing
/// each by itself would be most of what is done with them.
struct PointValues {
  std::vector<double> allocations;
  std::vector<std::uint8_t> supports;
};

/// Cells from the low end to the high one (of one parameter), and all their corners, in ascending order.
struct CertifiedMap {
  std::vector<Cell> cells;
  std::vector<MapPoint> points;
  std::vector<std::shared_ptr<const PointValues>> values;  // of the points

  /// Copies what the points' spans refer to, so that it stays.
  void keep_values();
  /// Adds what comes after; a point that both have is kept once.
  void append(CertifiedMap&& next);
  /// Puts points in order; each is kept once.
  void sort_points();
};

/// Boxes to refine: `whole` cut at the kinks of each parameter, and evenly in between, so that there is work
/// for several cores and no regime of any size goes unnoticed. For one parameter in ascending order.
[[nodiscard]] std::vector<Box> start_boxes(const Box& whole, int parameters,
                                           const std::array<std::vector<double>, 2>& kinks);

/// The cells of one start box.
[[nodiscard]] CertifiedMap refine(const ModelFamily& family, const Box& start, const Box& whole,
                                  const RefineOptions& options);

}  // namespace tasfg
