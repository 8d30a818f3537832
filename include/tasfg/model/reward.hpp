/// Reward families: one-parameter exponential families, described by their mean.
///
/// d(μ, x) is the Kullback–Leibler divergence between members of means μ and x, and V(x) the variance at
/// mean x; ∂d(μ, x)/∂x = (x − μ)/V(x) in every such family. The primitive is d(μ, μ + h) as a function of
/// the step h, through log_gap: it keeps full relative accuracy however small the gap. Number: a double, or
/// several that move together (base/simd.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tasfg/base/elementary.hpp"

namespace tasfg {

/// Normal with known variance.
struct Gaussian {
  double variance = 1.0;
  template <typename Number>
  [[nodiscard, gnu::always_inline]] Number divergence_step(const Number& /*mean*/, const Number& h) const {
    return h * h / (2.0 * variance);
  }
  [[nodiscard]] double variance_at(const auto& /*x*/) const { return variance; }
  [[nodiscard]] static bool admits(double /*mean*/) { return true; }
  /// The mean → canonical parameter map.
  [[nodiscard]] double canonical(double mean) const { return mean / variance; }
  static constexpr bool kContinuous = true;
};

/// μ·log_gap(h/μ), and its limit h where μ = 0.
template <typename Number>
[[nodiscard, gnu::always_inline]] inline Number scaled_gap(const Number& mean, const Number& h) {
  const Number x = h / select(mean > 0.0, mean, 1.0);
  return select(mean > 0.0, mean * log_gap(x), h);
}

struct Bernoulli {
  template <typename Number>
  [[nodiscard, gnu::always_inline]] static Number divergence_step(const Number& mean, const Number& h) {
    return scaled_gap(mean, h) + scaled_gap<Number>(1.0 - mean, -h);
  }
  template <typename Number>
  [[nodiscard, gnu::always_inline]] static Number variance_at(const Number& x) {
    return x * (1.0 - x);
  }
  [[nodiscard]] static bool admits(double mean) { return mean > 0.0 && mean < 1.0; }
  [[nodiscard]] static double canonical(double mean) { return log(mean / (1.0 - mean)); }
  static constexpr bool kContinuous = false;
};

struct Poisson {
  template <typename Number>
  [[nodiscard, gnu::always_inline]] static Number divergence_step(const Number& mean, const Number& h) {
    return scaled_gap(mean, h);
  }
  template <typename Number>
  [[nodiscard, gnu::always_inline]] static Number variance_at(const Number& x) {
    return x;
  }
  [[nodiscard]] static bool admits(double mean) { return mean > 0.0; }
  [[nodiscard]] static double canonical(double mean) { return log(mean); }
  static constexpr bool kContinuous = false;
};

struct Exponential {
  template <typename Number>
  [[nodiscard, gnu::always_inline]] static Number divergence_step(const Number& mean, const Number& h) {
    const Number x = -h / (mean + h);
    return log_gap(x);
  }
  template <typename Number>
  [[nodiscard, gnu::always_inline]] static Number variance_at(const Number& x) {
    return x * x;
  }
  [[nodiscard]] static bool admits(double mean) { return mean > 0.0; }
  [[nodiscard]] static double canonical(double mean) { return -1.0 / mean; }
  static constexpr bool kContinuous = true;
};

/// Closed on purpose: std::visit makes the compiler find every place that a new family must fill.
using RewardFamily = std::variant<Gaussian, Bernoulli, Poisson, Exponential>;

/// A parameter of a family: a member of its struct, and all that keys, labels, options and files need of it.
struct RewardParameter {
  std::string_view name;
  std::string_view summary;
  double low, high, fallback;
  double (*get)(const RewardFamily&);
  void (*set)(RewardFamily&, double value);
};

/// One row of the only table of reward families.
struct RewardFamilyRow {
  std::string_view name;
  std::string_view summary;
  std::string_view range;                       // of the mean, in words
  RewardFamily defaults;                        // with the default of every parameter
  std::span<const RewardParameter> parameters;  // every member of the struct
};

[[nodiscard]] std::span<const RewardFamilyRow> reward_families();
[[nodiscard]] const RewardFamilyRow& row_of(const RewardFamily& family);
/// The row of that name, or an InputError with the nearest name.
[[nodiscard]] const RewardFamilyRow& reward_family(std::string_view name, const std::string& origin);

/// The parameters of all families, each name once.
[[nodiscard]] std::span<const RewardParameter> reward_parameters();
/// The value of a parameter; nothing where the family has none of that name.
[[nodiscard]] std::optional<double> parameter_of(const RewardFamily& family, std::string_view name);
/// Sets a parameter; an InputError without a place where the family has none of that name or the value is out
/// of range.
void set_parameter(RewardFamily& family, std::string_view name, double value);

/// Every parameter with its value, as "variance=4"; empty where the family has none.
[[nodiscard]] std::string parameters_text(const RewardFamily& family);
/// The family of that name with the parameters of such a text.
[[nodiscard]] RewardFamily reward_of(std::string_view name, std::string_view parameters,
                                     const std::string& origin);

[[nodiscard]] bool admits(const RewardFamily& family, double mean);
[[nodiscard]] double divergence(const RewardFamily& family, double mean, double x);
[[nodiscard]] double variance_at(const RewardFamily& family, double x);
[[nodiscard]] bool is_continuous(const RewardFamily& family);

}  // namespace tasfg
