/// T* enclosed on a whole box of parameters, from the solutions at the box's corners.
///
/// Let the matrix G(x) be affine in each of one or two parameters x (bilinear in two). With an allocation ω_c
/// and prices g_c (certificate_prices) at every corner c, interpolate all three between the corners: ω(x) is
/// an allocation, and g(x) are prices, since gᵀm ≥ min_u f_u(m) for all m holds for mixtures, too. Then
///
///   min_u f_u(G(x)ᵀω(x))  ≤  1/T*(x)  ≤  max_v (G(x) g(x))_v .
///
/// Both products are quadratic in each parameter. In Bernstein's form they are mixtures of 3 (or 9) control
/// points, so that the concave f_u is at least its least value at a control point, and a price at most its
/// largest. At a corner the control point is the corner's own certificate; between them the bounds
/// are off by the square of the box's size, where ω* and g* are smooth.
///
/// Bounds hold in floating point: matrices count as known to `rounding` only (absolute; what rounding makes
/// of a matrix inside the box), and values are moved outwards by more than their own rounding error.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// The solution at one point of the parameters.
struct PointSolution {
  std::vector<double> graph;          // row-major K×K
  std::vector<double> allocation;     // ω; empty where T* is infinite
  std::vector<double> prices;         // g; empty where T* is infinite
  std::vector<std::uint8_t> support;  // 1: the vertex has a part in some optimal ω
  double upper = 0.0, lower = 0.0;    // of T*; infinite where some vertex cannot be observed
  bool clear = false;  // the support is beyond doubt: each vertex' share and loss differ by a factor of 1000
  [[nodiscard]] bool finite() const { return !allocation.empty(); }
};

/// Solves at `graph`; `model` gives all but the matrix.
[[nodiscard]] PointSolution solve_point(const ModelView& model, std::vector<double> graph,
                                        CharacteristicTimeSolver& solver);

/// low ≤ T* ≤ high; both infinite where T* is infinite throughout.
struct Enclosure {
  double low = 0.0, high = 0.0;
};

/// Over the box with these 2 or 4 corners; the corner of bit pattern i has the upper end of parameter k where
/// bit k of i is set. One corner is a point.
[[nodiscard]] Enclosure enclose(const ModelView& model, std::span<const PointSolution* const> corners,
                                double rounding);

}  // namespace tasfg
