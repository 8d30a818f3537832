#include <cmath>

#include "commands.hpp"
#include <fmt/format.h>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/algo/conventions.hpp"
#include "tasfg/algo/thresholds.hpp"
#include "tasfg/base/contract.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/reward.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {
namespace {

std::string range_of(const ParameterSpec& spec) {
  switch (spec.kind) {
    case ParameterKind::integer:
      if (spec.low == spec.high) return fmt::format("{}", spec.low);
      return fmt::format("{}..{}, default {}", spec.low, spec.high, spec.fallback);
    case ParameterKind::number:
      if (spec.computed != nullptr)
        return fmt::format("[{}, {}], default {}", spec.low, spec.high, spec.computed_text);
      return fmt::format("[{}, {}], default {}", spec.low, spec.high, spec.fallback);
    case ParameterKind::word:
      return fmt::format("{}, default {}", fmt::join(spec.words, "|"), spec.words.front());
    case ParameterKind::path:
      return "required";
  }
  TASFG_UNREACHABLE();
}

std::string options_of(const RewardFamilyRow& row) {
  std::string text;
  for (const RewardParameter& parameter : row.parameters)
    text += fmt::format(" (--{}, default {})", parameter.name, parameter.fallback);
  return text;
}

void list() {
  fmt::print("Graph families (--graph NAME, -P parameter=value):\n");
  for (const GraphFamily& family : graph_families()) {
    fmt::print("  {:<18}{}\n", family.name, family.summary);
    for (const ParameterSpec& spec : family.parameters)
      fmt::print("    {:<8}{} ({})\n", spec.name, spec.summary, range_of(spec));
  }
  fmt::print("\nReward families (--reward NAME):\n");
  for (const RewardFamilyRow& row : reward_families())
    fmt::print("  {:<18}{}; means: {}{}{}\n", row.name, row.summary, row.range, options_of(row),
               skips(row.defaults) ? "; skips" : "");
  fmt::print("\nAlgorithms (--algorithm NAME, -A name.option=value):\n");
  for (const AlgorithmRow& row : algorithm_rows()) {
    fmt::print("  {:<18}{}{}\n", row.name, row.summary,
               skips(algorithm_named(row.name, "list")) ? "; skips" : "");
    for (const AlgorithmOption& option : row.options)
      fmt::print("    {:<10}{}\n", option.name, option.summary);
  }
  fmt::print(
      "\nskips: where algorithm and rewards both say so, many draws are made at once, with the results of "
      "single "
      "draws (--no-skip).\n");
  fmt::print("\nThresholds (--threshold NAME):\n");
  for (const ThresholdRow& row : threshold_rows()) fmt::print("  {:<18}{}\n", row.name, row.formula);
  fmt::print("\nConventions (--conventions paper|reference; each point alone with --set point=value):\n");
  for (const ConventionPoint& point : convention_points())
    fmt::print("  {:<20}{}: {} (paper) or {} (reference)\n", point.name, point.summary, point.paper,
               point.reference);
}

}  // namespace

void add_list_command(Command& app, int& status) {
  Command* command =
      app.add_subcommand("list", "graph families, reward families, algorithms, with their parameters");
  command->callback([&status] {
    list();
    status = 0;
  });
}

}  // namespace tasfg
