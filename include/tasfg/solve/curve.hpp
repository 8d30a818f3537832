/// A curve of T* over one parameter, or a map over two: what to compute, in parts that can be computed
/// anywhere, and what comes out.
///
/// A parameter is certified between points where the matrix is affine in it, and sampled at some values
/// otherwise. Cells of a sampled parameter have no width: their bounds hold at that value alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tasfg/solve/certified_map.hpp"
#include "tasfg/solve/regimes.hpp"

namespace tasfg {

struct CurveAxis {
  std::string name;
  double low = 0.0, high = 1.0;
  std::string sampled_because;  // empty: certified between points
  [[nodiscard]] bool certified() const { return sampled_because.empty(); }
};

/// The part of a plan at one value of each sampled parameter.
struct CurveSlice {
  ParameterPoint sampled{};  // by axis; 0 at certified ones
  ModelFamily models;        // over the certified ones
  Box whole;
  std::vector<Box> starts;  // to refine
};

struct CurvePlan {
  std::vector<CurveAxis> axes;     // one or two
  std::vector<CurveSlice> slices;  // in ascending order of what is sampled
  std::string description;         // "loopy-star, K=5, q=1, r=0.25; gaussian rewards"
  RefineOptions options;

  /// How many start boxes there are, in all slices.
  [[nodiscard]] std::size_t parts() const;
  /// Refines one of them. From several threads.
  [[nodiscard]] CertifiedMap compute(std::size_t part) const;
};

/// A change of regimes on the curve at one value of what is sampled.
struct CurveRegime {
  ParameterPoint sampled{};
  RegimeChange change;
};

/// Cells and points by axis.
struct Curve {
  std::vector<CurveAxis> axes;
  std::string description;
  RefineOptions options;
  std::size_t vertices = 0;  // the largest K
  std::vector<Cell> cells;
  std::vector<MapPoint> points;      // in ascending order, each once
  std::vector<CurveRegime> regimes;  // along the one certified parameter, where there is just one
  std::vector<std::shared_ptr<const PointValues>> values;  // of the points

  [[nodiscard]] std::size_t count(CellOutcome outcome) const;
};

/// Joins what `compute` gave for each part, in order, and finds the regimes.
[[nodiscard]] Curve join(const CurvePlan& plan, std::vector<CertifiedMap> parts);

/// All of it on one thread.
[[nodiscard]] Curve compute_curve(const CurvePlan& plan);

}  // namespace tasfg
