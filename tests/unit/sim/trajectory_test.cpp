#include "tasfg/sim/trajectory.hpp"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>

#include "sim/environment.hpp"
#include "sim/published_runs.hpp"
#include "solve/random_instances.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_families.hpp"
#include "tasfg/sim/content_key.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace {
std::atomic<long> heap_allocations{0};
}
// GCC takes the pair below for a mismatch once it has inlined one of them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++heap_allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// Standard algorithms use this one; a sanitizer's own would not match the delete below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++heap_allocations;
  return std::malloc(size);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace tasfg {
namespace {

Instance make(std::string_view family, const Parameters& parameters, RewardFamily reward = Gaussian{1.0},
              std::vector<double> means = {}) {
  GraphAndMeans made = make_graph(graph_family(family, "test"), parameters, "test");
  return {std::move(made.graph), means.empty() ? std::move(made.means) : std::move(means), reward};
}

const std::vector<double> kDeltas = {1.0, 2.2, 3.4, 4.6, 5.8, 7.0};

/// An easy instance of each reward family.
std::vector<Instance> easy_instances() {
  std::vector<Instance> instances;
  instances.push_back(make("loopy-star", {{"K", 4.0}}, Gaussian{0.25}));
  instances.push_back(make("loopy-star", {{"K", 4.0}}, Bernoulli{}, {.1, .2, .3, .9}));
  instances.push_back(make("loopy-star", {{"K", 4.0}}, Poisson{}, {.5, 1, 2, 6}));
  instances.push_back(make("loopy-star", {{"K", 4.0}}, Exponential{}, {.2, .4, .5, 3}));
  return instances;
}

TEST(Trajectory, ReplaysPublishedRunsToTheExactStep) {
  for (const testing::PublishedRun& run : testing::kPublishedRuns) {
    Parameters parameters{{"K", static_cast<double>(run.K)}};
    if (std::string_view(run.graph) == "loopless-clique")
      parameters.emplace("parity", std::string("reference"));
    const Instance instance = make(run.graph, parameters);
    SimulationOptions options;
    options.conventions = conventions_named("reference", "test");
    options.stream = StreamKind::numpy;
    const RunRecord record =
        Simulation(instance, options).run(algorithm_named(run.algorithm, "test"), kDeltas, run.seed);
    for (std::size_t d = 0; d < kDeltas.size(); ++d)
      EXPECT_EQ(record.tau[d], run.tau[d]) << run.algorithm << ' ' << run.graph << " K=" << run.K << " seed "
                                           << run.seed << " at " << kDeltas[d];
  }
}

/// Stopping times of `choose(estimate)` by the stopping rule as the paper writes it, evaluated in full after
/// every draw; `cap` where a run does not stop before.
template <typename Reward, typename Choose>
std::vector<std::int64_t> plain_run(const Instance& instance, const Reward& reward, std::uint64_t seed,
                                    ThresholdKind threshold, std::span<const double> deltas, std::int64_t cap,
                                    Choose choose) {
  PhiloxEnvironment<Reward> environment(instance, reward, content_key(instance), 0, seed);
  Estimate e(instance, Setting::informed, {});
  std::vector<std::int64_t> taus(deltas.size(), 0);
  std::size_t left = deltas.size();
  while (left > 0 && e.draws() < cap) {
    const int v = choose(e);
    e.pull(v);
    environment.pull(v, [&](int u, double /*r*/, double mean) { e.observe(v, u, mean); });
    double L = std::numeric_limits<double>::infinity();
    const auto a = static_cast<std::size_t>(e.best());
    for (std::size_t u = 0; u < static_cast<std::size_t>(e.size()); ++u) {
      if (u == a) continue;
      const double ma = e.observations()[a], mu = e.observations()[u];
      if (ma == 0.0 || mu == 0.0) {
        L = 0.0;
        continue;
      }
      const double x = (ma * e.means()[a] + mu * e.means()[u]) / (ma + mu);
      L = std::min(L, ma * divergence(reward, e.means()[a], x) + mu * divergence(reward, e.means()[u], x));
    }
    for (std::size_t d = 0; d < deltas.size(); ++d) {
      if (taus[d] == 0 && L >= threshold_base(threshold, deltas[d], e.size()) +
                                   threshold_growth(threshold, static_cast<double>(e.draws()))) {
        taus[d] = e.draws();
        --left;
      }
    }
  }
  for (std::int64_t& tau : taus) tau = tau == 0 ? cap : tau;
  return taus;
}

/// The UCB rules as the paper writes them: every bound of every vertex and edge at every draw.
int plain_ucb(const Estimate& e, bool vertices) {
  const int K = e.size();
  const double l = std::max(0.0, log(1.0 + static_cast<double>(e.draws())));
  const auto mean = [&](int u) {
    const auto i = static_cast<std::size_t>(u);
    return e.means()[i] + std::sqrt(2.0 * l) * (1.0 / std::sqrt(std::max(1.0, e.observations()[i])));
  };
  const auto bonus = [&](int v) {
    const double N = std::max(1.0, e.pulls()[static_cast<std::size_t>(v)]);
    return e.graph_known() ? 0.0 : std::sqrt(0.5 * l) * (1.0 / std::sqrt(N));
  };
  const auto argmax = [&](const auto& score) {
    int best = 0;
    for (int v = 1; v < K; ++v)
      if (score(v) > score(best)) best = v;
    return best;
  };
  if (vertices) {
    const int a = argmax(mean);
    const auto edge = [&](int v) {
      const double N = e.pulls()[static_cast<std::size_t>(v)];
      if (e.graph_known() || (N == 0.0 && e.prior() != GraphPrior::pseudo_count)) return e.edge(v, a);
      const double prior = e.prior() == GraphPrior::pseudo_count ? 1.0 : 0.0;
      return (prior + e.count(v, a)) * (1.0 / std::max(1.0, N));
    };
    return argmax([&](int v) { return edge(v) + bonus(v); });
  }
  double total = 0.0;
  for (int u = 0; u < K; ++u) total += mean(u);
  return argmax([&](int v) {
    double sum = 0.0;  // in the order in which the rule adds
    const double N = e.pulls()[static_cast<std::size_t>(v)];
    const bool counts = !e.graph_known() && e.prior() != GraphPrior::pseudo_count && N > 0.0;
    for (int u = 0; u < K; ++u) sum += (counts ? e.count(v, u) : e.edge(v, u)) * mean(u);
    return (counts ? sum / N : sum) + bonus(v) * total;
  });
}

TEST(Trajectory, LazyStoppingRuleGivesThePlainRulesStoppingTimes) {
  const auto in_turn = [](const Estimate& e) { return static_cast<int>(e.draws() % e.size()); };
  const auto ucb = [](const Estimate& e) { return plain_ucb(e, true); };
  constexpr std::int64_t kCap = 3000;
  int stopped = 0;
  std::vector<Instance> instances = easy_instances();
  instances.push_back(make("ring", {{"K", 4.0}}, Gaussian{1.0}, {1.0, 0.7, 0.5, 0.3}));
  instances.push_back(make("ring", {{"K", 3.0}}, Gaussian{1.0}, {3.0, 0.0, 0.0}));
  for (const Instance& instance : instances) {
    for (const ThresholdRow& threshold : threshold_rows()) {
      SimulationOptions options;
      options.threshold = threshold.kind;
      options.max_steps = kCap;
      const Simulation simulation(instance, options);
      const auto expect_plain = [&](const char* name, std::uint64_t seed, const auto& choose) {
        const RunRecord record = simulation.run(algorithm_named(name, "test"), kDeltas, seed);
        const auto plain = std::visit(
            [&](const auto& reward) {
              return plain_run(instance, reward, seed, threshold.kind, kDeltas, kCap, choose);
            },
            instance.reward());
        for (std::size_t d = 0; d < kDeltas.size(); ++d) {
          ASSERT_EQ(record.tau[d], plain[d]) << name << ' ' << row_of(instance.reward()).name << ' ' << seed;
          stopped += plain[d] < kCap ? 1 : 0;
        }
      };
      for (std::uint64_t seed = 0; seed < 30; ++seed) expect_plain("uniform", seed, in_turn);
      for (std::uint64_t seed = 0; seed < 60; ++seed) expect_plain("ucb-fg-v", seed, ucb);
    }
  }
  EXPECT_GT(stopped, 1000);
}

/// How often each vertex is pulled in so many draws.
std::vector<std::int64_t> plain_ucb_pulls(const Instance& instance, Setting setting,
                                          const Conventions& conventions, bool vertices, std::uint64_t seed,
                                          std::int64_t draws) {
  const Gaussian reward = std::get<Gaussian>(instance.reward());
  PhiloxEnvironment<Gaussian> environment(instance, reward, content_key(instance), 0, seed);
  Estimate e(instance, setting, conventions);
  while (e.draws() < draws) {
    const int v = plain_ucb(e, vertices);
    e.pull(v);
    environment.pull(v, [&](int u, double /*r*/, double mean) { e.observe(v, u, mean); });
  }
  return {e.pulls().begin(), e.pulls().end()};
}

TEST(Trajectory, UcbRulesThatLookOnlyWhenTheyMustChooseAsThePlainOnes) {
  // A run that stops at no δ; the pulls then agree only if (nearly) every choice did, since a choice changes
  // all that follow.
  const std::vector<double> never = {1e6};
  std::vector<Instance> instances;
  instances.push_back(make("ring", {{"K", 7.0}}));
  instances.push_back(make("loopless-clique", {{"K", 6.0}}));
  instances.push_back(make("loopy-star", {{"K", 5.0}}));
  instances.push_back(make("loopy-star-alt", {{"K", 4.0}}));
  instances.push_back(make("bandit", {{"K", 3.0}}));
  instances.push_back(make("full", {{"K", 4.0}}, Gaussian{4.0}));
  instances.push_back(make("random", {{"K", 20.0}}));
  for (const Instance& instance : instances)
    for (const Setting setting : {Setting::informed, Setting::uninformed, Setting::known_graph})
      for (const GraphPrior prior : {GraphPrior::optimistic, GraphPrior::pseudo_count})
        for (const char* name : {"ucb-fg-v", "ucb-fg-e"}) {
          SimulationOptions options;
          options.setting = setting;
          options.conventions.graph_prior = prior;
          options.max_steps = 20'000;
          const RunRecord record =
              Simulation(instance, options).run(algorithm_named(name, "test"), never, 11);
          const bool vertices = std::string_view(name) == "ucb-fg-v";
          ASSERT_EQ(record.pulls,
                    plain_ucb_pulls(instance, setting, options.conventions, vertices, 11, 20'000))
              << name << " K=" << instance.size() << ' ' << static_cast<int>(setting);
        }
}

TEST(Trajectory, UcbRulesChooseAsThePlainOnesFromTheFirstDrawsOn) {
  // Early on, bounds and counts change fast.
  const std::vector<double> never = {1e6};
  PhiloxStream random(stream_key(12));
  for (int i = 0; i < 2000; ++i) {
    const int K = 3 + i % 4;
    std::vector<double> means(static_cast<std::size_t>(K));
    for (double& mean : means) mean = random.uniform();
    const Instance instance = make(
        "ring", {{"K", static_cast<double>(K)}, {"p", 0.1 + 0.8 * random.uniform()}}, Gaussian{1.0}, means);
    SimulationOptions options;
    options.max_steps = 20 + static_cast<std::int64_t>(300 * random.uniform());
    const auto seed = static_cast<std::uint64_t>(i);
    const RunRecord record =
        Simulation(instance, options).run(algorithm_named("ucb-fg-v", "test"), never, seed);
    ASSERT_EQ(record.pulls, plain_ucb_pulls(instance, Setting::informed, options.conventions, true, seed,
                                            options.max_steps))
        << i;
  }
}

TEST(Trajectory, OnePassServesEveryDeltaInAnyOrder) {
  const Instance instance = make("ring", {});
  const Simulation simulation(instance, {});
  for (const AlgorithmRow& row : algorithm_rows()) {
    if (row.rule == RuleKind::ucb_fg_v || row.rule == RuleKind::tas_argmax ||
        row.rule == RuleKind::eps_greedy)
      continue;
    const Algorithm algorithm = algorithm_named(row.name, "test");
    const RunRecord all = simulation.run(algorithm, std::vector<double>{7.0, 1.0, 3.0}, 5);
    for (const auto& [position, delta] : {std::pair{0, 7.0}, {1, 1.0}, {2, 3.0}}) {
      const RunRecord one = simulation.run(algorithm, std::vector<double>{delta}, 5);
      EXPECT_EQ(one.tau[0], all.tau[static_cast<std::size_t>(position)]) << row.name;
      EXPECT_EQ(one.recommended[0], all.recommended[static_cast<std::size_t>(position)]) << row.name;
    }
    EXPECT_LE(all.tau[1], all.tau[2]);
    EXPECT_LE(all.tau[2], all.tau[0]);
    EXPECT_EQ(all.steps, all.tau[0]);
  }
}

TEST(Trajectory, EveryAlgorithmRewardAndSettingThatMakesSenseRuns) {
  ASSERT_EQ(easy_instances().size(), reward_families().size());
  for (const Instance& instance : easy_instances()) {
    for (const Setting setting : {Setting::informed, Setting::uninformed, Setting::known_graph}) {
      SimulationOptions options;
      options.setting = setting;
      options.max_steps = 200'000;
      std::optional<Simulation> simulation;
      if (setting == Setting::uninformed && !is_continuous(instance.reward())) {
        EXPECT_THROW(simulation.emplace(instance, options), InputError);
        continue;
      }
      simulation.emplace(instance, options);
      for (const AlgorithmRow& row : algorithm_rows()) {
        Algorithm algorithm = algorithm_named(row.name, "test");
        if (row.rule == RuleKind::tas_optimal) algorithm.period = 5;
        const RunRecord record = simulation->run(algorithm, std::vector<double>{2.0, 5.0}, 1);
        std::int64_t pulls = 0;
        for (const std::int64_t n : record.pulls) pulls += n;
        EXPECT_EQ(pulls, record.steps);
        // The others may starve a vertex that they need, on some seeds for longer than the cap.
        const RuleKind rule = row.rule;
        if (rule != RuleKind::tas_argmax && rule != RuleKind::eps_greedy_info && rule != RuleKind::ucb_fg_e &&
            rule != RuleKind::ucb_fg_v) {
          EXPECT_EQ(record.status, TaskStatus::done) << row.name << ' ' << row_of(instance.reward()).name;
          EXPECT_TRUE(record.correct[1]) << row.name << ' ' << row_of(instance.reward()).name;
        }
      }
    }
  }
}

TEST(Trajectory, RefusesWhatMakesNoSenseWithTheReason) {
  const auto message = [](const Instance& instance, const SimulationOptions& options) -> std::string {
    try {
      const Simulation simulation(instance, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::vector<Instance> instances = easy_instances();
  SimulationOptions uninformed;
  uninformed.setting = Setting::uninformed;
  EXPECT_NE(message(instances[1], uninformed).find("unidentifiable: Prop. 4"), std::string::npos);
  EXPECT_NE(message(instances[2], uninformed).find("poisson"), std::string::npos);
  EXPECT_EQ(message(instances[0], uninformed), "accepted");
  EXPECT_EQ(message(instances[3], uninformed), "accepted");
  SimulationOptions reference;
  reference.conventions = conventions_named("reference", "test");
  EXPECT_NE(message(instances[1], reference).find("gaussian"), std::string::npos);
  EXPECT_EQ(message(instances[0], reference), "accepted");
  SimulationOptions known = reference;
  known.setting = Setting::known_graph;
  EXPECT_NE(message(instances[0], known).find("known-graph"), std::string::npos);
  SimulationOptions numpy;
  numpy.stream = StreamKind::numpy;
  EXPECT_NE(message(instances[3], numpy).find("numpy"), std::string::npos);
  Algorithm tracking = algorithm_named("tas-fg", "test");
  tracking.tracking = Tracking::c;
  EXPECT_THROW(Simulation(instances[0], reference).check(tracking), InputError);
}

TEST(Trajectory, InformedAndUninformedAgreeForContinuousRewards) {
  const Instance instance = make("loopless-clique", {});
  SimulationOptions uninformed;
  uninformed.setting = Setting::uninformed;
  const Algorithm algorithm = algorithm_named("tas-fg-heur", "test");
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(Simulation(instance, {}).run(algorithm, kDeltas, seed).tau[5],
              Simulation(instance, uninformed).run(algorithm, kDeltas, seed).tau[5]);
}

TEST(Trajectory, IsCappedAtMaxSteps) {
  const Instance instance = make("ring", {});
  SimulationOptions options;
  options.max_steps = 9000;
  const RunRecord record = Simulation(instance, options)
                               .run(algorithm_named("uniform", "test"), std::vector<double>{0.1, 200.0}, 0);
  EXPECT_EQ(record.stopped[0], 1);
  EXPECT_EQ(record.stopped[1], 0);
  EXPECT_EQ(record.tau[1], 9000);
  EXPECT_EQ(record.status, TaskStatus::capped);
}

TEST(Trajectory, EveryTrackingRuleApproachesTheOptimalAllocation) {
  const Instance instance = make("ring", {});
  const std::vector<double> optimal = characteristic_time(instance).allocation;
  SimulationOptions options;
  options.max_steps = 40'000;
  const Simulation simulation(instance, options);
  std::vector<Algorithm> algorithms;
  for (const char* tracking : {"averaged-d", "d", "c", "exponential"}) {
    algorithms.push_back(algorithm_named("tas-fg", "test"));
    set_option(algorithms.back(), "tracking", tracking, "test");
    set_option(algorithms.back(), "period", "10", "test");
  }
  algorithms.push_back(algorithm_named("oracle", "test"));
  for (const Algorithm& algorithm : algorithms) {
    const RunRecord record = simulation.run(algorithm, std::vector<double>{1e4}, 3);
    double distance = 0.0;
    for (std::size_t v = 0; v < optimal.size(); ++v)
      distance += 0.5 * std::abs(static_cast<double>(record.pulls[v]) / 40000.0 - optimal[v]);
    EXPECT_LT(distance, algorithm.rule == RuleKind::oracle ? 1e-3 : 0.06)
        << static_cast<int>(algorithm.tracking);
  }
}

TEST(Trajectory, NothingButWhatIsNotedThereDependsOnCheckpoints) {
  for (const char* family : {"ring", "loopy-star"}) {
    const Instance instance = make(family, {});
    for (const AlgorithmRow& row : algorithm_rows()) {
      const Algorithm algorithm = algorithm_named(row.name, "test");
      SimulationOptions plain;
      plain.max_steps = 6000;
      plain.pulls_by_delta = true;
      SimulationOptions noting = plain;
      noting.checkpoints = {1, 7, 100, 101, 2500, 6000};
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const RunRecord without = Simulation(instance, plain).run(algorithm, kDeltas, seed);
        const RunRecord with = Simulation(instance, noting).run(algorithm, kDeltas, seed);
        EXPECT_EQ(with.tau, without.tau) << row.name;
        EXPECT_EQ(with.recommended, without.recommended);
        EXPECT_EQ(with.stopped, without.stopped);
        EXPECT_EQ(with.steps, without.steps);
        EXPECT_EQ(with.status, without.status);
        EXPECT_EQ(with.pulls, without.pulls);
        EXPECT_EQ(with.pulls_at, without.pulls_at);
        EXPECT_TRUE(without.checkpoint_correct.empty());
        ASSERT_EQ(with.checkpoint_T_ratio.size(), noting.checkpoints.size()) << row.name;
        for (const double ratio : with.checkpoint_T_ratio) EXPECT_GE(ratio, 1.0 - 1e-9);
      }
    }
  }
}

TEST(Trajectory, ACheckpointNotesWhatARunOfThatLengthWouldAnswer) {
  const Instance instance = make("ring", {});
  const ModelView model = view_of(instance);
  const double T_star = characteristic_time(instance).upper;
  const std::vector<double> never = {600.0};
  for (const char* name : {"tas-fg", "uniform", "ucb-fg-v"}) {
    const Algorithm algorithm = algorithm_named(name, "test");
    SimulationOptions noting;
    noting.max_steps = 5000;
    noting.checkpoints = {50, 400, 3000};
    const RunRecord all = Simulation(instance, noting).run(algorithm, never, 4);
    for (std::size_t i = 0; i < noting.checkpoints.size(); ++i) {
      SimulationOptions shorter;
      shorter.max_steps = noting.checkpoints[i];
      const RunRecord one = Simulation(instance, shorter).run(algorithm, never, 4);
      EXPECT_EQ(all.checkpoint_recommended[i], one.recommended[0]) << name << ' ' << i;
      EXPECT_EQ(all.checkpoint_correct[i], one.correct[0]);
      std::vector<double> share(one.pulls.begin(), one.pulls.end());
      for (double& each : share) each /= static_cast<double>(noting.checkpoints[i]);
      EXPECT_EQ(all.checkpoint_T_ratio[i], time_of(model, share) / T_star);
    }
  }
}

TEST(Trajectory, PullsAtEachDeltaAreThoseOfARunToThatDelta) {
  const Instance instance = make("ring", {});
  SimulationOptions options;
  options.pulls_by_delta = true;
  options.max_steps = 20'000;
  const Algorithm algorithm = algorithm_named("tas-fg", "test");
  const std::vector<double> deltas = {5.0, 1.0, 600.0};  // the last is not reached
  const RunRecord all = Simulation(instance, options).run(algorithm, deltas, 2);
  EXPECT_EQ(all.status, TaskStatus::capped);
  const auto K = static_cast<std::ptrdiff_t>(instance.size());
  for (std::ptrdiff_t d = 0; d < 3; ++d) {
    const RunRecord one =
        Simulation(instance, options).run(algorithm, std::vector{deltas[static_cast<std::size_t>(d)]}, 2);
    EXPECT_EQ(one.pulls, std::vector(all.pulls_at.begin() + d * K, all.pulls_at.begin() + (d + 1) * K)) << d;
  }
}

TEST(Trajectory, TheStepLoopAllocatesNothing) {
  const Instance instance = make("loopless-clique", {{"K", 8.0}});
  for (const StreamKind stream : {StreamKind::philox, StreamKind::numpy}) {
    for (const AlgorithmRow& row : algorithm_rows()) {
      const Algorithm algorithm = algorithm_named(row.name, "test");
      const auto allocations = [&](std::int64_t steps) {
        SimulationOptions options;
        options.stream = stream;
        options.max_steps = steps;
        const Simulation simulation(instance, options);
        const std::vector<double> never{1e9};
        const long before = heap_allocations;
        (void)simulation.run(algorithm, never, 1);
        return heap_allocations - before;
      };
      EXPECT_EQ(allocations(200), allocations(2000)) << row.name;
    }
  }
}

TEST(Trajectory, SkippingGivesTheVeryRunsOfSingleDraws) {
  PhiloxStream random(stream_key(4711));
  int compared = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const int K = 3 + trial % 6;
    Parameters parameters{{"K", static_cast<double>(K)}};
    const char* graphs[] = {"ring", "loopless-clique", "loopy-star", "loopy-star-alt", "random"};
    const std::string graph = graphs[trial % 5];
    if (graph == "random") parameters.emplace("seed", static_cast<double>(trial));
    const Instance instance = make(graph, parameters, Gaussian{trial % 4 == 3 ? 0.5 : 1.0});
    SimulationOptions options;
    options.master_seed = static_cast<std::uint64_t>(random.uniform() * 1e9);
    options.setting = trial % 3 == 0   ? Setting::informed
                      : trial % 3 == 1 ? Setting::known_graph
                                       : Setting::uninformed;
    options.max_steps = 3'000'000;
    if (trial % 5 == 0) options.checkpoints = {1000, 77'777, 1'000'000};
    SimulationOptions single = options;
    single.skip = false;
    for (const char* name : {"ucb-fg-v", "uniform", "oracle"}) {
      const Algorithm algorithm = algorithm_named(name, "test");
      const std::vector<double> deltas = {1.0, 2.2, 3.4, name[1] == 'c' ? 4.6 : 30.0};
      const RunRecord expected = Simulation(instance, single).run(algorithm, deltas, 3);
      const RunRecord skipped = Simulation(instance, options).run(algorithm, deltas, 3);
      EXPECT_EQ(skipped.tau, expected.tau) << name << ' ' << graph << " K=" << K << " trial " << trial;
      EXPECT_EQ(skipped.recommended, expected.recommended);
      EXPECT_EQ(skipped.stopped, expected.stopped);
      EXPECT_EQ(skipped.pulls, expected.pulls);
      EXPECT_EQ(skipped.checkpoint_recommended, expected.checkpoint_recommended);
      EXPECT_EQ(skipped.checkpoint_T_ratio, expected.checkpoint_T_ratio);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 120);
}

// The oracle looks 65 536 draws ahead, and draws vertex 1 here once in some 116 000.
TEST(Trajectory, NothingIsSkippedBeyondWhatTheRuleHasPlanned) {
  const GraphAndMeans made = make_graph(graph_family("loopless-clique", "test"),
                                        {{"K", 4.0}, {"parity", std::string("reference")}}, "test");
  const Instance instance(made.graph, {-0.79, 0.28, 0.965, 0.9735}, Gaussian{0.25});
  SimulationOptions options;
  options.max_steps = 1'000'000;
  SimulationOptions single = options;
  single.skip = false;
  const Algorithm algorithm = algorithm_named("oracle", "test");
  const std::vector<double> deltas{1.0, 3.4, 7.0};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    RunWork work;
    const RunRecord run = Simulation(instance, options).run(algorithm, deltas, seed, nullptr, &work);
    const RunRecord expected = Simulation(instance, single).run(algorithm, deltas, seed);
    EXPECT_EQ(run.tau, expected.tau) << seed;
    EXPECT_EQ(run.pulls, expected.pulls) << seed;
    EXPECT_GT(work.skipped, run.steps / 2);
  }
}

TEST(Trajectory, NearAChangeDrawsAreWalkedThrough) {
  for (const RewardFamily& reward : {RewardFamily(Gaussian{1.0}), RewardFamily(Exponential{})}) {
    const GraphAndMeans made = make_graph(graph_family("ring", "test"), {{"K", 6.0}}, "test");
    std::vector<double> means = made.means;
    for (double& mean : means) mean += 1.0;  // of exponential rewards, they must be positive
    const Instance instance(made.graph, means, reward);
    SimulationOptions options;
    options.max_steps = 2'000'000;
    SimulationOptions single = options;
    single.skip = false;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Algorithm algorithm = algorithm_named("ucb-fg-v", "test");
      const std::vector<double> deltas = {2.0, 20.0};
      RunWork work;
      const RunRecord run = Simulation(instance, options).run(algorithm, deltas, seed, nullptr, &work);
      const RunRecord expected = Simulation(instance, single).run(algorithm, deltas, seed);
      EXPECT_EQ(run.tau, expected.tau);
      EXPECT_EQ(run.pulls, expected.pulls);
      EXPECT_GT(work.walked, 30 * work.walks);
      EXPECT_GT(work.walked, run.steps / 100);
      EXPECT_LT(run.steps - work.skipped - work.walked, run.steps / 10) << "one by one";
    }
  }
}

TEST(Environment, RewardsAndActivationsDoNotDependOnTheOrderOfPulls) {
  const Instance instance = make("loopless-clique", {{"K", 4.0}});
  const auto rewards = [&](const std::vector<int>& pulls) {
    PhiloxEnvironment<Gaussian> environment(instance, Gaussian{1.0}, content_key(instance), 7, 3);
    std::vector<std::vector<double>> seen(4);
    std::vector<int> fired;
    for (const int v : pulls)
      environment.pull(v, [&](int u, double r, double /*mean*/) {
        seen[static_cast<std::size_t>(u)].push_back(r);
        if (v == 0) fired.push_back(u);
      });
    for (const int u : fired)
      seen[0].push_back(u);  // activations of vertex 0, in order, behind u = 0's rewards
    return seen;
  };
  const auto a = rewards({0, 1, 2, 3, 0, 1, 2, 3});
  const auto b = rewards({3, 2, 1, 0, 3, 2, 1, 0});
  for (std::size_t u = 1; u < 4; ++u) {
    ASSERT_EQ(a[u].size(), b[u].size());
    EXPECT_EQ(a[u], b[u]);
  }
  EXPECT_EQ(a[0], b[0]);
}

TEST(Environment, SeveralPullsShowWhatSinglePullsShow) {
  using Shown = std::pair<int, double>;
  PhiloxStream random(stream_key(77));
  std::int64_t at_once = 0;
  // Out-degrees of one and of two words; probabilities with ties, rare ones, and certain ones among others.
  for (const int K : {3, 4, 6, 8, 9}) {
    const auto n = static_cast<std::size_t>(K);
    std::vector<double> G(n * n), means(n, 0.5);
    for (double& p : G) {
      const double u = random.uniform();
      p = u < 0.1 ? 1.0 : u < 0.2 ? 0.01 : u < 0.4 ? 0.0 : random.uniform();
    }
    for (std::size_t v = 0; v < n; ++v) G[v * n + v] = 0.3;
    means[0] = 1.0;
    const Gaussian family{1.0};
    const Instance instance(FeedbackGraph(K, G), means, family);
    PhiloxEnvironment<Gaussian> single(instance, family, content_key(instance), 0, 5);
    PhiloxEnvironment<Gaussian> several(instance, family, content_key(instance), 0, 5);
    std::vector<Shown> expected, seen;
    std::int64_t total = 0;
    while (total < 20'000) {
      const int v = static_cast<int>(random.uniform() * K);
      const auto most = static_cast<std::int64_t>(random.uniform() * 40) + 1;
      seen.clear();
      int until_false = random.uniform() < 0.3 ? static_cast<int>(random.uniform() * 6) + 1 : 1000;
      std::int64_t pulls = several.pull_several(
          v, most, [&](int u, double r, double /*mean*/) { seen.emplace_back(u, r); },
          [&] { return --until_false > 0; });
      ASSERT_LE(pulls, most);
      at_once += pulls;
      if (pulls == 0) {
        several.pull(v, [&](int u, double r, double /*mean*/) { seen.emplace_back(u, r); });
        pulls = 1;
      }
      expected.clear();
      for (std::int64_t i = 0; i < pulls; ++i)
        single.pull(v, [&](int u, double r, double /*mean*/) { expected.emplace_back(u, r); });
      ASSERT_EQ(seen, expected) << K << " after " << total;
      total += pulls;
    }
  }
  EXPECT_GT(at_once, 20'000);
}

TEST(Environment, EdgesFireWithTheirProbabilitiesAndRewardsHaveTheirMeans) {
  // 2·10⁵ pulls per vertex; 5 standard errors: a false alarm once in about 10⁶ comparisons.
  for (const Instance& instance : easy_instances()) {
    std::visit(
        [&](const auto& reward) {
          PhiloxEnvironment<std::decay_t<decltype(reward)>> environment(instance, reward,
                                                                        content_key(instance), 1, 2);
          Estimate e(instance, Setting::informed, {});
          constexpr int kPulls = 200'000;
          for (int i = 0; i < kPulls * e.size(); ++i) {
            const int v = i % e.size();
            e.pull(v);
            environment.pull(v, [&](int u, double /*r*/, double mean) { e.observe(v, u, mean); });
          }
          for (int v = 0; v < e.size(); ++v) {
            for (int u = 0; u < e.size(); ++u) {
              const double p = instance.graph()(v, u);
              EXPECT_NEAR(e.edge(v, u), p, 5.0 * std::sqrt(p * (1.0 - p) / kPulls)) << v << ' ' << u;
            }
            const auto i = static_cast<std::size_t>(v);
            EXPECT_NEAR(e.means()[i], instance.mean(v),
                        5.0 * std::sqrt(reward.variance_at(instance.mean(v)) / e.observations()[i]))
                << row_of(instance.reward()).name << ' ' << v;
          }
        },
        instance.reward());
  }
}

TEST(Environment, ProbabilitiesAreExactWhereOneByteCannotTellThem) {
  // Edges that fire on ties alone, edges that a tie alone keeps from firing, and more of them than one group
  // holds. 5 standard errors, as above.
  const std::vector<double> some = {0.5 / 256, 0.9 / 256, 1.0 / 256, 1.3 / 256, 1 - 0.5 / 256, 0.5, 0.3, 1.0};
  constexpr int kVertices = 19;
  constexpr int kPulls = 1'000'000;
  std::vector<double> rows;
  for (int v = 0; v < kVertices; ++v)
    for (int u = 0; u < kVertices; ++u) rows.push_back(some[static_cast<std::size_t>(u + v) % some.size()]);
  std::vector<double> means(kVertices, 0.0);
  means[0] = 1.0;
  const Instance instance(FeedbackGraph(kVertices, rows), means, Gaussian{1.0});
  PhiloxEnvironment<Gaussian> environment(instance, Gaussian{1.0}, content_key(instance), 1, 2);
  std::vector<int> fired(kVertices, 0);
  for (int i = 0; i < kPulls; ++i)
    environment.pull(3, [&](int u, double /*r*/, double /*mean*/) { ++fired[static_cast<std::size_t>(u)]; });
  for (int u = 0; u < kVertices; ++u) {
    const double p = instance.graph()(3, u);
    EXPECT_NEAR(static_cast<double>(fired[static_cast<std::size_t>(u)]) / kPulls, p,
                5.0 * std::sqrt(p * (1.0 - p) / kPulls))
        << p;
  }
}

TEST(Environment, ContentKeyTellsCasesApart) {
  const StreamKey ring = content_key(make("ring", {}));
  EXPECT_TRUE(ring == content_key(make("ring", {})));
  EXPECT_FALSE(ring == content_key(make("ring", {{"p", 0.30000000001}})));
  EXPECT_FALSE(ring == content_key(make("ring", {}, Gaussian{2.0})));
  EXPECT_FALSE(ring == content_key(make("ring", {}, Gaussian{1.0}, {0, .25, .5, .75, 1.1})));
  EXPECT_FALSE(ring == content_key(make("ring", {{"K", 6.0}})));
}

TEST(Trajectory, RunsOnGraphsThatAreHeldByTheirEdges) {
  std::vector<double> means(5000, 0.0);
  means[4321] = 1.0;
  const Instance instance = make("torus", {{"K", 5000.0}}, Gaussian{0.01}, means);
  ASSERT_FALSE(instance.graph().has_matrix());
  SimulationOptions options;
  options.max_steps = 60'000;
  const Simulation simulation(instance, options);
  for (const AlgorithmRow& row : algorithm_rows()) {
    const std::string_view name = row.name;
    if (name == "oracle") continue;  // solves the model, which takes longer than all others
    const Algorithm algorithm = algorithm_named(name, "test");
    simulation.check(algorithm);
    const bool waits = name == "uniform";
    SimulationOptions few = options;
    few.max_steps = waits ? 60'000 : 300;
    const RunRecord run = Simulation(instance, few).run(algorithm, std::vector<double>{2.0}, 1);
    EXPECT_EQ(std::accumulate(run.pulls.begin(), run.pulls.end(), std::int64_t{0}), run.steps) << name;
    if (!waits) continue;
    EXPECT_EQ(run.status, TaskStatus::done);
    EXPECT_EQ(run.recommended.front(), 4321);
  }
  Algorithm external;
  external.rule = RuleKind::external;
  EXPECT_THROW(simulation.check(external), InputError);
  options.stream = StreamKind::numpy;
  EXPECT_THROW(Simulation(instance, options), InputError);
  options.stream = StreamKind::philox;
  options.conventions = conventions_named("reference", "test");
  EXPECT_THROW(Simulation(instance, options), InputError);
}

}  // namespace
}  // namespace tasfg
