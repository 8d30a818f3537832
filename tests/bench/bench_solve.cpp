/// Time, iterations and heap allocations of T*: cold at several sizes, warm after a small change, and warm
/// along a sequence of models read from a file.
///
/// Names: cold/FAMILY/K/D and warm/FAMILY/K solve to a certified relative gap of 10⁻ᴰ and of 1e-10;
/// `--models=FILE` adds `models`, which solves all of the file's models in turn to 1e-7, as TaS-FG does in
/// its loop. The file: K and the number of models, then each model's G by rows and its means.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "tasfg/base/philox.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace {
std::atomic<long> heap_allocations{0};
}

void* operator new(std::size_t size) {
  ++heap_allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// GCC takes the pair below for a mismatch once it has inlined one of them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace tasfg {
namespace {

Instance make(const char* family, int K) {
  GraphAndMeans made = make_graph(graph_family(family, "bench"), {{"K", static_cast<double>(K)}}, "bench");
  return {std::move(made.graph), std::move(made.means), Gaussian{1.0}};
}

void report(benchmark::State& state, const SolveInfo& info, long allocations) {
  if (info.status != SolveStatus::solved) state.SkipWithError("not solved");
  state.counters["T_star"] = info.upper;
  state.counters["iterations"] = info.iterations;
  state.counters["gap"] = (info.upper - info.lower) / info.upper;
  state.counters["heap/iteration"] = static_cast<double>(allocations) /
                                     static_cast<double>(state.iterations()) / std::max(info.iterations, 1);
}

void cold(benchmark::State& state, const char* family) {
  const Instance instance = make(family, static_cast<int>(state.range(0)));
  const ModelView model = view_of(instance);
  SolveOptions options;
  options.gap = std::pow(10.0, -static_cast<double>(state.range(1)));
  CharacteristicTimeSolver solver;
  SolveInfo info = solver.solve_cold(model, options);
  const long before = heap_allocations;
  for (auto _ : state) benchmark::DoNotOptimize(info = solver.solve_cold(model, options));
  report(state, info, heap_allocations - before);
}

/// (Ĝ, μ̂) as after one more observation out of about a thousand: one row and one mean move.
void warm(benchmark::State& state, const char* family) {
  const Instance instance = make(family, static_cast<int>(state.range(0)));
  const auto n = static_cast<std::size_t>(instance.size());
  std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
  std::vector<double> means = instance.means();
  const ModelView model{instance.size(), G, means, instance.best(), &instance.reward()};
  CharacteristicTimeSolver solver;
  SolveInfo info = solver.solve_cold(model, {});
  PhiloxStream stream(stream_key(1));
  const long before = heap_allocations;
  for (auto _ : state) {
    const auto v = static_cast<std::size_t>(stream.uniform() * static_cast<double>(n));
    for (std::size_t u = 0; u < n; ++u)
      G[v * n + u] = instance.graph().row_major()[v * n + u] * (1.0 + 0.002 * (stream.uniform() - 0.5));
    means[v] = instance.means()[v] + 0.001 * (stream.uniform() - 0.5);
    benchmark::DoNotOptimize(info = solver.solve_warm(model, {}));
  }
  report(state, info, heap_allocations - before);
}

struct Models {
  int K = 0;
  std::vector<std::vector<double>> graphs, means;
};

Models read_models(const std::string& path) {
  std::ifstream in(path);
  Models models;
  std::size_t count = 0;
  in >> models.K >> count;
  const auto n = static_cast<std::size_t>(models.K);
  for (std::size_t i = 0; i < count; ++i) {
    models.graphs.emplace_back(n * n);
    models.means.emplace_back(n);
    for (double& value : models.graphs.back()) in >> value;
    for (double& value : models.means.back()) in >> value;
  }
  if (!in || count == 0) throw std::runtime_error(path + ": not a file of models");
  return models;
}

/// One iteration is a pass over all models; counters T_0, T_1, … are their T*.
void sequence(benchmark::State& state, const Models& models) {
  const RewardFamily reward = Gaussian{1.0};
  SolveOptions options;
  options.gap = 1e-7;
  CharacteristicTimeSolver solver;
  std::vector<double> times(models.graphs.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto& means = models.means[i];
      const auto best = static_cast<int>(std::max_element(means.begin(), means.end()) - means.begin());
      const SolveInfo info = solver.solve_warm({models.K, models.graphs[i], means, best, &reward}, options);
      if (info.status != SolveStatus::solved) state.SkipWithError("not solved");
      times[i] = info.upper;
    }
  }
  state.counters["models"] = static_cast<double>(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) state.counters["T_" + std::to_string(i)] = times[i];
}

}  // namespace
}  // namespace tasfg

int main(int argc, char** argv) {
  for (const char* family : {"ring", "loopless-clique", "loopy-star"}) {
    auto* bench =
        benchmark::RegisterBenchmark((std::string("cold/") + family).c_str(),
                                     [family](benchmark::State& state) { tasfg::cold(state, family); });
    for (const int K : {5, 10, 15, 25, 50, 100, 200}) bench->Args({K, 8});
    for (const int K : {5, 15, 40, 50, 100, 200, 500, 1000}) bench->Args({K, 10});
    benchmark::RegisterBenchmark((std::string("warm/") + family).c_str(),
                                 [family](benchmark::State& state) { tasfg::warm(state, family); })
        ->Arg(5)
        ->Arg(15);
  }
  benchmark::Initialize(&argc, argv);
  const std::string prefix = "--models=";
  tasfg::Models models;
  if (argc > 1 && std::string(argv[1]).starts_with(prefix)) {
    models = tasfg::read_models(argv[1] + prefix.size());
    benchmark::RegisterBenchmark("models", [&](benchmark::State& state) { tasfg::sequence(state, models); });
    --argc;
    ++argv;
  }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
