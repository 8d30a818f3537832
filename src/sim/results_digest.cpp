#include "tasfg/sim/results_digest.hpp"

#include <array>
#include <vector>

#include "tasfg/algo/rules/external.hpp"
#include "tasfg/base/digest.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/case_record.hpp"

namespace tasfg {
namespace {

constexpr std::array kLogInvDelta{0.5, 2.0, 7.0};

/// Edges of probability 0, 1/4, 1/2, 3/4 and 1. Of `band` and more vertices each sees only those near it.
Instance probe(int K, int band, const RewardFamily& reward) {
  std::vector<double> graph, means;
  for (int v = 0; v < K; ++v) {
    means.push_back(v == K - 1 ? 0.9 : 0.1 + 0.002 * v);  // easy: most runs stop
    for (int u = 0; u < K; ++u) graph.push_back((K + u - v) % K < band ? 0.25 * ((3 * v + 2 * u) % 5) : 0.0);
  }
  return {FeedbackGraph(K, std::move(graph)), std::move(means), reward};
}

void add_run(Digest& digest, const RunRecord& run) {
  digest.add(static_cast<std::int8_t>(run.status));
  digest.add(run.steps);
  digest.add_all(run.tau);
  digest.add_all(run.recommended);
  digest.add_all(run.correct);
  digest.add_all(run.stopped);
  digest.add_all(run.pulls);
  digest.add_all(run.checkpoint_recommended);
  digest.add_all(run.checkpoint_correct);
  digest.add_all(run.checkpoint_T_ratio);
}

void add_solution(Digest& digest, const CaseSolution& solution) {
  for (const double value : {solution.T_star, solution.T_star_lower, solution.T_heuristic, solution.T_uniform,
                             solution.m_norm, solution.tv_heuristic})
    digest.add(value);
  for (const std::int32_t value :
       {solution.alpha, solution.alpha_upper, solution.weak_domination, solution.weak_domination_lower,
        solution.domination, solution.self_loops, solution.face_dimension, solution.iterations})
    digest.add(value);
  digest.add_all(solution.omega);
  digest.add_all(solution.omega_heuristic);
  digest.add_all(solution.m);
  digest.add_all(solution.lower_bound);
  digest.add_all(solution.practical_bound);
}

}  // namespace

std::uint64_t runs_digest(const Algorithm& algorithm, const SimulationOptions& options) {
  if (algorithm.external != nullptr) return algorithm.external->digest;  // what it does is its own
  Digest digest;
  const auto simulate = [&](const Instance& instance, std::int64_t draws, std::int64_t at_least) {
    SimulationOptions probed = options;
    probed.max_steps = draws;
    probed.checkpoints = {at_least};
    probed.pulls_by_delta = false;
    try {
      const Simulation simulation(instance, probed);
      simulation.check(algorithm);
      add_run(digest, simulation.run(algorithm, kLogInvDelta, /*seed=*/0));
    } catch (const InputError&) {  // no such combination, as uninformed Bernoulli rewards
      digest.add("none");
    }
  };
  for (const RewardFamilyRow& row : reward_families()) {
    simulate(probe(6, 6, row.defaults), 800, 200);
    simulate(probe(2, 2, row.defaults), 4000, 4000);  // several blocks of draws (base/dyadic.hpp)
  }
  simulate(probe(20, 20, reward_families()[0].defaults), 60, 15);
  // Large models are followed: dense ones (solve/working_set.hpp) and sparse ones.
  if (algorithm.rule == RuleKind::tas_optimal) {
    simulate(probe(60, 60, reward_families()[0].defaults), 400, 100);
    simulate(probe(40, 3, reward_families()[0].defaults), 1500, 100);
  }
  return digest.value();
}

std::uint64_t solutions_digest(const SimulationOptions& options) {
  Digest digest;
  for (const RewardFamilyRow& row : reward_families())
    add_solution(digest, solve_case(probe(6, 6, row.defaults), options, kLogInvDelta));
  // One for each of the solver's other forms.
  for (const auto& [K, band] : {std::pair{12, 12}, {16, 16}, {20, 20}, {60, 60}, {100, 6}, {300, 6}})
    add_solution(digest, solve_case(probe(K, band, reward_families()[0].defaults), options, kLogInvDelta));
  return digest.value();
}

}  // namespace tasfg
