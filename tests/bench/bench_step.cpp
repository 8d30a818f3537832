/// Nanoseconds per simulated step: every algorithm on the ring and the clique.
#include <benchmark/benchmark.h>

#include "tasfg/model/graph_csv.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg {
namespace {

/// One long trajectory that no δ stops, per benchmark iteration.
void step(benchmark::State& state, const char* algorithm_name, const char* family, int K) {
  GraphAndMeans made =
      make_graph(graph_family(family, "bench"), {{"K", static_cast<double>(K)}}, "bench", &read_graph_csv);
  const Instance instance(std::move(made.graph), std::move(made.means), Gaussian{1.0});
  const Algorithm algorithm = algorithm_named(algorithm_name, "bench");
  SimulationOptions options;
  options.max_steps = algorithm.rule == RuleKind::tas_optimal ? 20'000 : 1'000'000;
  const Simulation simulation(instance, options);
  constexpr double kNever[] = {1e9};
  std::uint64_t seed = 0;
  for (auto _ : state) benchmark::DoNotOptimize(simulation.run(algorithm, kNever, seed++).steps);
  state.counters["ns/step"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * 1e-9 * static_cast<double>(options.max_steps),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace
}  // namespace tasfg

int main(int argc, char** argv) {
  for (const auto& row : tasfg::algorithm_rows())
    for (const char* family : {"ring", "loopless-clique"})
      for (const int K : {5, 15})
        benchmark::RegisterBenchmark((std::string(row.name) + "/" + family + "/" + std::to_string(K)).c_str(),
                                     [name = row.name.data(), family, K](benchmark::State& state) {
                                       tasfg::step(state, name, family, K);
                                     })
            ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
