#include "tasfg/job/job.hpp"

#include <algorithm>
#include <filesystem>

#include "case_list.hpp"
#include "graph_block.hpp"
#include "job_limits.hpp"
#include "overrides.hpp"
#include "toml_reader.hpp"
#include <fmt/format.h>

#include "tasfg/algo/rule_library.hpp"
#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"
#include "tasfg/model/graph_csv.hpp"

namespace tasfg {
namespace {

constexpr std::int64_t kLargestExact = 9'000'000'000'000'000;  // `tasfg simulate` takes these as doubles
constexpr double kLargestLogInvDelta = 700.0;

std::string name_of(const Field& job, const std::string& origin) {
  constexpr std::size_t kLongest = 100;
  const std::optional<Field> field = job.find("name");
  if (!field) return std::filesystem::path(origin).stem().string();
  std::string name = field->text();
  if (!is_printable(name) || name.size() > kLongest)
    field->fail(fmt::format("must be 1 to {} printable characters", kLongest));
  return name;
}

void read_deltas(const Field& job, const JobLimits& limits, Grid& grid) {
  const std::optional<Field> delta = job.find("delta");
  const std::optional<Field> log_inv_delta = job.find("log_inv_delta");
  if (delta && log_inv_delta)
    throw InputError(delta->where(), bad_state("and log_inv_delta both list confidences", "give one"));
  if (!delta && !log_inv_delta) {
    grid.log_inv_delta = {1.0, 2.2, 3.4, 4.6, 5.8, 7.0};
    for (const double value : grid.log_inv_delta) grid.delta.push_back(exp(-value));
    return;
  }
  const Field& field = delta ? *delta : *log_inv_delta;
  const std::vector<double> values = field.numbers();
  if (values.size() > limits.deltas)
    throw InputError(field.where(), too_many_values(values.size(), limits.deltas));
  for (const double value : values) {
    if (delta && !(value > 0.0 && value < 1.0))
      throw InputError(field.where(), bad_value(value, "must lie strictly between 0 and 1"));
    const double log_value = delta ? -log(value) : value;
    if (!(log_value > 0.0 && log_value <= kLargestLogInvDelta))
      throw InputError(field.where(),
                       bad_value(value, fmt::format("ln(1/delta) must lie in (0, {}]", kLargestLogInvDelta)));
    if (std::find(grid.log_inv_delta.begin(), grid.log_inv_delta.end(), log_value) !=
        grid.log_inv_delta.end())
      throw InputError(field.where(), remark(to_text(value) + " stands twice", "each value once"));
    grid.log_inv_delta.push_back(log_value);
    grid.delta.push_back(delta ? value : exp(-value));
  }
}

/// After max_steps, which bounds them.
void read_checkpoints(const Field& job, const JobLimits& limits, SimulationOptions& options) {
  const std::optional<Field> field = job.find("checkpoints");
  if (!field) return;
  const std::vector<Field> items = field->items();
  if (items.size() > limits.checkpoints)
    throw InputError(field->where(), too_many_values(items.size(), limits.checkpoints));
  for (const Field& item : items) {
    const std::int64_t draws = item.whole(1, options.max_steps);
    if (!options.checkpoints.empty() && draws <= options.checkpoints.back())
      item.fail("must be larger than the one before");
    options.checkpoints.push_back(draws);
  }
  if (options.measure == Measure::error && !options.checkpoints.empty())
    throw InputError(field->where(), bad_state("weighted runs note nothing on their way",
                                               "must be absent where measure = \"error\""));
}

void read_conventions(const Field& job, Grid& grid) {
  ConventionSet set = ConventionSet::paper;
  if (const std::optional<Field> field = job.find("conventions")) set = field->one_of(kConventionNames);
  grid.conventions = kConventionNames[set];
  grid.options.conventions = conventions_of(set);
  const std::optional<Field> table = job.find("convention");
  if (!table) return;
  if (!table->is_table())
    table->fail("must be a table of convention points; for all of them set conventions");
  table->check_keys(names_of(convention_points()));
  for (const ConventionPoint& point : convention_points()) {
    const std::optional<Field> field = table->find(point.name);
    if (!field) continue;
    const std::string value = field->text(fmt::format("must be {} or {}", point.paper, point.reference));
    placed(field->where(), [&] { set_point(grid.options.conventions, point, value); });
  }
}

void read_settings(const Field& job, const JobLimits& limits, Grid& grid) {
  SimulationOptions& options = grid.options;
  if (const auto field = job.find("seed"))
    options.master_seed = static_cast<std::uint64_t>(field->whole(0, kLargestExact));
  if (const auto field = job.find("replications")) grid.replications = field->whole(1, limits.replications);
  if (const auto field = job.find("max_steps")) options.max_steps = field->whole(1, kMostDraws);
  if (const auto field = job.find("skip")) options.skip = field->flag();
  if (const auto field = job.find("setting")) options.setting = field->one_of(kSettingNames);
  if (const auto field = job.find("stream")) options.stream = field->one_of(kStreamNames);
  if (const auto field = job.find("threshold"))
    options.threshold = threshold_rows()[field->one_of(names_of(threshold_rows()))].kind;
  if (const auto field = job.find("pulls_by_delta")) options.pulls_by_delta = field->flag();
  if (const auto field = job.find("measure")) options.measure = field->one_of(kMeasureNames);
  read_checkpoints(job, limits, options);
  read_conventions(job, grid);
  read_deltas(job, limits, grid);
}

/// After measure and algorithms.
void read_precision(const Field& job, const JobLimits& limits, Grid& grid) {
  const std::optional<Field> table = job.find("precision");
  if (!table) return;
  constexpr const char* kMust = "must be a table of relative half-widths, as { mean = 0.02 }";
  if (!table->is_table()) table->fail(kMust);
  std::vector<std::string_view> known(kQuantityNames.all().begin(), kQuantityNames.all().end());
  known.push_back("minimum");
  table->check_keys(known);
  for (std::size_t i = 0; i < grid.precision.targets.size(); ++i) {
    const std::optional<Field> field = table->find(known[i]);
    if (!field) continue;
    const bool of_error = EnumNames<Quantity>::at(i) == Quantity::error;
    if (of_error != (grid.options.measure == Measure::error))
      throw InputError(field->where(),
                       of_error ? bad_state("is of weighted runs", "needs measure = \"error\"")
                                : bad_state("is of plain runs", "with measure = \"error\" give error"));
    if (EnumNames<Quantity>::at(i) == Quantity::ratio && grid.algorithms.size() < 2)
      throw InputError(field->where(), bad_state("compares with the first algorithm", "needs another one"));
    const double width = field->number();
    if (!(width > 0.0 && width < 1.0)) field->fail("must lie strictly between 0 and 1");
    grid.precision.targets[i] = width;
  }
  if (!grid.precision.asked()) throw InputError(table->where(), bad_state("asks for nothing", kMust));
  if (const auto field = table->find("minimum"))
    grid.precision.minimum = field->whole(Precision::kFirstLook, limits.replications);
}

/// "period=5", with the option set.
std::string read_option(const Field& field, const AlgorithmOption& option, Algorithm& algorithm) {
  if (!field.is_number() && !field.is_text()) field.fail("must be a number or a word");
  const std::string text = field.is_text() ? field.text() : to_text(field.number());
  placed(field.where(), [&] { option.set(algorithm, text); });
  return fmt::format("{}={}", option.name, text);
}

/// The libraries of rules; a relative path begins at the job file.
RuleLibraries read_rules(const Field& job) {
  RuleLibraries libraries;
  const std::optional<Field> list = job.find("rules");
  if (!list) return libraries;
  if (!list->is_list()) list->fail("must be a list of shared libraries");
  for (const Field& item : list->items()) {
    const std::string path = item.text("must be a shared library's name");
    if (!is_printable(path)) item.fail("must be a shared library's name");
    libraries.load(beside_job(path, job.origin()), item.where());
  }
  return libraries;
}

void read_algorithms(const Field& job, Grid& grid) {
  const RuleLibraries libraries = read_rules(job);
  const std::vector<std::string_view> known = libraries.names();
  const std::optional<Field> list = job.find("algorithms");
  if (!list)
    throw InputError(job.origin(),
                     bad_state("has no algorithms", "must be a list of names, [] for curves only"));
  if (!list->is_list() && !list->is_text()) list->fail("must be a list of names");
  // "tas-fg,uniform", and "[tas-fg,uniform]", which is no TOML without quotes.
  if (list->is_text() && list->text().find_first_of(",[") != std::string::npos)
    list->fail(
        R"(must be a list of names in quotes, as ["tas-fg", "uniform"]; from a shell --set 'algorithms=["tas-fg", "uniform"]')");
  std::vector<std::string_view> chosen;
  for (const Field& item : list->items()) {
    const std::string_view name = known[item.one_of(known)];
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end()) item.fail("stands twice in the list");
    chosen.push_back(name);
    grid.algorithms.push_back({libraries.algorithm(name, item.where()), {}});
  }
  const std::optional<Field> tables = job.find("algorithm");
  if (!tables) return;
  if (!tables->is_table()) tables->fail("must hold tables of options, as [algorithm.\"tas-fg\"]");
  tables->check_keys(known);
  for (const std::string& name : tables->keys()) {
    const Field table = tables->member(name);
    const auto found = std::find(chosen.begin(), chosen.end(), name);
    if (found == chosen.end())
      throw InputError(table.where(),
                       bad_state(fmt::format("has options, but {} is not among algorithms", name)));
    if (!table.is_table()) table.fail("must be a table of options");
    JobAlgorithm& entry = grid.algorithms[static_cast<std::size_t>(found - chosen.begin())];
    const auto options = row_of(entry.algorithm).options;
    if (options.empty() && !table.keys().empty())
      throw InputError(table.where(), remark(fmt::format("{} takes no options", name)));
    table.check_keys(names_of(options));
    for (const AlgorithmOption& option : options) {
      const std::optional<Field> field = table.find(option.name);
      if (!field) continue;
      if (!entry.options.empty()) entry.options += ' ';
      entry.options += read_option(*field, option, entry.algorithm);
    }
  }
}

std::vector<GraphBlock> read_blocks(const Field& job, const Grid& grid, Budget& budget) {
  const std::optional<Field> graphs = job.find("graph");
  if (!graphs) throw InputError(job.origin(), bad_state("has no [[graph]] block", "must have at least one"));
  if (!graphs->is_list()) graphs->fail("must be one or more blocks, each under [[graph]]");
  std::vector<GraphBlock> blocks;
  for (const Field& block : graphs->items())
    blocks.emplace_back(job, block, blocks.size(), grid.conventions, budget);
  if (blocks.empty())
    throw InputError(graphs->where(), bad_state("is empty", "must have at least one block"));
  for (const RewardParameter& parameter : reward_parameters()) {
    const std::optional<Field> field = job.find(parameter.name);
    const bool used = std::any_of(blocks.begin(), blocks.end(), [&](const GraphBlock& block) {
      return block.uses_from_job(parameter.name);
    });
    if (field && !used)
      throw InputError(
          field->where(),
          bad_state("is used by no block",
                    fmt::format("none takes it: they have their own, or rewards without a free {}",
                                parameter.name)));
  }
  return blocks;
}

void check_tasks(std::size_t cases, const JobLimits& limits, const Grid& grid) {
  const auto per_case = static_cast<std::int64_t>(grid.algorithms.size()) * grid.replications + 1;
  if (per_case > limits.tasks / static_cast<std::int64_t>(cases))
    throw InputError(
        within(grid.origin, "replications"),
        bad_value(grid.replications, fmt::format("cases: {}, algorithms: {}; a job may have at most {} tasks",
                                                 cases, grid.algorithms.size(), limits.tasks)));
}

}  // namespace

Grid expand_job_within(const JobLimits& limits, const std::string& text, const std::string& origin,
                       const std::vector<std::string>& overrides, const GraphSource& files) {
  toml::table root = parse_toml(text, origin);
  apply_overrides(root, overrides);
  const Field job(root, "", origin);
  job.check_keys(top_keys());
  Grid grid;
  grid.origin = origin;
  grid.text = text;
  grid.overrides = overrides;
  grid.files = files;
  grid.name = name_of(job, origin);
  read_settings(job, limits, grid);
  read_algorithms(job, grid);
  read_precision(job, limits, grid);
  Budget budget{limits.cases, limits.expressions};
  const std::vector<GraphBlock> blocks = read_blocks(job, grid, budget);
  check_tasks(budget.cases, limits, grid);
  Infeasible infeasible = Infeasible::refuse;
  if (const auto field = job.find("skip_infeasible"); field && field->flag()) infeasible = Infeasible::skip;
  list_cases(blocks, limits.entries, infeasible, grid);
  return grid;
}

Grid expand_job(const std::string& text, const std::string& origin, const std::vector<std::string>& overrides,
                const GraphSource& files) {
  return expand_job_within(JobLimits{}, text, origin, overrides, files);
}

Grid read_job(const std::string& path, const std::vector<std::string>& overrides, const GraphSource& files) {
  return expand_job(read_text_file(path, kLargestJob), path, overrides, files);
}

}  // namespace tasfg
