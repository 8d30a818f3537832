#include "tasfg/algo/algorithm.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

double number_between(std::string_view text, const std::string& where, double low, double high) {
  const double value = parse_number(text, where);
  if (!(value >= low && value <= high))
    throw InputError(fmt::format("{} = {} (must lie in [{}, {}])", where, to_text(value), low, high));
  return value;
}

constexpr AlgorithmOption kTracking = {
    "tracking", "averaged-d, d, c or exponential (default averaged-d)",
    [](Algorithm& a, std::string_view text, const std::string& where) {
      constexpr std::string_view kNames[] = {"averaged-d", "d", "c", "exponential"};
      for (int i = 0; i < 4; ++i) {
        if (kNames[i] == text) {
          a.tracking = static_cast<Tracking>(i);
          return;
        }
      }
      throw InputError(fmt::format("{} = \"{}\" {}", where, quotable(text), suggest(text, kNames)));
    }};
constexpr AlgorithmOption kPeriod = {
    "period", "draws between two allocations (default 1)",
    [](Algorithm& a, std::string_view text, const std::string& where) {
      const double value = number_between(text, where, 1, 1e9);
      if (value != std::floor(value)) throw InputError(fmt::format("{} = {} (must be whole)", where, value));
      a.period = static_cast<int>(value);
    }};
constexpr AlgorithmOption kWeight = {"weight",
                                     "of the newest allocation in exponential tracking (default 0.05)",
                                     [](Algorithm& a, std::string_view text, const std::string& where) {
                                       a.weight = number_between(text, where, 1e-6, 1);
                                     }};
constexpr AlgorithmOption kGap = {
    "gap", "certified relative gap of each allocation (default 1/(2 sqrt(t)) after t draws)",
    [](Algorithm& a, std::string_view text, const std::string& where) {
      a.gap = number_between(text, where, 1e-12, 0.1);
    }};
constexpr AlgorithmOption kEpsilon = {"epsilon", "probability of a uniform choice (default 0.1)",
                                      [](Algorithm& a, std::string_view text, const std::string& where) {
                                        a.epsilon = number_between(text, where, 1e-6, 1);
                                      }};

constexpr AlgorithmOption kTasOptions[] = {kTracking, kPeriod, kWeight, kGap};
constexpr AlgorithmOption kClosedFormOptions[] = {kTracking, kPeriod, kWeight};
constexpr AlgorithmOption kGreedyOptions[] = {kEpsilon};

// The only list of algorithms.
constexpr AlgorithmRow kRows[] = {
    {"tas-fg", "Track and Stop for feedback graphs: tracks the optimal allocation of the estimated model",
     RuleKind::tas_optimal, kTasOptions},
    {"tas-fg-heur", "the same with the heuristic allocation, G Delta^-2 normalised", RuleKind::tas_heuristic,
     kClosedFormOptions},
    {"tas-fg-argmax", "the same, uniform over the vertices of largest (G Delta^-2)", RuleKind::tas_argmax,
     kClosedFormOptions},
    {"tas-fg-topk", "the same, uniform over the top vertices that dominate the graph", RuleKind::tas_top_k,
     kClosedFormOptions},
    {"exp3.g", "exponential weights with uniform exploration (Alon et al., 2015)", RuleKind::exp3_g, {}},
    {"ucb-fg-e", "greedy in the upper confidence bound of G mu", RuleKind::ucb_fg_e, {}},
    {"ucb-fg-v",
     "the vertex most likely to show the one of largest upper confidence bound",
     RuleKind::ucb_fg_v,
     {}},
    {"eps-greedy", "the estimated best vertex, or a uniform one with probability epsilon",
     RuleKind::eps_greedy, kGreedyOptions},
    {"eps-greedy-info", "the vertex of largest (G Delta^-2), or a uniform one with probability epsilon",
     RuleKind::eps_greedy_info, kGreedyOptions},
    {"uniform", "all vertices in turn", RuleKind::uniform, {}},
    {"oracle", "tracks the true optimal allocation", RuleKind::oracle, {}},
};

const AlgorithmRow& row_named(std::string_view name, const std::string& origin) {
  std::vector<std::string_view> known;
  for (const AlgorithmRow& row : kRows) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  throw InputError(
      fmt::format("{}: unknown algorithm \"{}\" {}", origin, quotable(name), suggest(name, known)));
}

}  // namespace

std::span<const AlgorithmRow> algorithm_rows() {
  return kRows;
}

Algorithm algorithm_named(std::string_view name, const std::string& origin) {
  const AlgorithmRow& row = row_named(name, origin);
  Algorithm algorithm;
  algorithm.rule = row.rule;
  algorithm.name = row.name;
  return algorithm;
}

void set_option(Algorithm& algorithm, std::string_view option, std::string_view text,
                const std::string& origin) {
  const AlgorithmRow& row = row_named(algorithm.name, origin);
  std::vector<std::string_view> known;
  for (const AlgorithmOption& candidate : row.options) {
    known.push_back(candidate.name);
    if (candidate.name == option) {
      candidate.set(algorithm, text, fmt::format("{}: {}.{}", origin, algorithm.name, option));
      return;
    }
  }
  if (known.empty())
    throw InputError(
        fmt::format("{}: {} takes no options (given: \"{}\")", origin, algorithm.name, quotable(option)));
  throw InputError(fmt::format("{}: unknown option \"{}\" of {} {}", origin, quotable(option), algorithm.name,
                               suggest(option, known)));
}

}  // namespace tasfg
