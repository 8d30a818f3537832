/// Solves a model's characteristic time by the interior point method that characteristic_time.hpp describes.
#pragma once

#include <memory>
#include <span>

#include "base/simd.hpp"
#include "optimal_face.hpp"

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// Where a solve begins.
enum class Start { cold, warm };

/// Keeps its workspace from one solve to the next.
class InteriorPointSolver {
 public:
  virtual ~InteriorPointSolver() = default;
  /// False where another form would be faster, which only a closer look at the model shows.
  virtual bool suits(const ModelView& /*model*/) { return true; }
  /// As solve_cold and solve_warm of CharacteristicTimeSolver.
  virtual SolveInfo solve(const ModelView& model, Start start, const SolveOptions& options) = 0;

  // Of the last solve.
  virtual std::span<double> allocation() = 0;
  virtual std::span<const double> weights() = 0;
  virtual std::span<const double> dual_point() = 0;
  /// Of `model`, which is the last one solved.
  virtual OptimalFace face(const ModelView& model, const SolveOptions& options) = 0;
};

/// How the Newton matrix is held and factored; `products`: not at all (product_newton.hpp); `restricted`:
/// that of a part of the model (working_set.hpp).
enum class MatrixForm { small_8, small_12, small_16, dense, sparse, products, restricted };
/// The fastest for a model; for one of K vertices that is not sparse; for such a one that is solved as a
/// whole.
[[nodiscard]] MatrixForm form_for(const ModelView& model);
[[nodiscard]] MatrixForm dense_form(int K);
[[nodiscard]] MatrixForm whole_form(int K);

/// Up to Width vertices; 8, 12 and 16 there are.
template <int Width>
[[nodiscard]] std::unique_ptr<InteriorPointSolver> make_small_interior_point(Version version);
[[nodiscard]] std::unique_ptr<InteriorPointSolver> make_interior_point(MatrixForm form,
                                                                       Version version = kVersion);

}  // namespace tasfg
