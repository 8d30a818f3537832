/// The Newton matrix of large sparse graphs whose factors would fill up: it is never formed, only multiplied
/// by.
///
/// Method:  conjugate gradients with the diagonal of M as preconditioner; a product with M is one pass over
/// the
///          edges and back. Steps of the interior point are then inexact; what it certifies is not, since
///          both ends come from ω and λ themselves.
/// Stops:   at a residual of kTolerance times the right-hand side, in the norm of the preconditioner, or
/// after
///          kMostSteps.
/// Source:  Gondzio, Matrix-free interior point method, Comput. Optim. Appl. 51, 2012.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "newton_terms.hpp"

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

class ProductNewton {
 public:
  static constexpr int kWidth = 0;
  using Vector = std::vector<double>;

  void load(const ModelView& model);
  void observe(std::span<const double> omega, std::span<double> m) const;
  void price(std::span<const double> g, std::span<double> y) const;
  void factor(const NewtonTerms& terms);
  void solve(std::span<double> x) const;
  void solve(std::span<double> x, std::span<double> y) const;

 private:
  static constexpr double kTolerance = 1e-7;
  static constexpr int kMostSteps = 400;

  /// y = M x.
  void multiply(std::span<const double> x, std::span<double> y) const;

  int K_ = 0, best_ = -1;
  // G by rows, and by columns.
  std::vector<std::size_t> row_begin_, column_begin_;
  std::vector<int> row_vertex_, column_vertex_;
  std::vector<double> row_value_, column_value_;
  std::vector<double> weight_, tilt_, diagonal_;  // the terms
  double rest_ = 0.0;
  std::vector<double> over_diagonal_;  // of M
  mutable std::vector<double> seen_, residual_, scaled_, direction_, image_;
};

}  // namespace tasfg
