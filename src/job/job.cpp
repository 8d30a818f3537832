#include "tasfg/job/job.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <unordered_map>

#include "expand.hpp"
#include "graph_block.hpp"
#include "overrides.hpp"
#include "toml_reader.hpp"
#include <fmt/format.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/sim/environment.hpp"

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
    throw InputError(fmt::format("{} and log_inv_delta both list confidences (give one)", delta->where()));
  if (!delta && !log_inv_delta) {
    grid.log_inv_delta = {1.0, 2.2, 3.4, 4.6, 5.8, 7.0};
    for (const double value : grid.log_inv_delta) grid.delta.push_back(exp(-value));
    return;
  }
  const Field& field = delta ? *delta : *log_inv_delta;
  const std::vector<double> values = field.numbers();
  if (values.size() > limits.deltas)
    throw InputError(
        fmt::format("{} holds {} values (must be at most {})", field.where(), values.size(), limits.deltas));
  for (const double value : values) {
    if (delta && !(value > 0.0 && value < 1.0))
      throw InputError(
          fmt::format("{} = {} (must lie strictly between 0 and 1)", field.where(), to_text(value)));
    const double log_value = delta ? -log(value) : value;
    if (!(log_value > 0.0 && log_value <= kLargestLogInvDelta))
      throw InputError(fmt::format("{} = {} (ln(1/delta) must lie in (0, {}])", field.where(), to_text(value),
                                   kLargestLogInvDelta));
    if (std::find(grid.log_inv_delta.begin(), grid.log_inv_delta.end(), log_value) !=
        grid.log_inv_delta.end())
      throw InputError(fmt::format("{}: {} stands twice (each value once)", field.where(), to_text(value)));
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
    throw InputError(fmt::format("{} holds {} values (must be at most {})", field->where(), items.size(),
                                 limits.checkpoints));
  for (const Field& item : items) {
    const std::int64_t draws = item.whole(1, options.max_steps);
    if (!options.checkpoints.empty() && draws <= options.checkpoints.back())
      item.fail("must be larger than the one before");
    options.checkpoints.push_back(draws);
  }
}

void read_conventions(const Field& job, Grid& grid) {
  grid.conventions = kConventionNames[0];
  if (const std::optional<Field> field = job.find("conventions"))
    grid.conventions = kConventionNames[field->one_of(kConventionNames)];
  grid.options.conventions = conventions_named(grid.conventions, "conventions");
  const std::optional<Field> table = job.find("convention");
  if (!table) return;
  if (!table->is_table())
    table->fail("must be a table of convention points; for all of them set conventions");
  std::vector<std::string_view> known;
  for (const ConventionPoint& point : convention_points()) known.push_back(point.name);
  table->check_keys(known);
  for (const ConventionPoint& point : convention_points()) {
    const std::optional<Field> field = table->find(point.name);
    if (!field) continue;
    const std::string value = field->text(fmt::format("must be {} or {}", point.paper, point.reference));
    reworded(fmt::format("?: {}", point.name), field->where(), [&] {
      set_convention(grid.options.conventions, point.name, value, "?");
      return 0;
    });
  }
}

void read_settings(const Field& job, const JobLimits& limits, Grid& grid) {
  SimulationOptions& options = grid.options;
  if (const auto field = job.find("seed"))
    options.master_seed = static_cast<std::uint64_t>(field->whole(0, kLargestExact));
  if (const auto field = job.find("replications")) grid.replications = field->whole(1, limits.replications);
  if (const auto field = job.find("max_steps")) options.max_steps = field->whole(1, kLargestExact);
  if (const auto field = job.find("setting"))
    options.setting = static_cast<Setting>(field->one_of(kSettingNames));
  if (const auto field = job.find("stream"))
    options.stream = static_cast<StreamKind>(field->one_of(kStreamNames));
  if (const auto field = job.find("threshold")) {
    std::vector<std::string_view> known;
    for (const ThresholdRow& row : threshold_rows()) known.push_back(row.name);
    options.threshold = threshold_rows()[field->one_of(known)].kind;
  }
  if (const auto field = job.find("pulls_by_delta")) options.pulls_by_delta = field->flag();
  read_checkpoints(job, limits, options);
  read_conventions(job, grid);
  read_deltas(job, limits, grid);
}

/// "period=5", with the option set.
std::string read_option(const Field& field, std::string_view option, Algorithm& algorithm) {
  if (!field.is_number() && !field.is_text()) field.fail("must be a number or a word");
  const std::string text = field.is_text() ? field.text() : to_text(field.number());
  reworded(fmt::format("?: {}.{}", algorithm.name, option), field.where(), [&] {
    set_option(algorithm, option, text, "?");
    return 0;
  });
  return fmt::format("{}={}", option, text);
}

void read_algorithms(const Field& job, Grid& grid) {
  std::vector<std::string_view> known;
  for (const AlgorithmRow& row : algorithm_rows()) known.push_back(row.name);
  const std::optional<Field> list = job.find("algorithms");
  if (!list)
    throw InputError(
        fmt::format("{} has no algorithms (must be a list of names, [] for curves only)", job.origin()));
  if (!list->is_list() && !list->is_text()) list->fail("must be a list of names");
  std::vector<std::string_view> chosen;
  for (const Field& item : list->items()) {
    const std::string_view name = known[item.one_of(known)];
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end()) item.fail("stands twice in the list");
    chosen.push_back(name);
    grid.algorithms.push_back({algorithm_named(name, item.where()), {}});
  }
  const std::optional<Field> tables = job.find("algorithm");
  if (!tables) return;
  if (!tables->is_table()) tables->fail("must hold tables of options, as [algorithm.\"tas-fg\"]");
  tables->check_keys(known);
  for (const std::string& name : tables->keys()) {
    const Field table = tables->member(name);
    const auto found = std::find(chosen.begin(), chosen.end(), name);
    if (found == chosen.end())
      throw InputError(fmt::format("{} has options, but {} is not among algorithms", table.where(), name));
    if (!table.is_table()) table.fail("must be a table of options");
    JobAlgorithm& entry = grid.algorithms[static_cast<std::size_t>(found - chosen.begin())];
    const AlgorithmRow& row = algorithm_rows()[static_cast<std::size_t>(
        std::find(known.begin(), known.end(), name) - known.begin())];
    std::vector<std::string_view> options;
    for (const AlgorithmOption& option : row.options) options.push_back(option.name);
    if (options.empty() && !table.keys().empty())
      throw InputError(fmt::format("{}: {} takes no options", table.where(), name));
    table.check_keys(options);
    for (const std::string_view option : options) {
      const std::optional<Field> field = table.find(option);
      if (!field) continue;
      if (!entry.options.empty()) entry.options += ' ';
      entry.options += read_option(*field, option, entry.algorithm);
    }
  }
}

std::vector<GraphBlock> read_blocks(const Field& job, const Grid& grid, Budget& budget) {
  const std::optional<Field> graphs = job.find("graph");
  if (!graphs)
    throw InputError(fmt::format("{} has no [[graph]] block (must have at least one)", job.origin()));
  if (!graphs->is_list()) graphs->fail("must be one or more blocks, each under [[graph]]");
  std::vector<GraphBlock> blocks;
  for (const Field& block : graphs->items())
    blocks.emplace_back(job, block, blocks.size(), grid.conventions, budget);
  if (blocks.empty())
    throw InputError(fmt::format("{} is empty (must have at least one block)", graphs->where()));
  const std::optional<Field> variance = job.find("variance");
  const bool used = std::any_of(blocks.begin(), blocks.end(),
                                [](const GraphBlock& block) { return block.uses_job_variance(); });
  if (variance && !used)
    throw InputError(
        fmt::format("{} is used by no block (none takes it: they have their own, or rewards without a "
                    "free variance)",
                    variance->where()));
  return blocks;
}

void check_tasks(std::size_t cases, const JobLimits& limits, const Grid& grid) {
  const auto per_case = static_cast<std::int64_t>(grid.algorithms.size()) * grid.replications + 1;
  if (per_case > limits.tasks / static_cast<std::int64_t>(cases))
    throw InputError(
        fmt::format("{}: replications = {} (cases: {}, algorithms: {}; a job may have at most {} tasks)",
                    grid.origin, grid.replications, cases, grid.algorithms.size(), limits.tasks));
}

/// " means=0.3,0.5": full for a few vertices, else ends and a fingerprint.
std::string means_label(const std::vector<double>& means) {
  constexpr std::size_t kMostShown = 12;
  if (means.size() <= kMostShown) {
    std::string text = " means=";
    for (std::size_t u = 0; u < means.size(); ++u) text += (u == 0 ? "" : ",") + to_text(means[u]);
    return text;
  }
  StreamKey key = stream_key(means.size());
  for (const double mean : means) key = stream_key(key.value, std::bit_cast<std::uint64_t>(mean + 0.0));
  return fmt::format(" means={},..,{}#{:016x}", to_text(means.front()), to_text(means.back()), key.value);
}

class Expansion {
 public:
  Expansion(const std::vector<GraphBlock>& blocks, const JobLimits& limits, Grid& grid)
      : blocks_(blocks), limits_(limits), grid_(grid) {}

  void run() {
    for (const GraphBlock& block : blocks_) list(block);
    for (std::size_t i = 0; i < grid_.cases.size(); ++i) {
      Case& entry = grid_.cases[i];
      const GraphBlock& block = blocks_[block_of_[i]];
      const std::string place = fmt::format("{}: graph[{}] ({})", grid_.origin, block.index(), entry.label);
      try {
        fill(entry, block, place);
      } catch (const InputError& error) {
        const std::string text = error.what();
        if (text.starts_with(grid_.origin + ": ")) throw;
        throw InputError(fmt::format("{}: {}", place, text));
      }
      const auto [first, fresh] = cases_by_label_.emplace(entry.label, i);
      if (!fresh)
        throw InputError(fmt::format("{}: graph[{}] repeats the case \"{}\" of graph[{}] (each case once)",
                                     grid_.origin, block.index(), entry.label, block_of_[first->second]));
    }
  }

 private:
  /// The cases of a block, without what only their graphs can tell.
  void list(const GraphBlock& block) {
    block.for_each([&](Parameters parameters, std::string label, const RewardFamily& reward) {
      if (const auto K = parameters.find("K"); K != parameters.end())
        add_entries(static_cast<std::size_t>(std::get<double>(K->second)), block);
      Case entry;
      entry.graph = block.family().name;
      entry.parameters = std::move(parameters);
      entry.label = std::move(label);
      entry.reward = reward;
      grid_.cases.push_back(std::move(entry));
      block_of_.push_back(block.index());
    });
  }

  void add_entries(std::size_t K, const GraphBlock& block) {
    entries_ += K * K;
    if (entries_ > limits_.entries)
      throw InputError(
          fmt::format("{}: graph[{}] brings the job to more than {} matrix entries, the sum of K*K over all "
                      "cases (split the job)",
                      grid_.origin, block.index(), limits_.entries));
  }

  void fill(Case& entry, const GraphBlock& block, const std::string& place) {
    if (entry.graph == "file" && grid_.reader == nullptr)
      throw InputError("family = \"file\" (graph files cannot be read here)");
    GraphAndMeans made = make_graph(block.family(), entry.parameters, place, grid_.reader);
    if (!entry.parameters.contains("K")) add_entries(static_cast<std::size_t>(made.graph.size()), block);
    std::vector<double> means = block.means().empty() ? made.means : block.means();
    const bool own_means = means == made.means;
    const Instance instance(std::move(made.graph), std::move(means), entry.reward, place);
    if (!grid_.algorithms.empty()) {
      const Simulation simulation(instance, grid_.options);
      for (const JobAlgorithm& algorithm : grid_.algorithms) simulation.check(algorithm.algorithm);
    }
    if (!own_means) entry.label += means_label(instance.means());
    entry.means = instance.means();
    entry.K = instance.size();
    entry.best = instance.best();
    entry.edges = instance.graph().edge_count();
    entry.observability = observability_of(instance.graph());
    entry.key = content_key(instance);
    grid_.largest_K = std::max(grid_.largest_K, entry.K);
  }

  const std::vector<GraphBlock>& blocks_;
  const JobLimits& limits_;
  Grid& grid_;
  std::vector<std::size_t> block_of_;
  std::size_t entries_ = 0;
  std::unordered_map<std::string_view, std::size_t> cases_by_label_;
};

}  // namespace

Grid expand_job_within(const JobLimits& limits, const std::string& text, const std::string& origin,
                       const std::vector<std::string>& overrides, GraphReader reader) {
  toml::table root = parse_toml(text, origin);
  apply_overrides(root, overrides);
  const Field job(root, "", origin);
  job.check_keys(top_keys());
  Grid grid;
  grid.origin = origin;
  grid.text = text;
  grid.overrides = overrides;
  grid.reader = reader;
  grid.name = name_of(job, origin);
  read_settings(job, limits, grid);
  read_algorithms(job, grid);
  Budget budget{limits.cases, limits.expressions};
  const std::vector<GraphBlock> blocks = read_blocks(job, grid, budget);
  check_tasks(budget.cases, limits, grid);
  Expansion(blocks, limits, grid).run();
  return grid;
}

Grid expand_job(const std::string& text, const std::string& origin, const std::vector<std::string>& overrides,
                GraphReader reader) {
  return expand_job_within(JobLimits{}, text, origin, overrides, reader);
}

Grid read_job(const std::string& path, const std::vector<std::string>& overrides, GraphReader reader) {
  return expand_job(read_text_file(path), path, overrides, reader);
}

}  // namespace tasfg
