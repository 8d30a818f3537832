/// Thresholds β(t, δ) of the stopping rule L(t) ≥ β(t, δ), as functions of ln(1/δ). All grow with t.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tasfg/base/elementary.hpp"

namespace tasfg {

enum class ThresholdKind {
  practical,  // ln(1/δ) + 3 ln(1 + 2 ln t): the paper's experiments
  proven,     // eq:threshold: 2 C_exp(ln((K−1)/δ)/2) + 6 ln(1 + ln t), valid for every sampling rule
  simple,     // ln((1 + ln t)/δ)
};

struct ThresholdRow {
  std::string_view name;
  std::string_view formula;
  ThresholdKind kind;
};
[[nodiscard]] std::span<const ThresholdRow> threshold_rows();
[[nodiscard]] ThresholdKind threshold_named(std::string_view name, const std::string& origin);

/// C_exp of Kaufmann and Koolen (2021, Theorem 7), exact: h⁻¹ by Newton's method. (The paper's approximation
/// is 9 % low at x = 5.)
[[nodiscard]] double c_exp(double x);

/// The part of β that depends on δ alone; the smallest that L must reach.
[[nodiscard]] double threshold_base(ThresholdKind kind, double log_inv_delta, int K);

/// The part that depends on t alone: β = base + growth.
[[nodiscard]] inline double threshold_growth(ThresholdKind kind, double t) {
  const double log_t = log(t);
  switch (kind) {
    case ThresholdKind::practical:
      return 3.0 * log(1.0 + 2.0 * log_t);
    case ThresholdKind::proven:
      return 6.0 * log(1.0 + log_t);
    case ThresholdKind::simple:
      return log(1.0 + log_t);
  }
  return 0.0;
}

}  // namespace tasfg
