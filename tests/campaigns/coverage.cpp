// How often the intervals of cells that stop at precision hold the truth: the decision of a sweep, on values
// that are drawn here or made by real trajectories.
//
//   campaign_coverage [SWEEPS]      (1000 repeated sweeps of each cell)
//
// A cell is repeated with other seeds; each time it stops where decide() says. Values are drawn from laws, or
// with replacement from 20 000 real trajectories, so that the truth is known. One row for each cell: what was
// drawn, what was asked, the share of sweeps whose interval holds the truth, runs on average.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/sim/precision.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace {

using namespace tasfg;

constexpr std::int64_t kMost = 20000;

/// The values of one seed: of the cell, and of the one that it is compared with.
struct Pair {
  double value, base;
};
/// Draws the values of seed `seed` of sweep `sweep`.
using Draw = std::function<Pair(std::uint64_t sweep, std::uint64_t seed)>;

struct Truth {
  double mean, median, ratio;
};

struct Outcome {
  double coverage = 0.0, runs = 0.0;
};

Outcome repeated(const Draw& draw, const Truth& truth, Quantity quantity, double target, int sweeps) {
  Precision precision;
  precision.targets[static_cast<std::size_t>(quantity)] = target;
  const bool paired = quantity == Quantity::ratio;
  const double right = quantity == Quantity::mean ? truth.mean : paired ? truth.ratio : truth.median;
  Outcome outcome;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    CellValues values(1), base(1);
    std::vector<std::int64_t> skip(paired ? 2 : 1);
    for (Decision decision; !decision.settled();) {
      for (auto seed = static_cast<std::uint64_t>(values[0].size()); std::ssize(values[0]) < decision.n;
           ++seed) {
        const Pair pair = draw(static_cast<std::uint64_t>(sweep), seed);
        values[0].push_back(pair.value);
        base[0].push_back(pair.base);
      }
      std::vector<CellRuns> cells;
      if (paired) cells.push_back({std::ssize(base[0]), &base});
      cells.push_back({std::ssize(values[0]), &values});
      decision = decide(precision, kMost, cells, skip).back();
      if (!decision.settled() && decision.looked > 0) skip.back() = decision.looked + 1;
      if (!decision.settled()) continue;
      const KnownValue& known = decision.width.interval;
      outcome.coverage += known.low <= right && right <= known.high ? 1.0 : 0.0;
      outcome.runs += static_cast<double>(decision.n);
    }
  }
  outcome.coverage /= sweeps;
  outcome.runs /= sweeps;
  return outcome;
}

void show(const std::string& law, const Draw& draw, const Truth& truth, int sweeps) {
  for (const Quantity quantity : {Quantity::mean, Quantity::median, Quantity::ratio})
    for (const double target : {0.3, 0.15, 0.08}) {
      const Outcome outcome = repeated(draw, truth, quantity, target, sweeps);
      fmt::print("{:<40}{:<8}{:>6.2f}{:>10.3f}{:>10.0f}\n", law, kQuantityNames[quantity], target,
                 outcome.coverage, outcome.runs);
      std::fflush(stdout);
    }
}

/// A law of positive values; pairs share a part of their randomness, as seeds do.
void show_law(const std::string& name, const std::function<double(std::mt19937_64&)>& draw, double mean,
              double median, int sweeps) {
  show(
      name,
      [&](std::uint64_t sweep, std::uint64_t seed) {
        std::mt19937_64 random((sweep << 32U) ^ seed ^ 0x9e3779b97f4a7c15ULL);
        random.discard(3);
        const double shared = draw(random), mine = draw(random), other = draw(random);
        return Pair{mine, (mine + shared + other) / 3.0};
      },
      {mean, median, 1.0}, sweeps);
}

/// τ at one δ of the runs of one algorithm.
std::vector<double> pool_of(const Simulation& simulation, const char* algorithm, double log_inv_delta) {
  constexpr std::uint64_t kRuns = 20000;
  std::vector<double> taus;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed)
    taus.push_back(static_cast<double>(
        simulation.run(algorithm_named(algorithm, "campaign"), {&log_inv_delta, 1}, seed, nullptr).tau[0]));
  return taus;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double each : values) sum += each;
  return sum / static_cast<double>(values.size());
}

void show_trajectories(const char* family, double K, const char* algorithm, double log_inv_delta,
                       int sweeps) {
  const GraphAndMeans made = make_graph(graph_family(family, "campaign"), {{"K", K}}, "campaign");
  const Instance instance(made.graph, made.means, Gaussian{1.0});
  const Simulation simulation(instance, SimulationOptions{});
  const std::vector<double> mine = pool_of(simulation, algorithm, log_inv_delta);
  const std::vector<double> base = pool_of(simulation, "uniform", log_inv_delta);
  std::vector<double> sorted = mine;
  std::sort(sorted.begin(), sorted.end());
  show(
      fmt::format("{} K={} {} ln(1/delta)={}", family, K, algorithm, log_inv_delta),
      [&](std::uint64_t sweep, std::uint64_t seed) {
        std::mt19937_64 random((sweep << 32U) ^ seed ^ 0x9e3779b97f4a7c15ULL);
        random.discard(3);
        const std::size_t at = random() % mine.size();
        return Pair{mine[at], base[at]};
      },
      {mean_of(mine), sorted[sorted.size() / 2], mean_of(mine) / mean_of(base)}, sweeps);
}

}  // namespace

int main(int argc, char** argv) {
  const int sweeps = argc > 1 ? std::atoi(argv[1]) : 1000;
  fmt::print("{:<40}{:<8}{:>6}{:>10}{:>10}\n", "cell", "what", "asked", "coverage", "runs");
  const auto normal = [](std::mt19937_64& random) { return std::normal_distribution<double>()(random); };
  show_law(
      "normal, deviation 0.3", [&](auto& random) { return 1.0 + 0.3 * normal(random); }, 1.0, 1.0, sweeps);
  show_law(
      "exponential", [](auto& random) { return std::exponential_distribution<double>()(random); }, 1.0,
      std::log(2.0), sweeps);
  show_law(
      "lognormal, sigma 0.5", [&](auto& random) { return std::exp(0.5 * normal(random)); }, std::exp(0.125),
      1.0, sweeps);
  show_law(
      "lognormal, sigma 1", [&](auto& random) { return std::exp(normal(random)); }, std::exp(0.5), 1.0,
      sweeps);
  for (const char* algorithm : {"oracle", "tas-fg-heur", "exp3.g", "ucb-fg-e"})
    show_trajectories("ring", 3.0, algorithm, 1.0, sweeps);
  show_trajectories("loopy-star", 5.0, "ucb-fg-e", 3.0, sweeps);
}
