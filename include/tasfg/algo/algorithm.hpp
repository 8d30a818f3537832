/// The table of algorithms: names, options and their checks. The rules themselves are in algo/rules/.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasfg/base/enum_names.hpp"

namespace tasfg {

enum class RuleKind {
  tas_optimal,
  tas_heuristic,
  tas_argmax,
  tas_top_k,
  exp3_g,
  ucb_fg_e,
  ucb_fg_v,
  eps_greedy,
  eps_greedy_info,
  uniform,
  oracle,
  external,  // not of the program: Algorithm::external
};

enum class Tracking {
  averaged_d,   // argmin N − Σω(n): prop:tracking
  d,            // argmin N − t ω(t)
  c,            // argmin N − Σω̃(n), ω̃ the projection on {ω ≥ ε_t}
  exponential,  // argmin N − t ω̄, ω̄ ← (1 − weight) ω̄ + weight ω(t)
};

inline constexpr EnumNames<Tracking> kTrackingNames = {"averaged-d", "d", "c", "exponential"};

struct ExternalDefinition;

/// An algorithm with its options.
struct Algorithm {
  RuleKind rule = RuleKind::tas_optimal;
  std::string name;
  Tracking tracking = Tracking::averaged_d;
  int period = 1;        // draws between two allocations
  double weight = 0.05;  // of Tracking::exponential
  double gap = 0.0;      // certified relative gap of each allocation; 0: as close as the estimates are
  double epsilon = 0.1;  // of the epsilon-greedy rules
  std::shared_ptr<const ExternalDefinition> external;  // of RuleKind::external
};

struct AlgorithmOption {
  std::string_view name;
  std::string_view summary;
  void (*set)(Algorithm&, std::string_view text);  // an InputError without a place where it cannot be
};

struct AlgorithmRow {
  RuleKind rule;
  std::string_view name;
  std::string_view summary;
  std::span<const AlgorithmOption> options;
};

/// Those of the program.
[[nodiscard]] std::span<const AlgorithmRow> algorithm_rows();
[[nodiscard]] const AlgorithmRow& row_of(const Algorithm& algorithm);

/// The algorithm of that name with default options, or an InputError with the nearest name.
[[nodiscard]] Algorithm algorithm_named(std::string_view name, const std::string& origin);

/// Sets one option from text.
void set_option(Algorithm& algorithm, std::string_view option, std::string_view text,
                const std::string& origin);

}  // namespace tasfg
