/// Time of a simulated step: every algorithm on the ring and the clique, and how it grows with K.
///
/// Names: ALGORITHM/FAMILY/K/STREAM. An iteration is one trajectory of `steps` steps that no δ stops.
/// Counters activations and rewards say how many random edges and rewards a step met on average: what
/// bench_limits.cpp prices.
#include <benchmark/benchmark.h>

#include "tasfg/model/graph_families.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {
namespace {

/// Means over a step, from how often each vertex was pulled.
void count_draws(benchmark::State& state, const Instance& instance, const std::vector<std::int64_t>& pulls,
                 double steps) {
  double activations = 0.0;
  double rewards = 0.0;
  for (int v = 0; v < instance.size(); ++v) {
    const double share = static_cast<double>(pulls[static_cast<std::size_t>(v)]) / steps;
    for (const Edge& edge : instance.graph().out(v)) {
      activations += edge.probability < 1.0 ? share : 0.0;
      rewards += share * edge.probability;
    }
  }
  state.counters["activations"] = activations;
  state.counters["rewards"] = rewards;
  state.counters["steps"] = steps;
}

void step(benchmark::State& state, const std::string& algorithm_name, const char* family, int K,
          StreamKind stream, std::int64_t steps) {
  const GraphAndMeans made =
      make_graph(graph_family(family, "bench"), {{"K", static_cast<double>(K)}}, "bench");
  const Algorithm algorithm = algorithm_named(algorithm_name, "bench");
  SimulationOptions options;
  options.stream = stream;
  options.max_steps = steps;
  options.skip = false;
  const Instance quiet(made.graph, made.means, Gaussian{0.05});
  constexpr double kSoon[] = {1.0};
  state.counters["tau"] =
      static_cast<double>(Simulation(quiet, options).run(algorithm, kSoon, 0).tau.front());

  const Instance instance(made.graph, made.means, Gaussian{1.0});
  const Simulation simulation(instance, options);
  constexpr double kNever[] = {1e9};
  std::uint64_t seed = 0;
  RunRecord record;
  for (auto _ : state) record = simulation.run(algorithm, kNever, seed++);
  if (record.steps != steps) state.SkipWithError("stopped early");
  count_draws(state, instance, record.pulls, static_cast<double>(steps));
}

void add(const std::string& algorithm, const char* family, int K, StreamKind stream, std::int64_t steps,
         const std::string& suffix) {
  benchmark::RegisterBenchmark(
      (algorithm + "/" + family + "/" + std::to_string(K) + "/" + suffix).c_str(),
      [=](benchmark::State& state) { step(state, algorithm, family, K, stream, steps); })
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace tasfg

int main(int argc, char** argv) {
  using tasfg::StreamKind;
  for (const char* family : {"ring", "loopless-clique"}) {
    for (const auto& row : tasfg::algorithm_rows()) {
      const std::int64_t steps = row.rule == tasfg::RuleKind::tas_optimal ? 20'000 : 1'000'000;
      for (const int K : {5, 15})
        tasfg::add(std::string(row.name), family, K, StreamKind::philox, steps, "philox");
      tasfg::add(std::string(row.name), family, 15, StreamKind::numpy, steps / 10, "numpy");
    }
    for (const int K : {5, 10, 15, 25, 50, 100, 200}) {
      tasfg::add("ucb-fg-v", family, K, StreamKind::philox, 200'000, "scaling");
      tasfg::add("tas-fg-heur", family, K, StreamKind::philox, 20'000, "scaling");
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
