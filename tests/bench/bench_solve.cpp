/// Time, iterations and heap allocations of T*: cold at several sizes, warm after a small change.
#include <atomic>
#include <cstdlib>
#include <new>

#include <benchmark/benchmark.h>

#include "tasfg/base/philox.hpp"
#include "tasfg/model/graph_csv.hpp"
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
  GraphAndMeans made =
      make_graph(graph_family(family, "bench"), {{"K", static_cast<double>(K)}}, "bench", &read_graph_csv);
  return {std::move(made.graph), std::move(made.means), Gaussian{1.0}};
}

void report(benchmark::State& state, const SolveInfo& info, long allocations) {
  if (info.status != SolveStatus::solved) state.SkipWithError("not solved");
  state.counters["iterations"] = info.iterations;
  state.counters["gap"] = (info.upper - info.lower) / info.upper;
  state.counters["heap/iteration"] = static_cast<double>(allocations) /
                                     static_cast<double>(state.iterations()) / std::max(info.iterations, 1);
}

void cold(benchmark::State& state, const char* family) {
  const Instance instance = make(family, static_cast<int>(state.range(0)));
  const ModelView model = view_of(instance);
  CharacteristicTimeSolver solver;
  SolveInfo info = solver.solve_cold(model, {});
  const long before = heap_allocations;
  for (auto _ : state) benchmark::DoNotOptimize(info = solver.solve_cold(model, {}));
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

BENCHMARK_CAPTURE(cold, ring, "ring")->Arg(5)->Arg(15)->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK_CAPTURE(cold, clique, "loopless-clique")->Arg(5)->Arg(15)->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK_CAPTURE(warm, ring, "ring")->Arg(5)->Arg(15);
BENCHMARK_CAPTURE(warm, clique, "loopless-clique")->Arg(5)->Arg(15);

}  // namespace
}  // namespace tasfg

BENCHMARK_MAIN();
