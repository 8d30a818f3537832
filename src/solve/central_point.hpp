/// A point near the central path, of the few vertices and rivals that matter, which Newton steps move along
/// with a model that changes little by little.
///
/// Problem:  as in characteristic_time.hpp, of some vertices V, which may be drawn, and some rivals R, which
/// must
///           be told apart. Both are few, and R is no part of V.
/// Method:   the interior point's equations for one fixed complementarity μ: ω_v z_v = λ_u s_u = μ. The gap
/// of
///           such a point is (|V| + |R|)·μ, a share of the gap asked for: so nothing is to be driven to its
///           end, and one step from the point of the last model is mostly enough. A rival that hardly costs
///           anything has much slack there, and does not bind anew with every change of the model.
/// Matrix:   that of newton_terms.hpp has the form P + T Tᵀ, with P diagonal and a column of T for each rival
/// and
///           one for the best vertex; it is solved by the core 1 + TᵀP⁻¹T of their number (Woodbury's
///           formula), which suits gaps that are not too small.
/// Result:   a guess: whoever uses it certifies it, and says which vertices and rivals are missing.
/// Source:   Nocedal and Wright, Numerical Optimization, ch. 19; Gondzio, Warm start of the primal-dual
/// method,
///           Math. Program. 83 (1998).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "all_evidence.hpp"

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// P + TTᵀ with a row of T for each vertex v: root ∘ (shown_v + shown_v,last·tilt); the last column is the
/// best vertex'.
inline constexpr std::size_t kThinWidth = 16;
struct alignas(32) ThinVector : std::array<double, kThinWidth> {};
using ThinMatrix = std::array<ThinVector, kThinWidth>;
struct ThinSystem {
  std::size_t vertices, size;  // rows and columns of T
  ThinMatrix shown;            // 0 from `size` on
  ThinVector root, tilt;       // 0 from `size` on
  ThinVector over_diagonal;    // P⁻¹
};

/// x ← (P + TTᵀ)⁻¹x for each of the three.
void thin_solve(const ThinSystem& system, const std::array<ThinVector*, 3>& x);

class CentralPoint {
 public:
  /// Of relative gaps below, rounding would spoil the steps.
  static constexpr double kLeastGap = 1e-6;

  /// What is known of all vertices, at the ω and λ at hand.
  struct View {
    const ModelView& model;
    const std::vector<double>& rates;   // Gᵀω
    const AllEvidence& evidence;        // there
    const std::vector<double>& prices;  // G Σλ∇f
    double low, high;                   // least evidence, highest price
  };

  /// Begins with the vertices and rivals that have a part in a solution (ω, λ), the largest parts first, for
  /// this relative gap.
  void begin(const View& view, std::span<const double> omega, std::span<const double> lambda, double gap);
  /// Takes in the worst vertex and rival, where they are missing; where there is no room, the least important
  /// one leaves.
  void complete(const View& view, double gap);
  /// One Newton step. False where there is none.
  bool step(const View& view, double gap);

  /// ω and λ, which are distributions.
  void spread(std::vector<double>& omega, std::vector<double>& lambda) const;
  [[nodiscard]] std::span<const std::size_t> vertices() const { return {vertex_.data(), vertices_}; }
  [[nodiscard]] std::span<const std::size_t> rivals() const { return {rival_.data(), rivals_}; }

 private:
  static constexpr std::size_t kMostVertices = kThinWidth;
  static constexpr std::size_t kMostRivals = kThinWidth - 1;  // the best vertex has the next place
  using Vector = ThinVector;

  [[nodiscard]] double target(const View& view, double gap) const;
  void read_graph(const ModelView& model);
  void move(const Vector& d_omega, const Vector& d_s, double d_t, double d_y, double mu);

  std::size_t vertices_ = 0, rivals_ = 0;
  std::array<std::size_t, kMostVertices> vertex_{};
  std::array<std::size_t, kMostRivals> rival_{};
  // Entries beyond vertices and rivals are 0.
  Vector omega_{}, z_{};   // of vertices: their parts, and what their prices lack
  Vector lambda_{}, s_{};  // of rivals: their weights, and the evidence beyond t
  double t_ = 0.0, y_ = 0.0;
  ThinSystem system_{};
};

}  // namespace tasfg
