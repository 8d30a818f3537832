/// The Newton matrix of large sparse graphs.
#pragma once

#include <span>
#include <vector>

#include "newton_terms.hpp"
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

class SparseNewton {
 public:
  static constexpr int kWidth = 0;
  using Vector = std::vector<double>;

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
