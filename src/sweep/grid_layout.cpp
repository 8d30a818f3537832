#include "tasfg/sweep/grid_layout.hpp"

#include <fmt/format.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/io/graph_file.hpp"
#include "tasfg/io/stored_job.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/sim/results_digest.hpp"

namespace tasfg {
namespace {

double parameter(const Case& each, std::string_view name) {
  const auto found = each.parameters.find(name);
  if (found == each.parameters.end()) return kNaN;
  const double* value = std::get_if<double>(&found->second);
  return value != nullptr ? *value : kNaN;
}

/// "K=5 p=0.3". Files in the job's folder are named relative to it, so that the text does not depend on where
/// the folder is.
std::string text_of(const Parameters& parameters, const std::string& job_file) {
  const std::string folder = job_file.substr(0, job_file.rfind('/') + 1);
  std::string text;
  for (const auto& [name, value] : parameters) {
    const double* number = std::get_if<double>(&value);
    std::string word = number != nullptr ? to_text(*number) : std::get<std::string>(value);
    if (name == "path" && word.starts_with(folder)) word.erase(0, folder.size());
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, word);
  }
  return text;
}

}  // namespace

ResultLayout layout_of(const Grid& grid, const Provenance& provenance, const std::string& shard) {
  ResultLayout layout;
  layout.seed = grid.options.master_seed;
  layout.max_steps = grid.options.max_steps;
  layout.setting = kSettingNames[grid.options.setting];
  layout.conventions = grid.conventions;
  layout.convention_points = points_text(grid.options.conventions);
  layout.threshold = row_of(grid.options.threshold).name;
  layout.stream = kStreamNames[grid.options.stream];
  layout.results_version = fmt::format("{}-{:016x}", kResultsVersion, solutions_digest(grid.options));
  for (const Case& each : grid.cases) {
    CaseDescription info;
    info.graph = each.graph;
    info.label = each.label;
    info.parameters = text_of(each.parameters, grid.origin);
    info.reward = row_of(each.reward).name;
    info.reward_parameters = parameters_text(each.reward);
    info.observability = to_string(each.observability);
    info.K = each.K;
    info.best = each.best;
    info.p = parameter(each, "p");
    info.q = parameter(each, "q");
    info.r = parameter(each, "r");
    info.edges = static_cast<std::int64_t>(each.edges);
    info.key = each.key.value;
    info.means = each.means;
    info.variance = parameter_of(each.reward, "variance").value_or(kNaN);
    layout.cases.push_back(std::move(info));
  }
  for (const JobAlgorithm& each : grid.algorithms)
    layout.algorithms.push_back(
        {each.algorithm.name, each.options, runs_digest(each.algorithm, grid.options)});
  layout.delta = grid.delta;
  layout.log_inv_delta = grid.log_inv_delta;
  layout.replications = grid.replications;
  layout.precision = grid.precision.text();
  layout.checkpoints = grid.options.checkpoints;
  layout.pulls_by_delta = grid.options.pulls_by_delta ? 1 : 0;
  layout.weighted = grid.options.measure == Measure::error;
  layout.job = grid.text;
  layout.job_overrides = fmt::format("{}", fmt::join(grid.overrides, "\n"));
  layout.job_name = grid.name;
  layout.job_origin = grid.origin;
  layout.shard = shard;
  layout.left_out_by_where = grid.left_out_by_where;
  layout.left_out_infeasible = grid.left_out_infeasible;
  layout.code_version = provenance.version;
  layout.git_commit = provenance.commit;
  layout.build = provenance.build;
  layout.created = iso_time();
  return layout;
}

Grid read_study(const std::string& path, const std::vector<std::string>& overrides) {
  std::optional<StoredJob> stored = find_stored_job(path, &read_graph_file);
  if (!stored) return read_job(path, overrides, &read_graph_file);
  stored->overrides.insert(stored->overrides.end(), overrides.begin(), overrides.end());
  return expand_job(stored->text, stored->origin, stored->overrides, stored->reader);
}

GraphSource graph_source_of(const std::string& path) {
  std::optional<StoredJob> stored = find_stored_job(path, &read_graph_file);
  return stored ? std::move(stored->reader) : &read_graph_file;
}

RecordShape shape_of(const Grid& grid) {
  return {.deltas = grid.log_inv_delta.size(),
          .checkpoints = grid.options.checkpoints.size(),
          .vertices = static_cast<std::size_t>(grid.largest_K),
          .pulls_by_delta = grid.options.pulls_by_delta,
          .weighted = grid.options.measure == Measure::error,
          .minor = kFormatMinor};
}

GraphOf graphs_of(const Grid& grid) {
  return [&grid](CaseId c) { return grid.instance(c).graph(); };
}

}  // namespace tasfg
