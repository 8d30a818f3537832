#include "tasfg/job/job.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "job/expanded.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

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
  std::istringstream page(read_text_file(TASFG_JOBS_DIR "/../docs/job-file.md", 1 << 20));
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

TEST(Job, SkipsUnlessToldOtherwiseWhichMakesNoOtherJob) {
  EXPECT_TRUE(expand(kRing).options.skip);
  const Grid single = expand(kRing, {"skip=false", "max_steps=1e9"});
  EXPECT_FALSE(single.options.skip);
  EXPECT_EQ(single.digest(), expand(kRing).digest());
  EXPECT_EQ(expand(kRing, {"max_steps=1e15"}).options.max_steps, 1'000'000'000'000'000);
}

TEST(Job, SaysWhatIsKeptOfEachRun) {
  EXPECT_TRUE(expand(kRing).options.checkpoints.empty());
  EXPECT_FALSE(expand(kRing).options.pulls_by_delta);
  const Grid grid = expand(kRing, {"checkpoints=[100, 1e3]", "pulls_by_delta=true"});
  EXPECT_EQ(grid.options.checkpoints, (std::vector<std::int64_t>{100, 1000}));
  EXPECT_TRUE(grid.options.pulls_by_delta);
  EXPECT_EQ(expand(kRing, {"checkpoints=5"}).options.checkpoints, std::vector<std::int64_t>{5});
}

}  // namespace
}  // namespace tasfg
