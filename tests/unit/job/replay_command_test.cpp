#include <algorithm>
#include <map>

#include "job/expanded.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"
#include "tasfg/job/grid.hpp"

namespace tasfg {
namespace {

/// The words of a command as a POSIX shell splits them (quotes as replay_command writes them).
std::vector<std::string> shell_words(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\'')
      quoted = !quoted;
    else if (c == '\\' && !quoted)
      words.back() += command[++i];
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  EXPECT_FALSE(quoted) << command;
  return words;
}

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(parse_number(text.substr(begin, end - begin), "test"));
    begin = end + 1;
  }
  return values;
}

/// Does what `tasfg simulate` does with such a command.
RunRecord run_command(const std::string& command) {
  const std::vector<std::string> words = shell_words(command);
  EXPECT_EQ(words.at(0), "tasfg");
  EXPECT_EQ(words.at(1), "simulate");
  EXPECT_EQ(words.back(), "--csv");
  std::multimap<std::string, std::string> options;
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (words[i].starts_with("--means=")) {
      options.emplace("--means", words[i].substr(equals + 1));
    } else {
      options.emplace(words[i], words[i + 1]);
      ++i;
    }
  }
  const auto one = [&](const char* name) { return options.find(name)->second; };
  const auto split = [](const std::string& text) {
    const std::size_t equals = text.find('=');
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
  };
  const GraphFamily& family = graph_family(one("--graph"), "test");
  Parameters parameters;
  for (auto [at, end] = options.equal_range("-P"); at != end; ++at) {
    const auto [name, value] = split(at->second);
    parameters.emplace(name, parse_parameter(family, name, value, "test"));
  }
  GraphAndMeans made = graph_of(family, parameters, "test", &read_graph_csv);
  RewardFamily reward = reward_family(one("--reward"), "test").defaults;
  for (const RewardParameter& parameter : row_of(reward).parameters)
    set_parameter(reward, parameter.name,
                  parse_number(one(("--" + std::string(parameter.name)).c_str()), "test"));
  const Instance instance(std::move(made.graph),
                          options.contains("--means") ? numbers_of(one("--means")) : made.means, reward,
                          "test");
  SimulationOptions simulation;
  const std::string setting = one("--setting");
  simulation.setting = setting == "informed"     ? Setting::informed
                       : setting == "uninformed" ? Setting::uninformed
                                                 : Setting::known_graph;
  simulation.stream = one("--stream") == "numpy" ? StreamKind::numpy : StreamKind::philox;
  simulation.conventions = conventions_named(one("--conventions"), "test");
  for (auto [at, end] = options.equal_range("--set"); at != end; ++at) {
    const auto [name, value] = split(at->second);
    set_convention(simulation.conventions, name, value, "test");
  }
  simulation.threshold = threshold_named(one("--threshold"), "test");
  simulation.master_seed = static_cast<std::uint64_t>(parse_number(one("--master-seed"), "test"));
  simulation.max_steps = static_cast<std::int64_t>(parse_number(one("--max-steps"), "test"));
  Algorithm algorithm = algorithm_named(one("--algorithm"), "test");
  for (auto [at, end] = options.equal_range("-A"); at != end; ++at) {
    const auto [name, value] = split(at->second);
    EXPECT_TRUE(name.starts_with(algorithm.name + "."));
    set_option(algorithm, name.substr(algorithm.name.size() + 1), value, "test");
  }
  const std::vector<double> log_inv_delta = numbers_of(one("--log-inv-delta"));
  return Simulation(instance, simulation)
      .run(algorithm, log_inv_delta, static_cast<std::uint64_t>(parse_number(one("--seeds"), "test")));
}

TEST(ReplayCommand, GivesTheTasksOwnResult) {
  const std::string text =
      "seed = 77\nalgorithms = [\"tas-fg-heur\", \"exp3.g\", \"eps-greedy\"]\ndelta = [0.3, 0.07]\n"
      "threshold = \"simple\"\nmax_steps = 3000\n"
      "[[graph]]\nfamily = \"loopless-clique\"\nK = 4\np = \"1/3\"\nparity = \"reference\"\n"
      "[[graph]]\nfamily = \"bandit\"\nK = 3\nreward = [\"gaussian\", \"exponential\"]\nvariance = "
      "0.7\nmeans = [1, 2.1, "
      "1.3]\n"
      "[[graph]]\nfamily = \"random\"\nseed = 9\nmeans = [-1, 0, 1, 2, 3]\n"
      "[algorithm.tas-fg-heur]\nperiod = 3\ntracking = \"exponential\"\nweight = "
      "0.1\n[algorithm.eps-greedy]\nepsilon = "
      "0.3333\n"
      "[convention]\nreported-tau = \"draws-plus-one\"\n";
  for (const std::string setting : {"informed", "uninformed", "known-graph"}) {
    const Grid grid = expand(text, {"setting=" + setting});
    for (std::size_t c = 0; c < grid.cases.size(); ++c) {
      const Instance instance = grid.instance(c);
      const Simulation simulation(instance, grid.options);
      for (std::size_t a = 0; a < grid.algorithms.size(); ++a) {
        const RunRecord expected = simulation.run(grid.algorithms[a].algorithm, grid.log_inv_delta, 12);
        const RunRecord actual = run_command(grid.replay_command(c, a, 12));
        EXPECT_EQ(actual.pulls, expected.pulls) << grid.replay_command(c, a, 12);
        ASSERT_EQ(actual.tau.size(), expected.tau.size());
        for (std::size_t d = 0; d < expected.tau.size(); ++d) {
          EXPECT_EQ(actual.tau[d], expected.tau[d]) << grid.replay_command(c, a, 12);
          EXPECT_EQ(actual.recommended[d], expected.recommended[d]);
          EXPECT_EQ(actual.stopped[d], expected.stopped[d]);
        }
      }
    }
  }
}

TEST(ReplayCommand, HoldsForTheReferenceAndItsStream) {
  const Grid grid = expand(
      "algorithms = [\"exp3.g\", \"tas-fg-heur\"]\nlog_inv_delta = 1\nconventions = \"reference\"\nstream = "
      "\"numpy\"\nmax_steps = 2000\n[[graph]]\nfamily = \"symmetric\"\n[convention]\nunique-best = "
      "\"exact\"\n");
  for (std::size_t a = 0; a < 2; ++a) {
    const Instance instance = grid.instance(0);
    const RunRecord expected =
        Simulation(instance, grid.options).run(grid.algorithms[a].algorithm, grid.log_inv_delta, 3);
    EXPECT_EQ(run_command(grid.replay_command(0, a, 3)).pulls, expected.pulls);
  }
}

TEST(ReplayCommand, IsWrittenAsAPersonWould) {
  const Grid grid = expand("seed = 2025\nalgorithms = [\"tas-fg\"]\nlog_inv_delta = [1, 7]\n" + kRingBlock);
  EXPECT_EQ(
      grid.replay_command(0, 0, 3),
      "tasfg simulate --graph ring -P K=5 -P p=0.3 --reward gaussian --variance 1 --algorithm tas-fg --seeds "
      "3 "
      "--log-inv-delta 1,7 --setting informed --conventions paper --threshold practical --stream philox "
      "--master-seed 2025 --max-steps 1000000000 --csv");
}

TEST(ReplayCommand, QuotesPathsForTheShell) {
  const Folder folder;
  static_cast<void>(folder.write("my graphs/it's.csv", "1,0\n0.5,1\n"));
  const std::string job = folder.write("job.toml",
                                       "algorithms = [\"uniform\"]\nmax_steps = 100\n[[graph]]\nfamily = "
                                       "\"file\"\npath = \"my graphs/it's.csv\"\n");
  const Grid grid = read_job(job, {}, &read_graph_csv);
  const Instance instance = grid.instance(0);
  EXPECT_EQ(
      run_command(grid.replay_command(0, 0, 1)).pulls,
      Simulation(instance, grid.options).run(grid.algorithms[0].algorithm, grid.log_inv_delta, 1).pulls);
}

}  // namespace
}  // namespace tasfg
