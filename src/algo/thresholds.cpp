#include "tasfg/algo/thresholds.hpp"

#include <cmath>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"

namespace tasfg {
namespace {

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

/// ln(1/δ), where nothing else depends on δ.
double log_inv_delta_alone(double log_inv_delta, int /*K*/) {
  return log_inv_delta;
}

// The only list of thresholds.
constexpr ThresholdRow kThresholds[] = {
    {ThresholdKind::practical, "practical", "ln(1/delta) + 3 ln(1 + 2 ln t), as in the paper's experiments",
     &log_inv_delta_alone, [](double t) { return 3.0 * log(1.0 + 2.0 * log(t)); }},
    {ThresholdKind::proven, "proven", "2 C_exp(ln((K-1)/delta)/2) + 6 ln(1 + ln t), delta-correct by Prop. 5",
     [](double log_inv_delta, int K) {
       return 2.0 * c_exp(0.5 * (log(static_cast<double>(K - 1)) + log_inv_delta));
     },
     [](double t) { return 6.0 * log(1.0 + log(t)); }},
    {ThresholdKind::simple, "simple", "ln((1 + ln t)/delta)", &log_inv_delta_alone,
     [](double t) { return log(1.0 + log(t)); }},
};
static_assert(one_row_each(kThresholds, &ThresholdRow::kind), "one row for each threshold, in order");

}  // namespace

std::span<const ThresholdRow> threshold_rows() {
  return kThresholds;
}

const ThresholdRow& row_of(ThresholdKind kind) {
  return kThresholds[static_cast<std::size_t>(kind)];
}

ThresholdKind threshold_named(std::string_view name, const std::string& origin) {
  if (const ThresholdRow* row = find_row(threshold_rows(), name)) return row->kind;
  throw InputError(origin, bad_text(name, suggest(name, names_of(threshold_rows()))));
}

double c_exp(double x) {
  constexpr double kTwoZeta2 = 3.289868133696453;  // 2ζ(2) = π²/3
  return 2.0 * tilde_h(0.5 * (inverse_h(1.0 + x) + log(kTwoZeta2)));
}

}  // namespace tasfg
