#include "tasfg/algo/algorithm.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"

namespace tasfg {
namespace {

double number_between(std::string_view text, double low, double high) {
  const std::string must = fmt::format("must lie in [{}, {}]", low, high);
  const double value = parse_number(text, must);
  if (!(value >= low && value <= high)) throw InputError(bad_value(value, must));
  return value;
}

constexpr AlgorithmOption kTracking = {
    "tracking", "averaged-d, d, c or exponential (default averaged-d)",
    [](Algorithm& a, std::string_view text) {
      const std::optional<Tracking> tracking = kTrackingNames.find(text);
      if (!tracking) throw InputError(bad_text(text, suggest(text, kTrackingNames.all())));
      a.tracking = *tracking;
    }};
constexpr AlgorithmOption kPeriod = {"period", "draws between two allocations (default 1)",
                                     [](Algorithm& a, std::string_view text) {
                                       const double value = number_between(text, 1, 1e9);
                                       if (value != std::floor(value))
                                         throw InputError(bad_value(value, "must be whole"));
                                       a.period = static_cast<int>(value);
                                     }};
constexpr AlgorithmOption kWeight = {
    "weight", "of the newest allocation in exponential tracking (default 0.05)",
    [](Algorithm& a, std::string_view text) { a.weight = number_between(text, 1e-6, 1); }};
constexpr AlgorithmOption kGap = {
    "gap",
    "certified relative gap of each allocation (default 1/(2 sqrt(t)) after t draws, more beyond 16 "
    "vertices)",
    [](Algorithm& a, std::string_view text) { a.gap = number_between(text, 1e-12, 0.1); }};
constexpr AlgorithmOption kEpsilon = {
    "epsilon", "probability of a uniform choice (default 0.1)",
    [](Algorithm& a, std::string_view text) { a.epsilon = number_between(text, 1e-6, 1); }};

constexpr AlgorithmOption kTasOptions[] = {kTracking, kPeriod, kWeight, kGap};
constexpr AlgorithmOption kClosedFormOptions[] = {kTracking, kPeriod, kWeight};
constexpr AlgorithmOption kGreedyOptions[] = {kEpsilon};

// The only list of algorithms.
constexpr AlgorithmRow kAlgorithms[] = {
    {RuleKind::tas_optimal, "tas-fg",
     "Track and Stop for feedback graphs: tracks the optimal allocation of the estimated model", kTasOptions},
    {RuleKind::tas_heuristic, "tas-fg-heur", "the same with the heuristic allocation, G Delta^-2 normalised",
     kClosedFormOptions},
    {RuleKind::tas_argmax, "tas-fg-argmax", "the same, uniform over the vertices of largest (G Delta^-2)",
     kClosedFormOptions},
    {RuleKind::tas_top_k, "tas-fg-topk", "the same, uniform over the top vertices that dominate the graph",
     kClosedFormOptions},
    {RuleKind::exp3_g, "exp3.g", "exponential weights with uniform exploration (Alon et al., 2015)", {}},
    {RuleKind::ucb_fg_e, "ucb-fg-e", "greedy in the upper confidence bound of G mu", {}},
    {RuleKind::ucb_fg_v,
     "ucb-fg-v",
     "the vertex most likely to show the one of largest upper confidence bound",
     {}},
    {RuleKind::eps_greedy, "eps-greedy",
     "the estimated best vertex, or a uniform one with probability epsilon", kGreedyOptions},
    {RuleKind::eps_greedy_info, "eps-greedy-info",
     "the vertex of largest (G Delta^-2), or a uniform one with probability epsilon", kGreedyOptions},
    {RuleKind::uniform, "uniform", "all vertices in turn", {}},
    {RuleKind::oracle, "oracle", "tracks the true optimal allocation", {}},
    {RuleKind::external, "", "", {}},  // named by its library
};
static_assert(one_row_each(kAlgorithms, &AlgorithmRow::rule), "one row for each rule, in order");

}  // namespace

std::span<const AlgorithmRow> algorithm_rows() {
  return std::span(kAlgorithms).first(std::size(kAlgorithms) - 1);
}

const AlgorithmRow& row_of(const Algorithm& algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm.rule)];
}

Algorithm algorithm_named(std::string_view name, const std::string& origin) {
  const AlgorithmRow* row = find_row(algorithm_rows(), name);
  if (row == nullptr)
    throw InputError(origin, remark(fmt::format("unknown algorithm {}", in_quotes(name)),
                                    suggest(name, names_of(algorithm_rows()))));
  Algorithm algorithm;
  algorithm.rule = row->rule;
  algorithm.name = row->name;
  return algorithm;
}

void set_option(Algorithm& algorithm, std::string_view option, std::string_view text,
                const std::string& origin) {
  const auto options = row_of(algorithm).options;
  if (options.empty())
    throw InputError(origin, remark(fmt::format("{} takes no options", algorithm.name),
                                    fmt::format("given: {}", in_quotes(option))));
  const AlgorithmOption* found = find_row(options, option);
  if (found == nullptr)
    throw InputError(origin, remark(fmt::format("unknown option {} of {}", in_quotes(option), algorithm.name),
                                    suggest(option, names_of(options))));
  placed(within(origin, fmt::format("{}.{}", algorithm.name, option)), [&] { found->set(algorithm, text); });
}

}  // namespace tasfg
