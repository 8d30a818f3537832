/// What a run of UCB-FG-V costs where draws are skipped, as δ goes to 0: bench_skip [seeds]. A line for each
/// graph and δ: mean draws t, ln t, and means over the runs of jumps, of looks (tried jumps), of single
/// draws, of visits to nodes of trees and of milliseconds. The visits lie on a straight line over (ln t)².
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tasfg/model/graph_families.hpp"
#include "tasfg/sim/trajectory.hpp"

int main(int argc, char** argv) {
  using namespace tasfg;
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 10;
  std::printf("graph,K,log_inv_delta,draws,ln_draws,jumps,looks,single_draws,visits,milliseconds\n");
  for (const char* family : {"ring", "loopless-clique", "loopy-star"})
    for (const int K : {5, 15}) {
      const GraphAndMeans made =
          make_graph(graph_family(family, "bench"), {{"K", static_cast<double>(K)}}, "bench");
      const Instance instance(made.graph, made.means, Gaussian{1.0});
      SimulationOptions options;
      options.max_steps = 1'000'000'000'000'000;
      const Simulation simulation(instance, options);
      const Algorithm algorithm = algorithm_named("ucb-fg-v", "bench");
      for (const double log_inv_delta : {1.0, 4.0, 7.0, 10.0, 13.0, 16.0, 19.0, 21.0}) {
        double draws = 0.0, jumps = 0.0, looks = 0.0, single = 0.0, visits = 0.0;
        const auto begin = std::chrono::steady_clock::now();
        for (int seed = 0; seed < seeds; ++seed) {
          RunWork work;
          const RunRecord run = simulation.run(algorithm, {&log_inv_delta, 1},
                                               static_cast<std::uint64_t>(seed), nullptr, &work);
          draws += static_cast<double>(run.steps) / seeds;
          jumps += static_cast<double>(work.jumps) / seeds;
          looks += static_cast<double>(work.looks) / seeds;
          single += static_cast<double>(run.steps - work.skipped - work.walked) / seeds;
          visits += static_cast<double>(work.visits) / seeds;
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        std::printf("%s,%d,%g,%.4g,%.2f,%.0f,%.0f,%.0f,%.0f,%.2f\n", family, K, log_inv_delta, draws,
                    std::log(draws), jumps, looks, single, visits, 1e3 * seconds.count() / seeds);
      }
    }
}
