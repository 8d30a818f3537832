/// What a step must cost: its random numbers, the memory it touches and its arithmetic, each measured alone
/// with the program's own generators. `run` adds them up for the activations a and rewards r that a step of
/// bench_step meets:
///
///   limit = a·activation + r·normal            one byte and its comparison for each random out-edge;
///                                              one Gaussian for each edge that fires
///         + r·observe + pull                   N_vu, M_u, Σ rewards and the mean; N_v
///         + r·mean + statistic                 one division for each mean that moves, with the comparison
///         that
///                                              keeps the leader; one f_u (one division) against the
///                                              threshold
///
/// All are throughputs: operations of different steps overlap, no branch is mispredicted, everything is in
/// the first-level cache. Not included, because a step can do without: the sampling rule itself (bounds can
/// show that its choice stands), logarithms and roots (widths and thresholds move slowly), the order of steps
/// (a choice waits for the means before it), loops of random length. So 1× is out of reach, and a step at 2×
/// spends as much on the rule and on waiting as on what must be done.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "tasfg/base/philox.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/model/graph_families.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kBatch = 4096;

void per_item(benchmark::State& state, std::size_t items) {
  state.counters["items"] = static_cast<double>(items);
}

void activation(benchmark::State& state) {
  PhiloxStream stream(stream_key(1));
  constexpr std::size_t kGroup = 16;
  std::array<std::uint8_t, kGroup> threshold{};
  threshold.fill(77);  // p = 0.3
  benchmark::DoNotOptimize(threshold);
  for (auto _ : state) {
    std::array<std::uint8_t, kGroup> fired{};  // modulo 256: it only must not be optimised away
    for (std::size_t i = 0; i < kBatch; i += kGroup) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(stream.take(kGroup / 4));
      for (std::size_t j = 0; j < kGroup; ++j)
        fired[j] = static_cast<std::uint8_t>(fired[j] + (bytes[j] < threshold[j] ? 1 : 0));
    }
    benchmark::DoNotOptimize(fired);
  }
  per_item(state, kBatch);
}

void normal(benchmark::State& state) {
  PhiloxStream stream(stream_key(1));
  for (auto _ : state) {
    double sum = 0.0;
    for (std::size_t i = 0; i < kBatch; ++i) sum += sample_normal(stream);
    benchmark::DoNotOptimize(sum);
  }
  per_item(state, kBatch);
}

struct Observation {
  std::uint32_t count, vertex;  // where N_vu is; u
};

/// Each step pulls another vertex, so that hardly an update waits for the one before.
std::vector<Observation> observations_on(const char* family, int K) {
  const GraphAndMeans made =
      make_graph(graph_family(family, "bench"), {{"K", static_cast<double>(K)}}, "bench");
  PhiloxStream stream(stream_key(1));
  std::vector<Observation> seen;
  for (int v = 0; seen.size() < kBatch; v = (v + 4) % K)
    for (const Edge& edge : made.graph.out(v))
      if (stream.uniform() < edge.probability)
        seen.push_back(
            {static_cast<std::uint32_t>(edge.vertex * K + v), static_cast<std::uint32_t>(edge.vertex)});
  return seen;
}

void observe(benchmark::State& state, const char* family, int K) {
  const std::vector<Observation> seen = observations_on(family, K);
  const auto n = static_cast<std::size_t>(K);
  std::vector<double> counts(n * n), observations(n), sums(n), means(n);
  for (auto _ : state) {
    for (const Observation& o : seen) {
      counts[o.count] += 1.0;
      observations[o.vertex] += 1.0;
      sums[o.vertex] += 0.5;
      means[o.vertex] = 0.5;
    }
    benchmark::ClobberMemory();
  }
  per_item(state, seen.size());
}

void pull(benchmark::State& state, int K) {
  std::vector<double> pulls(static_cast<std::size_t>(K));
  for (auto _ : state) {
    for (std::size_t t = 0, v = 0; t < kBatch; ++t) {
      pulls[v] += 1.0;
      v = v + 1 == pulls.size() ? 0 : v + 1;
    }
    benchmark::ClobberMemory();
  }
  per_item(state, kBatch);
}

/// Operands that the compiler does not know.
std::array<double, 64> operands(double from) {
  std::array<double, 64> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = from + static_cast<double>(i);
  benchmark::DoNotOptimize(x);
  return x;
}

void mean(benchmark::State& state) {
  const auto sums = operands(100.0);
  const auto observations = operands(200.0);
  for (auto _ : state) {
    double runner_up = 0.0;
    for (std::size_t i = 0; i < kBatch; ++i) {
      double now = sums[i % 64] / observations[i % 64];
      benchmark::DoNotOptimize(now);
      runner_up = now > runner_up ? now : runner_up;
    }
    benchmark::DoNotOptimize(runner_up);
  }
  per_item(state, kBatch);
}

void statistic(benchmark::State& state) {
  const auto m = operands(100.0);
  const auto leader = operands(300.0);
  const auto gap = operands(1.0);
  for (auto _ : state) {
    int stops = 0;
    for (std::size_t i = 0; i < kBatch; ++i) {
      const std::size_t k = i % 64;
      double f = m[k] * leader[k] / (m[k] + leader[k]) * (0.5 * gap[k] * gap[k]);
      benchmark::DoNotOptimize(f);
      stops += f >= 1e9 ? 1 : 0;
    }
    benchmark::DoNotOptimize(stops);
  }
  per_item(state, kBatch);
}

}  // namespace
}  // namespace tasfg

int main(int argc, char** argv) {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("activation", &tasfg::activation);
  RegisterBenchmark("normal", &tasfg::normal);
  for (const char* family : {"ring", "loopless-clique"})
    RegisterBenchmark((std::string("observe/") + family + "/15").c_str(),
                      [family](benchmark::State& state) { tasfg::observe(state, family, 15); });
  RegisterBenchmark("pull/15", [](benchmark::State& state) { tasfg::pull(state, 15); });
  RegisterBenchmark("mean", &tasfg::mean);
  RegisterBenchmark("statistic", &tasfg::statistic);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
