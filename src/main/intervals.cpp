#include "intervals.hpp"

#include <cmath>
#include <numeric>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

constexpr double kTail = 0.025;

// In doubles alone: long doubles are others on other CPUs, and valgrind has none.
using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double half_width(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  if (n < 2) return kNaN;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const boost::math::students_t_distribution<double, Doubles> law(n - 1);
  return boost::math::quantile(boost::math::complement(law, kTail)) * std::sqrt(squares / (n - 1) / n);
}

Interval exact_interval(std::int64_t count, std::int64_t runs) {
  using Law = boost::math::binomial_distribution<double, Doubles>;
  const auto n = static_cast<double>(runs), k = static_cast<double>(count);
  return {count == 0 ? 0.0 : Law::find_lower_bound_on_p(n, k, kTail),
          count == runs ? 1.0 : Law::find_upper_bound_on_p(n, k, kTail)};
}

}  // namespace tasfg
