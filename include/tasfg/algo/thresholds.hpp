/// Thresholds β(t, δ) of the stopping rule L(t) ≥ β(t, δ), as functions of ln(1/δ). All grow with t.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tasfg {

enum class ThresholdKind {
  practical,  // the paper's experiments
  proven,     // eq:threshold: valid for every sampling rule
  simple,
};

/// β = base + growth. The base depends on δ and K alone and is the least that L must reach; the growth
/// depends on t alone and never falls.
struct ThresholdRow {
  ThresholdKind kind;
  std::string_view name;
  std::string_view formula;
  double (*base)(double log_inv_delta, int K);
  double (*growth)(double t);
};
[[nodiscard]] std::span<const ThresholdRow> threshold_rows();
[[nodiscard]] const ThresholdRow& row_of(ThresholdKind kind);
[[nodiscard]] ThresholdKind threshold_named(std::string_view name, const std::string& origin);

/// C_exp of Kaufmann and Koolen (2021, Theorem 7), exact: h⁻¹ by Newton's method. (The paper's approximation
/// is 9 % low at x = 5.)
[[nodiscard]] double c_exp(double x);

[[nodiscard]] inline double threshold_base(ThresholdKind kind, double log_inv_delta, int K) {
  return row_of(kind).base(log_inv_delta, K);
}
[[nodiscard]] inline double threshold_growth(ThresholdKind kind, double t) {
  return row_of(kind).growth(t);
}

}  // namespace tasfg
