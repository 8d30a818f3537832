/// The Newton matrix of large sparse graphs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "newton_terms.hpp"

#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {

class SparseNewton {
 public:
  static constexpr int kWidth = 0;
  using Vector = std::vector<double>;

  SparseNewton();
  ~SparseNewton();

  /// Whether `model` is large and sparse enough for this to beat the dense factorisation.
  [[nodiscard]] static bool suits(const ModelView& model);

  void load(const ModelView& model);
  void observe(std::span<const double> omega, std::span<double> m) const;
  void price(std::span<const double> g, std::span<double> y) const;
  void factor(const NewtonTerms& terms);
  void solve(std::span<double> x) const;
  void solve(std::span<double> x, std::span<double> y) const;

 private:
  struct Matrices;  // Eigen's
  std::unique_ptr<Matrices> matrices_;
  int K_ = 0, best_ = 0;
};

}  // namespace tasfg
