#include "case_list.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sim/content_key.hpp"

namespace tasfg {
namespace {

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

class CaseList {
 public:
  CaseList(const std::vector<GraphBlock>& blocks, std::size_t most_entries, Infeasible infeasible, Grid& grid)
      : blocks_(blocks), most_entries_(most_entries), infeasible_(infeasible), grid_(grid) {}

  void run() {
    for (const GraphBlock& block : blocks_) list(block);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < grid_.cases.size(); ++i) {
      const GraphBlock& block = blocks_[block_of_[i]];
      if (!fill(grid_.cases[i], block)) {
        ++grid_.left_out_infeasible;
        continue;
      }
      if (kept != i) {
        grid_.cases[kept] = std::move(grid_.cases[i]);
        block_of_[kept] = block_of_[i];
      }
      const Case& entry = grid_.cases[kept];
      const auto [first, fresh] = cases_by_label_.emplace(entry.label, kept++);
      if (!fresh)
        throw InputError(within(grid_.origin, block_name(block.index())),
                         bad_state(fmt::format("repeats the case \"{}\" of {}", entry.label,
                                               block_name(block_of_[first->second])),
                                   "each case once"));
    }
    grid_.cases.resize(kept);
    if (grid_.cases.empty())
      throw InputError(
          grid_.origin,
          bad_state("has no case", fmt::format("{} are left out by where, {} by skip_infeasible",
                                               grid_.left_out_by_where, grid_.left_out_infeasible)));
  }

 private:
  static std::string block_name(std::size_t index) { return fmt::format("graph[{}]", index); }

  /// The cases of a block, without what only their graphs can tell.
  void list(const GraphBlock& block) {
    const std::size_t left_out =
        block.for_each([&](Parameters parameters, std::string label, const RewardFamily& reward) {
          if (const auto K = parameters.find("K"); K != parameters.end())
            add_entries(held_by(static_cast<std::size_t>(std::get<double>(K->second))), block);
          Case entry;
          entry.graph = block.family().name;
          entry.parameters = std::move(parameters);
          entry.label = std::move(label);
          entry.reward = reward;
          grid_.cases.push_back(std::move(entry));
          block_of_.push_back(block.index());
        });
    grid_.left_out_by_where += static_cast<std::int64_t>(left_out);
  }

  /// What a graph of K vertices holds, as far as K tells: of large ones there is no matrix.
  static std::size_t held_by(std::size_t K) { return K <= kLargestMatrix ? K * K : K; }

  void add_entries(std::size_t entries, const GraphBlock& block) {
    entries_ += entries;
    if (entries_ > most_entries_)
      throw InputError(
          within(grid_.origin, block_name(block.index())),
          bad_state(fmt::format("brings the job to more than {} entries of graphs, the sum of K*K "
                                "over all cases, or of vertices and edges where K is above {}",
                                most_entries_, kLargestMatrix),
                    "split the job"));
  }

  /// False where the case is to be left out.
  bool fill(Case& entry, const GraphBlock& block) {
    const std::string place =
        within(grid_.origin, fmt::format("{} ({})", block_name(block.index()), entry.label));
    GraphAndMeans made =
        placed(place, [&] { return graph_of(block.family(), entry.parameters, "", grid_.files); });
    if (infeasible_ == Infeasible::skip && !all_observable(made.graph)) return false;
    if (!entry.parameters.contains("K"))
      add_entries(held_by(static_cast<std::size_t>(made.graph.size())), block);
    if (!made.graph.has_matrix()) add_entries(made.graph.edge_count(), block);
    const std::optional<std::vector<double>> given = block.means(entry.parameters, made.graph.size());
    std::vector<double> means = given ? *given : made.means;
    const bool own_means = means == made.means;
    if (!given) expect_default_means_fit(means, entry.reward, place, "set means in the job or in this block");
    const Instance instance(std::move(made.graph), std::move(means), entry.reward, place);
    placed(place, [&] { check_algorithms(instance); });
    if (!own_means) entry.label += means_label(instance.means());
    entry.means = instance.means();
    entry.K = instance.size();
    entry.best = instance.best();
    entry.edges = instance.graph().edge_count();
    entry.observability = observability_of(instance.graph());
    entry.key = content_key(instance);
    grid_.largest_K = std::max(grid_.largest_K, entry.K);
    return true;
  }

  void check_algorithms(const Instance& instance) const {
    if (grid_.algorithms.empty()) return;
    const Simulation simulation(instance, grid_.options);
    for (const JobAlgorithm& each : grid_.algorithms) simulation.check(each.algorithm);
  }

  const std::vector<GraphBlock>& blocks_;
  std::size_t most_entries_;
  Infeasible infeasible_;
  Grid& grid_;
  std::vector<std::size_t> block_of_;
  std::size_t entries_ = 0;
  std::unordered_map<std::string_view, std::size_t> cases_by_label_;
};

}  // namespace

void list_cases(const std::vector<GraphBlock>& blocks, std::size_t most_entries, Infeasible infeasible,
                Grid& grid) {
  CaseList(blocks, most_entries, infeasible, grid).run();
}

}  // namespace tasfg
