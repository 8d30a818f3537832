/// Tests of fit for random draws.
///
/// They have fixed keys, so they pass or fail for good; "false alarm" is the probability that a right sampler
/// would fail one for a random key. A single check has at most 1e-8 of it, by a bound that holds for finite
/// samples (Dvoretzky–Kiefer–Wolfowitz, Chernoff, Laurent–Massart) or, for moments, at six standard errors; a
/// test makes fewer than forty checks, hence less than 1e-6.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tasfg {

inline constexpr double kLogFalseAlarm = 18.5;  // −ln 1e-8, rounded up

/// What a sample was found to be at odds with its law in; empty for a good one.
class Findings {
 public:
  void report(bool bad, const std::string& what, double value) {
    if (bad) text_ += what + " (" + std::to_string(value) + ") ";
  }
  /// The mean of n independent values against its expectation.
  void mean(const std::string& what, double sum, double n, double expected, double variance) {
    const double z = (sum / n - expected) / std::sqrt(variance / n);
    report(!(std::fabs(z) < 6.0), what + " standard errors", z);
  }
  /// A count of n events of probability p each, by Chernoff's bound (Poisson form, both sides).
  void count(const std::string& what, double counted, double n, double p) {
    const double expected = n * p;
    const double rate = counted > 0 ? counted * std::log(counted / expected) - counted + expected : expected;
    report(!(rate < kLogFalseAlarm + std::log(2.0)), what + " log-likelihood ratio", rate);
  }
  template <typename Cdf>
  void kolmogorov(std::vector<double> values, Cdf cdf) {
    std::sort(values.begin(), values.end());
    const auto n = static_cast<double>(values.size());
    double distance = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double f = cdf(values[i]);
      distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
    }
    const double scaled = distance * std::sqrt(n);
    report(!(scaled < std::sqrt((kLogFalseAlarm + std::log(2.0)) / 2)), "Kolmogorov distance", scaled);
  }
  void chi_square(const std::vector<double>& counted, const std::vector<double>& expected) {
    double statistic = 0.0;
    for (std::size_t i = 0; i < counted.size(); ++i)
      statistic += (counted[i] - expected[i]) * (counted[i] - expected[i]) / expected[i];
    const double freedom = static_cast<double>(counted.size()) - 1.0;
    const double limit = freedom + 2 * std::sqrt(freedom * kLogFalseAlarm) + 2 * kLogFalseAlarm;
    report(!(statistic < limit), "chi-square over its limit", statistic / limit);
  }
  /// Bins of equal probability: finds a wrong shape too local for the Kolmogorov distance.
  template <typename Cdf>
  void equal_bins(const std::vector<double>& values, Cdf cdf) {
    constexpr std::size_t kBins = 2000;
    std::vector<double> counted(kBins, 0.0);
    for (const double x : values)
      ++counted[std::min(kBins - 1, static_cast<std::size_t>(cdf(x) * static_cast<double>(kBins)))];
    chi_square(counted, std::vector<double>(kBins, static_cast<double>(values.size()) / kBins));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline double power_sum(const std::vector<double>& values, int power) {
  double sum = 0.0;
  for (const double x : values) {
    double y = x;
    for (int k = 1; k < power; ++k) y *= x;
    sum += y;
  }
  return sum;
}

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}
inline std::string odds_with_normal(const std::vector<double>& values) {
  Findings findings;
  const auto n = static_cast<double>(values.size());
  findings.kolmogorov(values, &normal_cdf);
  findings.equal_bins(values, &normal_cdf);
  findings.mean("first moment", power_sum(values, 1), n, 0.0, 1.0);
  findings.mean("second moment", power_sum(values, 2), n, 1.0, 2.0);
  findings.mean("third moment", power_sum(values, 3), n, 0.0, 15.0);
  findings.mean("fourth moment", power_sum(values, 4), n, 3.0, 96.0);
  for (const double edge : {3.6, 4.5}) {
    const auto beyond = [edge](double x) { return std::fabs(x) > edge; };
    findings.count("beyond " + std::to_string(edge),
                   static_cast<double>(std::count_if(values.begin(), values.end(), beyond)), n,
                   std::erfc(edge / std::sqrt(2.0)));
  }
  double product = 0.0;
  double squares = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    product += values[i - 1] * values[i];
    squares += (values[i - 1] * values[i - 1] - 1.0) * (values[i] * values[i] - 1.0);
  }
  findings.mean("serial correlation", product, n - 1, 0.0, 1.0);
  findings.mean("serial correlation of squares", squares, n - 1, 0.0, 4.0);
  return findings.text();
}

}  // namespace tasfg
