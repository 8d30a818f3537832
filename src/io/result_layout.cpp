#include "tasfg/io/result_layout.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/sim/precision.hpp"

namespace tasfg {

RecordShape ResultLayout::shape() const {
  std::int32_t largest = 0;
  for (const CaseDescription& each : cases) largest = std::max(largest, each.K);
  return {.deltas = delta.size(),
          .checkpoints = checkpoints.size(),
          .vertices = static_cast<std::size_t>(largest),
          .pulls_by_delta = pulls_by_delta != 0,
          .weighted = weighted,
          .minor = format_minor};
}

std::size_t ResultLayout::edges() const {
  std::size_t total = 0;
  for (const CaseDescription& each : cases) total += static_cast<std::size_t>(each.edges);
  return total;
}

std::string why_not_extension(const ResultLayout& held, const ResultLayout& wanted) {
  const auto differs = [](std::string_view what, const auto& was, const auto& is) {
    return fmt::format("its {} is {}, this job's is {}", what, was, is);
  };
  if (held.seed != wanted.seed) return differs("seed", held.seed, wanted.seed);
  if (held.setting != wanted.setting) return differs("setting", held.setting, wanted.setting);
  if (held.conventions != wanted.conventions)
    return differs("conventions", held.conventions, wanted.conventions);
  if (held.convention_points != wanted.convention_points)
    return differs("convention", held.convention_points, wanted.convention_points);
  if (held.threshold != wanted.threshold) return differs("threshold", held.threshold, wanted.threshold);
  if (held.stream != wanted.stream) return differs("stream", held.stream, wanted.stream);
  if (held.results_version != wanted.results_version)
    return differs("results_version", held.results_version, wanted.results_version) +
           ": another tasfg, whose runs come out otherwise, made it";
  const auto measure = [](const ResultLayout& layout) { return layout.weighted ? "error" : "time"; };
  if (held.weighted != wanted.weighted) return differs("measure", measure(held), measure(wanted));
  const auto drops = [](std::string_view what) {
    return fmt::format("it holds {}, this job does not", what);
  };
  if (held.max_steps > wanted.max_steps)
    return fmt::format("its max_steps is {}, this job's only {}", held.max_steps, wanted.max_steps);
  if (held.replications > wanted.replications)
    return fmt::format("it holds {} replications, this job only {}", held.replications, wanted.replications);
  const auto as_precision = [](const ResultLayout& layout) {
    return parse_precision(layout.precision, "precision");
  };
  if (!as_precision(wanted).as_strict_as(as_precision(held)))
    return held.precision.empty()
               ? fmt::format("it runs all replications, this job only until {}", wanted.precision)
               : fmt::format("its precision is {}, this job's only {}", held.precision, wanted.precision);
  for (const AlgorithmInfo& each : held.algorithms) {
    const auto found = std::find_if(
        wanted.algorithms.begin(), wanted.algorithms.end(),
        [&](const AlgorithmInfo& other) { return other.name == each.name && other.options == each.options; });
    const std::string name =
        each.options.empty() ? each.name : fmt::format("{} with {}", each.name, each.options);
    if (found == wanted.algorithms.end()) return drops(name);
    if (found->digest != each.digest && find_row(algorithm_rows(), each.name) == nullptr)
      return fmt::format("another library of {} made it (digest {:016x}, this job's has {:016x})", name,
                         each.digest, found->digest);
    if (found->digest != each.digest)
      return fmt::format("another tasfg, whose runs of {} come out otherwise, made it", name);
  }
  for (std::size_t d = 0; d < held.log_inv_delta.size(); ++d)
    if (std::find(wanted.log_inv_delta.begin(), wanted.log_inv_delta.end(), held.log_inv_delta[d]) ==
        wanted.log_inv_delta.end())
      return drops(fmt::format("ln(1/delta) = {}", held.log_inv_delta[d]));
  // Pilot runs, and with them the weighted ones, depend on all of them.
  if (held.weighted && held.log_inv_delta.size() != wanted.log_inv_delta.size())
    return "it measures errors, and its list of delta is another";
  for (const std::int64_t each : held.checkpoints)
    if (std::find(wanted.checkpoints.begin(), wanted.checkpoints.end(), each) == wanted.checkpoints.end())
      return drops(fmt::format("the checkpoint {}", each));
  if (held.pulls_by_delta > wanted.pulls_by_delta) return drops("pulls_at");
  std::map<std::string_view, std::uint64_t> keys;
  for (const CaseDescription& each : wanted.cases) keys.emplace(each.label, each.key);
  for (const CaseDescription& each : held.cases) {
    const auto found = keys.find(each.label);
    if (found == keys.end()) return drops(fmt::format("the case {}", each.label));
    if (found->second != each.key)
      return fmt::format("its case {} has other contents (a changed graph file?)", each.label);
  }
  return {};
}

bool same_grid(const ResultLayout& a, const ResultLayout& b) {
  const auto same_case = [](const CaseDescription& x, const CaseDescription& y) {
    return x.key == y.key && x.label == y.label;
  };
  return why_not_extension(a, b).empty() && a.max_steps == b.max_steps && a.replications == b.replications &&
         a.precision == b.precision && a.algorithms == b.algorithms && a.log_inv_delta == b.log_inv_delta &&
         a.checkpoints == b.checkpoints && a.pulls_by_delta == b.pulls_by_delta &&
         std::equal(a.cases.begin(), a.cases.end(), b.cases.begin(), b.cases.end(), same_case);
}

}  // namespace tasfg
