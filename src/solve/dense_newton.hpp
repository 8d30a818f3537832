/// The Newton matrix of graphs with many vertices and edges.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "newton_terms.hpp"

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

class DenseNewton {
 public:
  static constexpr int kWidth = 0;
  using Vector = std::vector<double>;

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

}  // namespace tasfg
