#include "tasfg/algo/thresholds.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

// The only list of thresholds.
constexpr ThresholdRow kRows[] = {
    {"practical", "ln(1/delta) + 3 ln(1 + 2 ln t), as in the paper's experiments", ThresholdKind::practical},
    {"proven", "2 C_exp(ln((K-1)/delta)/2) + 6 ln(1 + ln t), delta-correct by Prop. 5",
     ThresholdKind::proven},
    {"simple", "ln((1 + ln t)/delta)", ThresholdKind::simple},
};

/// The u ≥ 1 with u − ln u = x, for x ≥ 1. Newton from above: h is convex there, so it never overshoots.
double inverse_h(double x) {
  if (x <= 1.0) return 1.0;
  double u = x + log(x + std::sqrt(2.0 * (x - 1.0)));
  for (int i = 0; i < 60; ++i) {
    const double next = u - (u - log(u) - x) / (1.0 - 1.0 / u);
    if (!(next < u)) break;
    u = next;
  }
  return u;
}

/// h̃_z of the appendix, z = 3/2.
double tilde_h(double x) {
  constexpr double kZ = 1.5;
  const double log_z = log(kZ);
  const double edge = 1.0 / log_z;
  if (x >= edge - log(edge)) {
    const double u = inverse_h(x);
    return u * exp(1.0 / u);
  }
  return kZ * (x - log(log_z));
}

}  // namespace

std::span<const ThresholdRow> threshold_rows() {
  return kRows;
}

ThresholdKind threshold_named(std::string_view name, const std::string& origin) {
  std::vector<std::string_view> known;
  for (const ThresholdRow& row : kRows) {
    if (row.name == name) return row.kind;
    known.push_back(row.name);
  }
  throw InputError(fmt::format("{} = \"{}\" {}", origin, quotable(name), suggest(name, known)));
}

double c_exp(double x) {
  constexpr double kTwoZeta2 = 3.289868133696453;  // 2ζ(2) = π²/3
  return 2.0 * tilde_h(0.5 * (inverse_h(1.0 + x) + log(kTwoZeta2)));
}

double threshold_base(ThresholdKind kind, double log_inv_delta, int K) {
  if (kind != ThresholdKind::proven) return log_inv_delta;
  return 2.0 * c_exp(0.5 * (log(static_cast<double>(K - 1)) + log_inv_delta));
}

}  // namespace tasfg
