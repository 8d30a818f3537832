#include "tasfg/job/job.hpp"

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/sim/environment.hpp"

namespace tasfg {
namespace {

const std::string kRingBlock = "[[graph]]\nfamily = \"ring\"\n";
const std::string kRing = "algorithms = []\n" + kRingBlock;

Grid expand(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return expand_job(text, "jobs/test.toml", overrides, &read_graph_csv);
}

std::vector<std::string> labels(const Grid& grid) {
  std::vector<std::string> all;
  for (const Case& entry : grid.cases) all.push_back(entry.label);
  return all;
}

std::vector<double> parameter(const Grid& grid, std::string_view name) {
  std::vector<double> values;
  for (const Case& entry : grid.cases)
    values.push_back(std::get<double>(entry.parameters.find(name)->second));
  return values;
}

/// A folder of one test's own.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tasfg-job-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

TEST(Job, HasDefaultsForAllButAlgorithmsAndGraphs) {
  const Grid grid = expand(kRing);
  EXPECT_EQ(grid.origin, "jobs/test.toml");
  EXPECT_EQ(grid.text, kRing);
  EXPECT_EQ(grid.name, "test");
  EXPECT_EQ(grid.options.master_seed, 0U);
  EXPECT_EQ(grid.replications, 1);
  EXPECT_EQ(grid.options.max_steps, 1'000'000'000);
  EXPECT_EQ(grid.options.setting, Setting::informed);
  EXPECT_EQ(grid.options.threshold, ThresholdKind::practical);
  EXPECT_EQ(grid.options.stream, StreamKind::philox);
  EXPECT_EQ(grid.options.conventions, Conventions());
  EXPECT_EQ(grid.conventions, "paper");
  EXPECT_EQ(grid.log_inv_delta, (std::vector<double>{1.0, 2.2, 3.4, 4.6, 5.8, 7.0}));
  EXPECT_EQ(labels(grid), std::vector<std::string>{"ring K=5 p=0.3"});
  EXPECT_TRUE(grid.algorithms.empty());
  EXPECT_EQ(grid.cells(), 0U);
}

TEST(Job, ReadsEverySetting) {
  const Grid grid = expand(
      "name = \"a study\"\nseed = 9_000_000_000_000_000\nreplications = 1e3\nmax_steps = 5e6\ndelta = [0.1, "
      "0.001]\n"
      "algorithms = [\"tas-fg\", \"eps-greedy\", \"uniform\"]\nsetting = \"known-graph\"\nthreshold = "
      "\"proven\"\n"
      "[[graph]]\nfamily = \"bandit\"\n"
      "[algorithm.\"tas-fg\"]\ntracking = \"c\"\nperiod = 5\ngap = 1e-6\n[algorithm.eps-greedy]\nepsilon = "
      "0.5\n");
  EXPECT_EQ(grid.name, "a study");
  EXPECT_EQ(grid.options.master_seed, 9'000'000'000'000'000U);
  EXPECT_EQ(grid.replications, 1000);
  EXPECT_EQ(grid.options.max_steps, 5'000'000);
  EXPECT_EQ(grid.options.setting, Setting::known_graph);
  EXPECT_EQ(grid.options.threshold, ThresholdKind::proven);
  EXPECT_EQ(grid.delta, (std::vector<double>{0.1, 0.001}));
  EXPECT_EQ(grid.log_inv_delta, (std::vector<double>{-log(0.1), -log(0.001)}));
  ASSERT_EQ(grid.algorithms.size(), 3U);
  EXPECT_EQ(grid.algorithms[0].algorithm.rule, RuleKind::tas_optimal);
  EXPECT_EQ(grid.algorithms[0].algorithm.tracking, Tracking::c);
  EXPECT_EQ(grid.algorithms[0].algorithm.period, 5);
  EXPECT_EQ(grid.algorithms[0].algorithm.gap, 1e-6);
  EXPECT_EQ(grid.algorithms[0].options, "tracking=c period=5 gap=1e-06");
  EXPECT_EQ(grid.algorithms[1].algorithm.epsilon, 0.5);
  EXPECT_EQ(grid.algorithms[1].options, "epsilon=0.5");
  EXPECT_EQ(grid.algorithms[2].options, "");
  EXPECT_EQ(grid.cells(), 3U);
}

TEST(Job, StringsAndCommentsMayHoldAnything) {
  const std::string wild = "....................[[[[[[[[[[[[[[[[[[[[é";
  EXPECT_EQ(expand("\xef\xbb\xbf# " + wild + "\nname = \"" + wild + "\"\n" + kRing).name, wild);
  EXPECT_EQ(expand("name = '" + wild + "' # \" \"\"\"\n" + kRing).name, wild);
  EXPECT_EQ(expand("name = \"\"\"" + wild + "\"\\\"\\\\\"\"\"\n" + kRing).name, wild + "\"\"\\");
  EXPECT_EQ(expand("name = '''" + wild + "\"\"\"'''''\n" + kRing).name, wild + "\"\"\"''");
  EXPECT_EQ(expand("name = \"\"\"\\\n  " + wild + "\"\"\"\r\n" + kRing).name, wild);
}

TEST(Job, ListsConfidencesInEitherForm) {
  const Grid by_log = expand("log_inv_delta = {from = 1, to = 7, count = 3}\n" + kRing);
  EXPECT_EQ(by_log.log_inv_delta, (std::vector<double>{1.0, 4.0, 7.0}));
  EXPECT_EQ(by_log.delta, (std::vector<double>{exp(-1.0), exp(-4.0), exp(-7.0)}));
  const Grid by_delta = expand("delta = 0.05\n" + kRing);
  EXPECT_EQ(by_delta.delta, std::vector<double>{0.05});
  EXPECT_EQ(by_delta.log_inv_delta, std::vector<double>{-log(0.05)});
}

TEST(Job, ReferenceConventionsSetEveryPointAndTheParity) {
  const std::string text = "algorithms = []\n[[graph]]\nfamily = \"loopless-clique\"\n";
  const Grid paper = expand(text);
  const Grid reference = expand("conventions = \"reference\"\n" + text);
  EXPECT_EQ(reference.options.conventions, conventions_named("reference", "test"));
  EXPECT_EQ(reference.conventions, "reference");
  EXPECT_EQ(labels(paper), std::vector<std::string>{"loopless-clique K=5 p=0.5 parity=paper"});
  EXPECT_EQ(labels(reference), std::vector<std::string>{"loopless-clique K=5 p=0.5 parity=reference"});
  // A block's own parity wins.
  const Grid both = expand("conventions = \"reference\"\n" + text + "parity = [\"paper\", \"reference\"]");
  EXPECT_EQ(labels(both), (std::vector<std::string>{"loopless-clique K=5 p=0.5 parity=paper",
                                                    "loopless-clique K=5 p=0.5 parity=reference"}));
}

TEST(Job, ConventionPointsChangeOneAtATime) {
  const Grid grid =
      expand(kRing + "[convention]\nstatistic = \"pseudo-count\"\n\"exp3.g\" = \"reference\"\n");
  Conventions expected;
  expected.statistic = StatisticKind::pseudo_count;
  expected.exp3 = Exp3Variant::reference;
  EXPECT_EQ(grid.options.conventions, expected);
}

TEST(Grid, ParametersMultiplyInTheFamilysOrderTheFirstSlowest) {
  // Written in another order on purpose.
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nr = [0.1, 0.2]\nfamily = \"loopy-star\"\np = [0.3, 0.4]\nK = [6, 5]\n");
  EXPECT_EQ(labels(grid), (std::vector<std::string>{
                              "loopy-star K=6 p=0.3 q=0.25 r=0.1", "loopy-star K=6 p=0.3 q=0.25 r=0.2",
                              "loopy-star K=6 p=0.4 q=0.25 r=0.1", "loopy-star K=6 p=0.4 q=0.25 r=0.2",
                              "loopy-star K=5 p=0.3 q=0.25 r=0.1", "loopy-star K=5 p=0.3 q=0.25 r=0.2",
                              "loopy-star K=5 p=0.4 q=0.25 r=0.1", "loopy-star K=5 p=0.4 q=0.25 r=0.2"}));
  EXPECT_EQ(grid.largest_K, 6);
}

TEST(Grid, BlocksAddUpInTheOrderOfTheFile) {
  const Grid grid = expand(
      "algorithms = [\"uniform\", \"exp3.g\"]\n[[graph]]\nfamily = \"ring\"\nK = [5, 7]\n[[graph]]\nfamily = "
      "\"bandit\"\nK = 3\n[[graph]]\nfamily = \"full\"\n");
  EXPECT_EQ(labels(grid),
            (std::vector<std::string>{"ring K=5 p=0.3", "ring K=7 p=0.3", "bandit K=3 p=1", "full K=5 p=1"}));
  EXPECT_EQ(grid.cells(), 8U);
  EXPECT_EQ(grid.largest_K, 7);
}

TEST(Grid, LinearRangesHaveExactEndsAndTheStatedValuesBetween) {
  for (const int count : {2, 3, 7, 200, 201}) {
    const Grid grid = expand(kRing + "p = {from = 0.1, to = 0.7, count = " + std::to_string(count) + "}");
    const std::vector<double> p = parameter(grid, "p");
    ASSERT_EQ(p.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(p.front(), 0.1);
    EXPECT_EQ(p.back(), 0.7);
    for (int i = 0; i + 1 < count; ++i)
      EXPECT_EQ(p[static_cast<std::size_t>(i)], 0.1 + i * (0.7 - 0.1) / (count - 1)) << i;
  }
  EXPECT_EQ(parameter(expand(kRing + "p = {from = 0.9, to = 0.1, count = 3}"), "p"),
            (std::vector<double>{0.9, 0.5, 0.1}));
  EXPECT_EQ(parameter(expand(kRing + "p = {from = 0.5, to = 0.5, count = 1}"), "p"),
            std::vector<double>{0.5});
}

TEST(Grid, LogarithmicRangesHaveExactEndsAndEqualRatios) {
  const Grid grid = expand(kRing + "p = {from = 0.001, to = 0.7, count = 9, scale = \"log\"}");
  const std::vector<double> p = parameter(grid, "p");
  ASSERT_EQ(p.size(), 9U);
  EXPECT_EQ(p.front(), 0.001);
  EXPECT_EQ(p.back(), 0.7);
  for (std::size_t i = 1; i < 8; ++i) {
    const double width = log(0.7) - log(0.001);
    EXPECT_EQ(p[i], exp(log(0.001) + static_cast<double>(i) * width / 8.0));
    EXPECT_NEAR(p[i] / p[i - 1], p[i + 1] / p[i], 1e-12);
  }
}

TEST(Grid, ExpressionsFollowTheOtherParametersCaseByCase) {
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star-alt\"\nK = [5, 10]\nq = [0.25, 0.4]\nr = "
      "\"0.25*(1-2*q)/(K-1)\"\n");
  ASSERT_EQ(grid.cases.size(), 4U);
  // The family's own default of r is the same formula.
  const Grid defaults =
      expand("algorithms = []\n[[graph]]\nfamily = \"loopy-star-alt\"\nK = [5, 10]\nq = [0.25, 0.4]\n");
  EXPECT_EQ(labels(grid), labels(defaults));
  EXPECT_EQ(grid.digest(), defaults.digest());
}

TEST(Grid, ExpressionsOfExpressionsAreOrderedByWhatTheyUse) {
  // p needs q, q needs r, r needs K: against the order of the table.
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\nK = [4, 8]\np = \"q/2\"\nq = \"r+0.1\"\nr = "
      "\"1/K\"\n");
  EXPECT_EQ(labels(grid), (std::vector<std::string>{"loopy-star K=4 p=0.175 q=0.35 r=0.25",
                                                    "loopy-star K=8 p=0.1125 q=0.225 r=0.125"}));
}

TEST(Grid, ListsMayMixNumbersAndExpressions) {
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\nK = [4, 8]\nr = [0.3, \"1/K\", \"2/K\"]\n");
  EXPECT_EQ(parameter(grid, "r"), (std::vector<double>{0.3, 0.25, 0.5, 0.3, 0.125, 0.25}));
}

TEST(Grid, ExpressionsMayUseDefaultsAndGiveWholeNumbers) {
  const Grid grid =
      expand("algorithms = []\n[[graph]]\nfamily = \"random\"\nK = \"floor(10*p)+1\"\nseed = \"2*K\"\n");
  EXPECT_EQ(labels(grid), std::vector<std::string>{"random K=6 p=0.5 q=0.1 r=1 seed=12"});
}

TEST(Grid, MinusZeroIsZero) {
  const std::string expected = "loopy-star K=5 p=0 q=0.25 r=0.25";
  for (const char* p : {"-0.0", "\"-0*q\"", "[-0.0]", "{from = -0.0, to = -0.0, count = 1}"})
    EXPECT_EQ(labels(expand(std::string("algorithms = []\n[[graph]]\nfamily = \"loopy-star\"\np = ") + p)),
              std::vector<std::string>{expected})
        << p;
}

TEST(Grid, RewardsMeansAndVarianceOfABlockWinOverThoseAtTheTop) {
  const Grid grid = expand(
      "algorithms = []\nreward = \"poisson\"\nmeans = [1, 2, 3]\nvariance = 4\n"
      "[[graph]]\nfamily = \"bandit\"\nK = 3\n"
      "[[graph]]\nfamily = \"full\"\nK = 3\nreward = \"gaussian\"\n"
      "[[graph]]\nfamily = \"ring\"\nK = 3\nreward = \"gaussian\"\nvariance = 0.5\nmeans = [0.5, 0.25, 0]\n");
  EXPECT_EQ(labels(grid), (std::vector<std::string>{"bandit K=3 p=1 poisson means=1,2,3",
                                                    "full K=3 p=1 variance=4 means=1,2,3",
                                                    "ring K=3 p=0.3 variance=0.5 means=0.5,0.25,0"}));
  EXPECT_TRUE(std::holds_alternative<Poisson>(grid.cases[0].reward));
  EXPECT_EQ(std::get<Gaussian>(grid.cases[1].reward).variance, 4.0);
  EXPECT_EQ(std::get<Gaussian>(grid.cases[2].reward).variance, 0.5);
  EXPECT_EQ(grid.cases[2].means, (std::vector<double>{0.5, 0.25, 0.0}));
  EXPECT_EQ(grid.cases[2].best, 0);
}

TEST(Grid, RewardsMultiplyFastestAndVariancesMultiplyGaussianOnesAlone) {
  const Grid grid = expand(
      "algorithms = []\n[[graph]]\nfamily = \"bandit\"\nK = 3\np = [0.5, 1]\nreward = [\"gaussian\", "
      "\"bernoulli\"]\n"
      "variance = [1, 4]\nmeans = [0.2, 0.4, 0.6]\n");
  EXPECT_EQ(
      labels(grid),
      (std::vector<std::string>{
          "bandit K=3 p=0.5 means=0.2,0.4,0.6", "bandit K=3 p=0.5 variance=4 means=0.2,0.4,0.6",
          "bandit K=3 p=0.5 bernoulli means=0.2,0.4,0.6", "bandit K=3 p=1 means=0.2,0.4,0.6",
          "bandit K=3 p=1 variance=4 means=0.2,0.4,0.6", "bandit K=3 p=1 bernoulli means=0.2,0.4,0.6"}));
}

TEST(Grid, LabelsNameMeansOnlyWhereTheyDifferFromTheFamilys) {
  const Grid same = expand(kRing + "means = {from = 0, to = 1, count = 5}");
  EXPECT_EQ(labels(same), std::vector<std::string>{"ring K=5 p=0.3"});
  EXPECT_EQ(same.digest(), expand(kRing).digest());
  // Long lists are told apart by a fingerprint.
  const Grid one = expand(kRing + "K = 30\nmeans = {from = 0, to = 2, count = 30}");
  const Grid other = expand(kRing + "K = 30\nmeans = {from = 0, to = 2, count = 30, scale = \"linear\"}");
  const Grid different =
      expand(kRing + "K = 30\nmeans = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2]");
  EXPECT_TRUE(one.cases[0].label.starts_with("ring K=30 p=0.3 means=0,..,2#")) << one.cases[0].label;
  EXPECT_EQ(one.cases[0].label, other.cases[0].label);
  EXPECT_NE(one.cases[0].label, different.cases[0].label);
}

TEST(Grid, CasesCarryWhatTheirInstancesSay) {
  std::string text = "algorithms = [\"uniform\"]\n";
  for (const GraphFamily& family : graph_families())
    if (family.name != "file") text += "[[graph]]\nfamily = \"" + std::string(family.name) + "\"\n";
  const Grid grid = expand(text);
  ASSERT_EQ(grid.cases.size(), graph_families().size() - 1);
  std::set<std::string> distinct;
  for (std::size_t i = 0; i < grid.cases.size(); ++i) {
    const Case& entry = grid.cases[i];
    const Instance instance = grid.instance(i);
    EXPECT_EQ(entry.K, instance.size());
    EXPECT_EQ(entry.best, instance.best());
    EXPECT_EQ(entry.means, instance.means());
    EXPECT_EQ(entry.edges, instance.graph().edge_count());
    EXPECT_EQ(entry.observability, graph_quantities(instance.graph()).observability) << entry.label;
    EXPECT_EQ(entry.key, content_key(instance));
    const GraphAndMeans made =
        make_graph(graph_family(entry.graph, "test"), entry.parameters, "test", &read_graph_csv);
    const auto expected = made.graph.row_major();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), instance.graph().row_major().begin()));
    EXPECT_EQ(entry.parameters.size(), graph_family(entry.graph, "test").parameters.size());
    distinct.insert(entry.label);
  }
  EXPECT_EQ(distinct.size(), grid.cases.size());
}

TEST(GraphFiles, AreFoundBesideTheJobFileOrInTheWorkingDirectory) {
  const Folder folder;
  const std::string graph = folder.write("graphs/two.csv", "1,0\n0.5,1\n");
  const std::string job =
      folder.write("job.toml", "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"graphs/two.csv\"\n");
  const Grid beside = read_job(job, {}, &read_graph_csv);
  ASSERT_EQ(beside.cases.size(), 1U);
  EXPECT_EQ(beside.cases[0].K, 2);
  EXPECT_EQ(beside.cases[0].edges, 3U);
  EXPECT_EQ(beside.cases[0].label, "file path=graphs/two.csv");
  EXPECT_EQ(std::get<std::string>(beside.cases[0].parameters.find("path")->second), graph);
  EXPECT_EQ(beside.instance(0).graph()(1, 0), 0.5);
  EXPECT_EQ(beside.name, "job");
  // An absolute path stands as it is.
  const Grid absolute = expand("algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"" + graph + "\"\n");
  EXPECT_EQ(absolute.cases[0].key, beside.cases[0].key);
}

TEST(GraphFiles, TheFolderDoesNotChangeTheDigest) {
  const Folder here, there;
  const std::string text = "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"two.csv\"\n";
  static_cast<void>(here.write("two.csv", "1,0\n0.5,1\n"));
  static_cast<void>(there.write("two.csv", "1,0\n0.5,1\n"));
  const Grid first = read_job(here.write("job.toml", text), {}, &read_graph_csv);
  EXPECT_EQ(first.digest(), read_job(there.write("job.toml", text), {}, &read_graph_csv).digest());
  static_cast<void>(there.write("two.csv", "1,0\n0.25,1\n"));
  EXPECT_NE(first.digest(), read_job(there.write("job.toml", text), {}, &read_graph_csv).digest());
}

TEST(GraphFiles, ChangedUnderAGridAreNoticed) {
  const Folder folder;
  static_cast<void>(folder.write("two.csv", "1,0\n0.5,1\n"));
  const std::string job =
      folder.write("job.toml", "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = \"two.csv\"\n");
  const Grid grid = read_job(job, {}, &read_graph_csv);
  EXPECT_NO_THROW(static_cast<void>(grid.instance(0)));
  static_cast<void>(folder.write("two.csv", "1,0\n0.25,1\n"));
  try {
    static_cast<void>(grid.instance(0));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              job + ": case 0 (file path=two.csv): the graph file has changed since the job was read");
  }
}

TEST(GraphFiles, ADatasetOfAFileBesideTheJobIsFoundToo) {
  const Folder folder;
  const std::string file = folder.write("graphs.h5", "not read here");
  const std::string job = folder.write(
      "job.toml",
      "algorithms = []\n[[graph]]\nfamily = \"file\"\npath = [\"graphs.h5:G\", \"graphs.h5:H\"]\n");
  const Grid grid = read_job(job, {}, [](const std::string& path) -> FeedbackGraph {
    return {2, {1.0, path.ends_with(":G") ? 0.5 : 0.25, 0.0, 1.0}, path};
  });
  ASSERT_EQ(grid.cases.size(), 2U);
  EXPECT_EQ(std::get<std::string>(grid.cases[1].parameters.find("path")->second), file + ":H");
}

TEST(Overrides, DoWhatEditingTheFileWould) {
  const std::string text =
      "replications = 3\nalgorithms = [\"tas-fg\"]\n[[graph]]\nfamily = \"ring\"\np = 0.3\n[[graph]]\nfamily "
      "= "
      "\"bandit\"\n";
  struct Example {
    std::vector<std::string> overrides;
    std::string edited;
  };
  const std::string graphs = "[[graph]]\nfamily = \"ring\"\np = 0.3\n[[graph]]\nfamily = \"bandit\"\n";
  const std::string head = "replications = 3\nalgorithms = [\"tas-fg\"]\n";
  const Example examples[] = {
      {{"replications=10"}, "replications = 10\nalgorithms = [\"tas-fg\"]\n" + graphs},
      {{"replications = 1e1"}, "replications = 10\nalgorithms = [\"tas-fg\"]\n" + graphs},
      {{"algorithms=[\"uniform\", 'exp3.g']"},
       "replications = 3\nalgorithms = [\"uniform\", \"exp3.g\"]\n" + graphs},
      {{"algorithms=uniform"}, "replications = 3\nalgorithms = [\"uniform\"]\n" + graphs},
      {{"setting=uninformed"}, "setting = \"uninformed\"\n" + head + graphs},
      {{"setting=\"uninformed\""}, "setting = \"uninformed\"\n" + head + graphs},
      {{"graph[0].K=[5, 10]"},
       head + "[[graph]]\nfamily = \"ring\"\np = 0.3\nK = [5, 10]\n[[graph]]\nfamily = \"bandit\"\n"},
      {{"graph.K=7"}, head + "[[graph]]\nfamily = \"ring\"\nK = 7\n[[graph]]\nfamily = \"bandit\"\nK = 7\n"},
      {{"graph[0].p=1/K"}, head + "[[graph]]\nfamily = \"ring\"\np = 0.2\n[[graph]]\nfamily = \"bandit\"\n"},
      {{"graph[1].p={from=0.5,to=1,count=2}"},
       head + "[[graph]]\nfamily = \"ring\"\n[[graph]]\nfamily = \"bandit\"\np = [0.5, 1.0]\n"},
      {{"algorithm.\"tas-fg\".period=5"}, head + graphs + "[algorithm.tas-fg]\nperiod = 5\n"},
      {{"algorithm.tas-fg.period=5", "algorithm.'tas-fg'.tracking=c"},
       head + graphs + "[algorithm.tas-fg]\nperiod = 5\ntracking = \"c\"\n"},
      {{"convention.statistic=pseudo-count"}, head + graphs + "[convention]\nstatistic = \"pseudo-count\"\n"},
      {{"convention.\"exp3.g\"=reference"}, head + graphs + "[convention]\n\"exp3.g\" = \"reference\"\n"},
      {{"replications=5", "replications=6"}, "replications = 6\nalgorithms = [\"tas-fg\"]\n" + graphs},
      {{"log_inv_delta=[1,2]", "log_inv_delta[1]=3"}, "log_inv_delta = [1, 3]\n" + head + graphs},
      {{"graph=[{family=\"full\"}]"}, head + "[[graph]]\nfamily = \"full\"\n"},
      {{"reward=exponential", "means=[1,2,3,4,5]"},
       "reward = \"exponential\"\nmeans = [1, 2, 3, 4, 5]\n" + head + graphs},
  };
  for (const Example& example : examples) {
    const Grid overridden = expand(text, example.overrides);
    const Grid edited = expand(example.edited);
    EXPECT_EQ(overridden.digest(), edited.digest()) << example.overrides[0];
    EXPECT_EQ(labels(overridden), labels(edited)) << example.overrides[0];
    EXPECT_EQ(overridden.overrides, example.overrides);
    EXPECT_EQ(overridden.text, text);
    EXPECT_NE(overridden.digest(), expand(text).digest()) << example.overrides[0];
  }
}

TEST(Overrides, OneListOfConfidencesReplacesTheOther) {
  const Grid by_delta = expand("log_inv_delta = [1, 2]\n" + kRing, {"delta=0.1"});
  EXPECT_EQ(by_delta.delta, std::vector<double>{0.1});
  const Grid by_log = expand("delta = [0.1, 0.2]\n" + kRing, {"log_inv_delta=[3]"});
  EXPECT_EQ(by_log.log_inv_delta, std::vector<double>{3.0});
  const Grid last = expand(kRing, {"delta=0.1", "log_inv_delta=3"});
  EXPECT_EQ(last.log_inv_delta, std::vector<double>{3.0});
}

TEST(Overrides, WordsAreTakenAsTheyStand) {
  const auto name = [](const std::string& value) { return expand(kRing, {"name=" + value}).name; };
  EXPECT_EQ(name("my study"), "my study");
  EXPECT_EQ(name("\"my study\""), "my study");
  EXPECT_EQ(name("say \"hi\" \\ there"), "say \"hi\" \\ there");
  EXPECT_EQ(name("a=b"), "a=b");
  EXPECT_EQ(name("'5'"), "5");
  EXPECT_EQ(name("\u03b4"), "\u03b4");
  EXPECT_EQ(name("a # b"), "a # b");
  EXPECT_THROW(static_cast<void>(name("1\nseed = 2")), InputError);  // a line break adds no key
}

/// Settings that determine results, each changed.
TEST(Digest, ChangesWithEverythingThatDeterminesResults) {
  const std::string text =
      "seed = 1\nreplications = 3\nlog_inv_delta = [1, 2]\nalgorithms = [\"tas-fg\", "
      "\"uniform\"]\n[[graph]]\nfamily = "
      "\"loopless-clique\"\n";
  std::set<std::uint64_t> digests = {expand(text).digest()};
  const std::vector<std::vector<std::string>> changes = {
      {"seed=2"},
      {"replications=4"},
      {"max_steps=1000"},
      {"log_inv_delta=[1, 2.0000000000000004]"},
      {"log_inv_delta=[2, 1]"},
      {"log_inv_delta=[1]"},
      {"log_inv_delta=[1, 2, 3]"},
      {"algorithms=[\"uniform\", \"tas-fg\"]"},
      {"algorithms=[\"tas-fg\"]"},
      {"algorithms=[]"},
      {"algorithm.tas-fg.period=2"},
      {"algorithm.tas-fg.tracking=c"},
      {"setting=uninformed"},
      {"setting=known-graph"},
      {"threshold=proven"},
      {"threshold=simple"},
      {"stream=numpy"},
      {"conventions=reference"},
      {"convention.graph-prior=pseudo-count"},
      {"convention.statistic=pseudo-count"},
      {"convention.reported-tau=draws-plus-one"},
      {"convention.unique-best=close"},
      {"convention.forced-exploration=lowest-index"},
      {"convention.allocation-update=every-5K"},
      {"convention.\"exp3.g\"=reference"},
      {"checkpoints=100"},
      {"checkpoints=[100, 1000]"},
      {"pulls_by_delta=true"},
      {"graph.parity=reference"},
      {"graph.K=6"},
      {"graph.K=[5, 6]"},
      {"graph.K=[6, 5]"},
      {"graph.p=0.25"},
      {"variance=2"},
      {"reward=exponential", "means=[1, 2, 3, 4, 5]"},
      {"means=[1, 2, 3, 4, 5]"},
  };
  for (const auto& overrides : changes)
    EXPECT_TRUE(digests.insert(expand(text, overrides).digest()).second) << overrides[0];
}

TEST(Digest, DoesNotChangeWithNamesCommentsOrTheWayThingsAreWritten) {
  const Grid grid = expand(
      "algorithms = [\"tas-fg\"]\ndelta = [0.5, 0.1]\n[[graph]]\nfamily = \"ring\"\nK = [5, 6]\np = 0.5\n");
  const Grid same = expand(
      "# a comment\nname = \"another\"\nalgorithms = [ 'tas-fg' ]\nconventions = \"paper\"\nsetting = "
      "\"informed\"\nseed "
      "= 0\n"
      "delta = { from = 0.5, to = 0.1, count = 2 }\n[[graph]]\np = \"1/2\"\nfamily = \"ring\"\nK = "
      "\"10*p\"\n[[graph]]\nK = "
      "6.0\nfamily = \"ring\"\np = 5e-1\nreward = \"gaussian\"\nvariance = 1\n");
  EXPECT_EQ(grid.digest(), same.digest());
  EXPECT_NE(grid.name, same.name);
}

TEST(Job, SaysWhatIsKeptOfEachRun) {
  EXPECT_TRUE(expand(kRing).options.checkpoints.empty());
  EXPECT_FALSE(expand(kRing).options.pulls_by_delta);
  const Grid grid = expand(kRing, {"checkpoints=[100, 1e3]", "pulls_by_delta=true"});
  EXPECT_EQ(grid.options.checkpoints, (std::vector<std::int64_t>{100, 1000}));
  EXPECT_TRUE(grid.options.pulls_by_delta);
  EXPECT_EQ(expand(kRing, {"checkpoints=5"}).options.checkpoints, std::vector<std::int64_t>{5});
}

TEST(Digest, IsThisNumber) {
  // A result file keeps the digest; a change of the recipe would orphan every file there is.
  EXPECT_EQ(expand(kRing).digest(), 763173689727568540U);
}

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
  GraphAndMeans made = make_graph(family, parameters, "test", &read_graph_csv);
  const double variance =
      options.contains("--variance") ? parse_number(one("--variance"), "test") : std::nan("");
  const Instance instance(std::move(made.graph),
                          options.contains("--means") ? numbers_of(one("--means")) : made.means,
                          make_reward(one("--reward"), variance, "test"), "test");
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

TEST(RepositoryJobs, AllCanBeReadWithEitherConvention) {
  int jobs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TASFG_JOBS_DIR)) {
    if (entry.path().extension() != ".toml") continue;
    ++jobs;
    const Grid grid = read_job(entry.path().string(), {}, &read_graph_csv);
    EXPECT_EQ(grid.name, entry.path().stem().string());
    EXPECT_EQ(grid.conventions, "paper");
    const Grid reference = read_job(entry.path().string(), {"conventions=reference"}, &read_graph_csv);
    EXPECT_EQ(reference.cases.size(), grid.cases.size());
  }
  EXPECT_GE(jobs, 9);
}

TEST(RepositoryJobs, TheDocumentedExampleIsAJob) {
  // The first indented lines of the reference.
  std::istringstream page(read_text_file(TASFG_JOBS_DIR "/../docs/job-file.md"));
  std::string text;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("    "))
      text += line.substr(4) + "\n";
    else if (!text.empty() && !line.empty())
      break;
  }
  const Grid grid = expand(text);
  EXPECT_EQ(grid.name, "study");
  EXPECT_EQ(grid.cases.size(), 603U);
  EXPECT_EQ(grid.algorithms[0].options, "period=5");
}

TEST(RepositoryJobs, TheMainStudyIsThePapers) {
  const Grid grid = read_job(TASFG_JOBS_DIR "/paper-main.toml", {}, &read_graph_csv);
  EXPECT_EQ(grid.name, "paper-main");
  EXPECT_EQ(grid.options.master_seed, 2025U);
  EXPECT_EQ(grid.replications, 100);
  EXPECT_EQ(grid.log_inv_delta, (std::vector<double>{1.0, 2.2, 3.4, 4.6, 5.8, 7.0}));
  std::vector<std::string> names;
  for (const JobAlgorithm& entry : grid.algorithms) names.push_back(entry.algorithm.name);
  EXPECT_EQ(names, (std::vector<std::string>{"tas-fg", "tas-fg-heur", "exp3.g", "ucb-fg-e", "ucb-fg-v"}));
  EXPECT_EQ(labels(grid),
            (std::vector<std::string>{
                "loopy-star K=5 p=0.2 q=0.25 r=0.25", "loopy-star K=10 p=0.2 q=0.25 r=0.25",
                "loopy-star K=15 p=0.2 q=0.25 r=0.25", "loopy-star-alt K=5 p=0 q=0.25 r=0.03125",
                "loopy-star-alt K=10 p=0 q=0.25 r=0.013888888888888888",
                "loopy-star-alt K=15 p=0 q=0.25 r=0.008928571428571428", "ring K=5 p=0.3", "ring K=10 p=0.3",
                "ring K=15 p=0.3", "loopless-clique K=5 p=0.5 parity=paper",
                "loopless-clique K=10 p=0.5 parity=paper", "loopless-clique K=15 p=0.5 parity=paper"}));
}

}  // namespace
}  // namespace tasfg
