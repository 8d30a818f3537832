/// Prints what the solver and the simulator compute, to the last bit, for every graph family, reward family
/// and sampling rule: what builds by different compilers and for different CPUs must agree on
/// (tests/campaigns/same_bits).
///
/// bits_dump [STEPS]: the most draws of a run, 3000 if not given; fewer for many vertices.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/model/graph_quantities.hpp"
#include "tasfg/sim/trajectory.hpp"
#include "tasfg/solve/allocations.hpp"
#include "tasfg/solve/bounds.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg {
namespace {

std::string bits(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += fmt::format(" {:a}", value);
  return text;
}

/// A member of a family with K vertices, and its name; nothing where the family or the rewards allow none.
struct Named {
  std::string name;
  Instance instance;
};
std::optional<Named> make(const GraphFamily& family, int K, std::optional<double> p,
                          const RewardFamilyRow& reward) {
  Parameters given{{"K", static_cast<double>(K)}};
  std::string name = fmt::format("{} K={} {}", family.name, K, reward.name);
  if (p) {
    given.emplace("p", *p);
    name += fmt::format(" p={}", *p);
  }
  try {
    GraphAndMeans made = make_graph(family, given, name);
    // Into (0, 1), where every family has means; not evenly, so that no two arms are alike.
    const auto [low, high] = std::minmax_element(made.means.begin(), made.means.end());
    const double least = *low, range = *high - *low;
    for (std::size_t u = 0; u < made.means.size(); ++u)
      made.means[u] =
          0.2 + 0.6 * (made.means[u] - least) / range + 0.01 * std::sqrt(static_cast<double>(u % 7));
    return Named{name, Instance(std::move(made.graph), std::move(made.means), reward.defaults, name)};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void dump_solution(const Named& it) {
  const ModelView model = view_of(it.instance);
  const CharacteristicTime time = characteristic_time(it.instance);
  fmt::print("solve {} {} {} {}{}\n", it.name, to_string(time.status), time.iterations, time.face_dimension,
             bits(std::vector{time.upper, time.lower}));
  for (const std::vector<double>& x :
       {time.allocation, time.observation, time.weights, heuristic_allocation(model)})
    fmt::print(" {}\n", bits(x));
  if (it.instance.size() > 40) return;  // graph quantities take long
  const PaperBounds bounds = paper_bounds(it.instance, graph_quantities(it.instance.graph()));
  for (const auto& bound : {bounds.general, bounds.loopless_clique, bounds.heuristic})
    if (bound) fmt::print(" {:a}\n", *bound);
}

void dump_runs(const Named& it, const std::string& how, const SimulationOptions& options) {
  const std::vector<double> log_inv_delta{1.0, 4.0, 7.0};
  const Simulation simulation(it.instance, options);
  for (const AlgorithmRow& row : algorithm_rows()) {
    const Algorithm algorithm = algorithm_named(row.name, "");
    for (const std::uint64_t seed : {0U, 1U}) {
      const auto record = simulation.run(algorithm, log_inv_delta, seed);
      fmt::print("run {} {} {} {}:", it.name, how, row.name, seed);
      for (std::size_t i = 0; i < record.tau.size(); ++i)
        fmt::print(" {} {}", record.tau[i], record.recommended[i]);
      for (const auto pulls : record.pulls) fmt::print(" {}", pulls);
      fmt::print("\n");
    }
  }
}

void dump(std::int64_t most_steps) {
  for (const GraphFamily& family : graph_families()) {
    for (const RewardFamilyRow& reward : reward_families()) {
      for (const int K : {2, 3, 5, 8, 9, 12, 13, 16, 17, 24, 40, 64, 120, 200}) {
        for (const std::optional<double> p : {std::optional<double>(), std::optional(0.8)}) {
          const auto it = make(family, K, p, reward);
          if (!it) continue;
          dump_solution(*it);
          if (p || (K > 40 && reward.name != "gaussian")) continue;
          SimulationOptions options;
          // TaS-FG solves at every step: time grows with K³.
          options.max_steps = std::max<std::int64_t>(10, K <= 16   ? most_steps
                                                         : K <= 40 ? most_steps / 10
                                                                   : most_steps / 100);
          dump_runs(*it, "paper", options);
          if (reward.name != "gaussian" || K > 16) continue;
          options.setting = Setting::known_graph;
          dump_runs(*it, "known-graph", options);
          options.setting = Setting::informed;
          options.conventions = conventions_named("reference", "");
          options.stream = StreamKind::numpy;
          dump_runs(*it, "reference", options);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tasfg

int main(int argc, char** argv) {
  tasfg::dump(argc > 1 ? std::atoll(argv[1]) : 3000);
  return 0;
}
