#include "tasfg/sim/precision.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/error_probability.hpp"

namespace tasfg {
namespace {

constexpr double kCapped = kInfinity;     // the value of a capped run
constexpr double kZ = 2.241402727604945;  // normal quantile of 1 − 0.025/2
constexpr double kGrowth = 1.25;

/// Sums of powers, in the order of the seeds.
struct Moments {
  double mean = 0.0, deviation = 0.0, skewness = 0.0;

  explicit Moments(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    for (const double each : values) mean += each;
    mean /= n;
    double squares = 0.0, cubes = 0.0;
    for (const double each : values) {
      const double d = each - mean;
      squares += d * d;
      cubes += d * d * d;
    }
    deviation = std::sqrt(squares / (n - 1.0));
    const double spread = squares / n;
    skewness = spread > 0.0 ? cubes / n / (spread * std::sqrt(spread)) : 0.0;
  }
};

double half_width(const Moments& moments, double n) {
  constexpr double kZ2 = kZ * kZ;
  const double more =
      (kZ2 + 1.0) / 4.0 + moments.skewness * moments.skewness * (kZ2 * kZ2 + 2.0 * kZ2 - 3.0) / 18.0;
  return kZ * moments.deviation / std::sqrt(n) * (1.0 + more / n);
}

KnownValue doubtful(Quantity quantity, Doubt doubt, double value = kNaN) {
  KnownValue made;
  made.quantity = quantity;
  made.value = value;
  made.doubt = doubt;
  return made;
}

KnownValue around(Quantity quantity, double value, double half) {
  return {quantity, value, value - half, value + half, half / value, Doubt::none};
}

KnownValue mean_of(std::span<const double> values) {
  const Moments moments(values);
  return around(Quantity::mean, moments.mean, half_width(moments, static_cast<double>(values.size())));
}

KnownValue median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());  // capped ones come last
  const std::size_t n = sorted.size();
  const double rank =
      std::floor((static_cast<double>(n) + 1.0 - kZ * std::sqrt(static_cast<double>(n))) / 2.0);
  const double middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
  if (rank < 1.0) return doubtful(Quantity::median, Doubt::few, middle);
  const auto r = static_cast<std::size_t>(rank);
  const double low = sorted[r - 1], high = sorted[n - r];
  if (high == kCapped) return doubtful(Quantity::median, Doubt::capped, middle);
  return {Quantity::median, middle, low, high, (high - low) / 2.0 / middle, Doubt::none};
}

KnownValue error_of(std::span<const double> log_weights) {
  const ErrorEstimate estimate = error_estimate(log_weights, 1.0);
  if (estimate.error == 0.0) return doubtful(Quantity::error, Doubt::no_event, 0.0);
  if (!estimate.has_interval()) return doubtful(Quantity::error, Doubt::uneven, estimate.error);
  std::vector<double> weights;
  for (const double each : log_weights) weights.push_back(exp(each));
  KnownValue made = mean_of(weights);
  made.quantity = Quantity::error;
  return made;
}

KnownValue ratio_of(std::span<const double> values, std::span<const double> base) {
  TASFG_EXPECT(values.size() == base.size());
  std::vector<double> x, y;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) || std::isnan(base[i])) continue;
    if (values[i] == kCapped || base[i] == kCapped) return doubtful(Quantity::ratio, Doubt::capped);
    x.push_back(values[i]);
    y.push_back(base[i]);
  }
  if (x.size() < 2) return doubtful(Quantity::ratio, Doubt::few);
  const double over = Moments(y).mean;
  const double ratio = Moments(x).mean / over;
  // To first order the ratio's error is the mean of these, over that of the base.
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= ratio * y[i];
  return around(Quantity::ratio, ratio, half_width(Moments(x), static_cast<double>(x.size())) / over);
}

/// Where a cell stands at the looks from `skip` on, and not before `from`.
Decision decide_cell(const Precision& precision, std::int64_t replications, const CellRuns& cell,
                     const CellRuns* base, std::int64_t from, std::int64_t skip) {
  const std::int64_t settled = base == nullptr ? cell.settled : std::min(cell.settled, base->settled);
  Decision decision;
  for (std::int64_t n = std::max({precision.minimum, from, skip});; n = n + 1) {
    n = std::min(look_from(n), replications);
    decision.n = n;
    if (n > settled) break;
    decision.looked = n;
    decision.width = width_of(precision, *cell.values, base == nullptr ? nullptr : base->values, n);
    if (decision.width.excess <= 1.0)
      decision.state = Decision::State::precise;
    else if (n == replications)
      decision.state = Decision::State::maximum;
    if (decision.settled()) break;
  }
  decision.likely = decision.n;
  if (decision.settled() || decision.looked == 0) return decision;
  // Well short of what is foreseen, so that little is run in vain.
  constexpr double kShort = 0.33;
  const auto more =
      static_cast<std::int64_t>(kShort * static_cast<double>(foreseen_runs(decision, replications)));
  while (look_from(decision.likely + 1) <= more) decision.likely = look_from(decision.likely + 1);
  return decision;
}

}  // namespace

std::string Precision::text() const {
  if (!asked()) return {};
  std::string made;
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i] > 0.0) made += fmt::format("{}={} ", kQuantityNames.all()[i], to_text(targets[i]));
  return made + fmt::format("minimum={}", minimum);
}

bool Precision::as_strict_as(const Precision& other) const {
  if (!asked()) return true;
  if (!other.asked()) return false;
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (other.targets[i] > 0.0 && (targets[i] == 0.0 || targets[i] > other.targets[i])) return false;
  return minimum >= other.minimum;
}

Precision parse_precision(std::string_view text, std::string_view where) {
  Precision made;
  const auto wrong = [&] {
    return InputError(std::string(where),
                      bad_state(in_quotes(std::string(text)), "must be as mean=0.02 minimum=32"));
  };
  if (text.empty()) return made;
  bool any = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) throw wrong();
    const std::string_view name = part.substr(0, equals);
    const std::optional<double> value = to_number(part.substr(equals + 1));
    if (!value || !(*value > 0.0)) throw wrong();
    if (const std::optional<Quantity> quantity = kQuantityNames.find(name)) {
      if (!(*value < 1.0)) throw wrong();
      made.targets[static_cast<std::size_t>(*quantity)] = *value;
      any = true;
    } else if (name == "minimum" && *value >= Precision::kFirstLook && *value <= 1e9 &&
               *value == std::floor(*value)) {
      made.minimum = static_cast<std::int64_t>(*value);
    } else {
      throw wrong();
    }
  }
  if (!any) throw wrong();
  return made;
}

std::int64_t look_from(std::int64_t n) {
  double look = Precision::kFirstLook;
  while (std::ceil(look) < static_cast<double>(n)) look *= kGrowth;
  return static_cast<std::int64_t>(std::ceil(look));
}

std::string_view text_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::none:
      return "";
    case Doubt::few:
      return "too few runs have an outcome";
    case Doubt::capped:
      return "capped runs leave it unknown";
    case Doubt::no_event:
      return "no run has seen an error";
    case Doubt::uneven:
      return "a few runs make up the estimate";
  }
  TASFG_UNREACHABLE();
}

KnownValue interval_of(Quantity quantity, std::span<const double> values, std::span<const double> base) {
  if (quantity == Quantity::ratio) return ratio_of(values, base);
  std::vector<double> known;
  for (const double each : values)
    if (!std::isnan(each)) known.push_back(each);
  if (known.size() < 2) return doubtful(quantity, Doubt::few);
  if (quantity == Quantity::error) return error_of(known);
  // Of capped runs all that is known is that they are long: no mean, but a median.
  if (quantity == Quantity::median || std::find(known.begin(), known.end(), kCapped) != known.end())
    return median_of(known);
  return mean_of(known);
}

Width width_of(const Precision& precision, const CellValues& values, const CellValues* base, std::int64_t n) {
  Width widest;
  widest.excess = -1.0;
  const auto first = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < precision.targets.size(); ++i) {
    const auto quantity = static_cast<Quantity>(i);
    const double target = precision.target(quantity);
    if (target == 0.0 || (quantity == Quantity::ratio && base == nullptr)) continue;
    for (std::size_t d = 0; d < values.size(); ++d) {
      const std::span<const double> mine = std::span(values[d]).first(first);
      const KnownValue interval = quantity == Quantity::ratio
                                      ? interval_of(quantity, mine, std::span((*base)[d]).first(first))
                                      : interval_of(quantity, mine);
      const double excess = interval.relative / target;
      if (excess > widest.excess) widest = {interval, d, target, excess};
    }
  }
  return widest;
}

std::vector<Decision> decide(const Precision& precision, std::int64_t replications,
                             std::span<const CellRuns> cells, std::span<const std::int64_t> skip) {
  TASFG_EXPECT(precision.asked() && replications > 0);
  std::vector<Decision> decisions(cells.size());
  const auto skipped = [&](std::size_t a) { return skip.empty() ? 0 : skip[a]; };
  std::int64_t needed = 0, likely = 0;  // of the first algorithm by the others
  bool all_settled = true;
  for (std::size_t a = cells.size(); a-- > 0;) {
    const bool is_base = precision.paired() && a == 0;
    Decision& decision = decisions[a];
    decision =
        decide_cell(precision, replications, cells[a], precision.paired() && !is_base ? &cells[0] : nullptr,
                    is_base ? needed : 0, skipped(a));
    if (is_base && !all_settled) {  // others still ask for more of its runs
      decision.state = Decision::State::waiting;
      decision.n = std::max(decision.n, needed);
      decision.likely = std::max({decision.likely, decision.n, likely});
    }
    needed = std::max(needed, decision.n);
    likely = std::max(likely, decision.likely);
    all_settled = all_settled && decision.settled();
  }
  return decisions;
}

std::int64_t foreseen_runs(const Decision& decision, std::int64_t replications) {
  if (decision.settled() || decision.looked == 0) return decision.n;
  const double more = static_cast<double>(decision.looked) * decision.width.excess * decision.width.excess;
  if (!(more < static_cast<double>(replications))) return replications;
  return std::max(decision.n, static_cast<std::int64_t>(more));
}

std::vector<std::int64_t> foreseen_runs(std::span<const Decision> decisions, std::size_t algorithms,
                                        std::int64_t replications) {
  struct Sum {
    double runs = 0.0, cells = 0.0;
  };
  Sum all;
  std::vector<Sum> by_algorithm(algorithms);
  std::vector<std::int64_t> foreseen;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    foreseen.push_back(foreseen_runs(decisions[i], replications));
    if (decisions[i].looked == 0) continue;
    for (Sum* sum : {&all, &by_algorithm[i % algorithms]}) {
      sum->runs += static_cast<double>(foreseen.back());
      sum->cells += 1.0;
    }
  }
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Sum& like = by_algorithm[i % algorithms].cells > 0.0 ? by_algorithm[i % algorithms] : all;
    if (decisions[i].looked == 0 && like.cells > 0.0)
      foreseen[i] = std::max(foreseen[i], static_cast<std::int64_t>(like.runs / like.cells));
  }
  return foreseen;
}

}  // namespace tasfg
