/// The two ways to hold G and to factor the interior point's Newton matrix
///
///   M = Σ_{u≠a} w_u g̃_u g̃_uᵀ + R g_a g_aᵀ + diag(d),   g̃_u = g_u + ρ_u g_a,
///
/// with g_u the column of G at u: dense for small or dense graphs, sparse for large sparse ones. Both
/// offer the same members; the interior point is a template over them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

/// The arrow matrix B in the form above, and the diagonal.
struct NewtonTerms {
  std::span<const double> weight;    // w_u ≥ 0 (0 at a)
  std::span<const double> tilt;      // ρ_u
  double rest;                       // R ≥ 0
  std::span<const double> diagonal;  // d > 0
};

class DenseNewton {
 public:
  void load(const ModelView& model);
  /// m ← Gᵀω.
  void observe(std::span<const double> omega, std::span<double> m) const;
  /// y ← G g.
  void price(std::span<const double> g, std::span<double> y) const;
  void factor(const NewtonTerms& terms);
  void solve(std::span<double> x) const;
  void solve(std::span<double> x, std::span<double> y) const;

 private:
  int K_ = 0, best_ = 0;
  std::ptrdiff_t ld_ = 0;
  std::vector<double> rows_;     // G, row-major
  std::vector<double> columns_;  // Gᵀ, row-major
  std::vector<double> scaled_;   // √w_u g̃_u
  std::vector<double> matrix_;   // M, then its factor
};

class SparseNewton {
 public:
  /// Whether `model` is large and sparse enough for this to beat the dense factorisation.
  [[nodiscard]] static bool suits(const ModelView& model);

  void load(const ModelView& model);
  void observe(std::span<const double> omega, std::span<double> m) const;
  void price(std::span<const double> g, std::span<double> y) const;
  void factor(const NewtonTerms& terms);
  void solve(std::span<double> x) const;
  void solve(std::span<double> x, std::span<double> y) const;

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  int K_ = 0, best_ = 0;
  Sparse graph_;   // G, columns are g_u
  Sparse tilted_;  // pattern of the columns g̃_u, values √w_u g̃_u
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>> factor_;
  bool analysed_ = false;
};

}  // namespace tasfg
