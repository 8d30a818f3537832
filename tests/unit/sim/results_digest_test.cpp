#include "tasfg/sim/results_digest.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

SimulationOptions with(ConventionSet conventions, StreamKind stream) {
  SimulationOptions options;
  options.conventions = conventions_of(conventions);
  options.stream = stream;
  return options;
}

// The results of this program. Whoever changes them on purpose raises kResultsVersion, writes the new numbers
// here, and says so in CHANGELOG.md under "Results changed".
constexpr int kVersionOfTheTable = 3;
constexpr std::uint64_t kSolutions = 0x9f0f6924bab738c1;
struct Row {
  const char* algorithm;
  std::uint64_t paper_philox, reference_numpy;
};
constexpr Row kRows[] = {
    {"tas-fg", 0x5aa354ebd961bbdf, 0x0adef2a493db6fbb},
    {"tas-fg-heur", 0xb1e6d33507f7b02c, 0x7e37c15ed524cc21},
    {"tas-fg-argmax", 0x3d05fe88c7ac971e, 0x015fcb65c9716f61},
    {"tas-fg-topk", 0x07fc7974a5b22faf, 0x015fcb65c9716f61},
    {"exp3.g", 0xa7a1420260cba52f, 0xf5597bd20694fb5b},
    {"ucb-fg-e", 0xbfce52906f06ed99, 0xc06992c3ae0a05be},
    {"ucb-fg-v", 0xdb97f7c52796e4ff, 0x4131311dea394d20},
    {"eps-greedy", 0xfcce10c941b553f9, 0x5c46d8a6c2896a20},
    {"eps-greedy-info", 0xd519175ccdf8a9a4, 0x62e4681e1bbc2d6e},
    {"uniform", 0x9c241880c993dbc2, 0x14f55030d76a344c},
    {"oracle", 0xa18be45a6e9fd524, 0x78461163f6d46e04},
};

TEST(ResultsDigest, AChangeOfResultsRaisesTheResultsVersion) {
  EXPECT_EQ(kResultsVersion, kVersionOfTheTable);
  const SimulationOptions paper = with(ConventionSet::paper, StreamKind::philox);
  const SimulationOptions reference = with(ConventionSet::reference, StreamKind::numpy);
  EXPECT_EQ(solutions_digest(paper), kSolutions);
  ASSERT_EQ(std::size(kRows), algorithm_rows().size());
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const Algorithm algorithm = algorithm_named(algorithm_rows()[i].name, "test");
    EXPECT_EQ(algorithm.name, kRows[i].algorithm);
    EXPECT_EQ(runs_digest(algorithm, paper), kRows[i].paper_philox) << algorithm.name;
    EXPECT_EQ(runs_digest(algorithm, reference), kRows[i].reference_numpy) << algorithm.name;
  }
}

TEST(ResultsDigest, TellsAlgorithmsTheirOptionsAndSettingsApart) {
  std::set<std::uint64_t> digests;
  std::size_t count = 0;
  const auto expect_new = [&](const Algorithm& algorithm, const SimulationOptions& options) {
    digests.insert(runs_digest(algorithm, options));
    EXPECT_EQ(digests.size(), ++count) << algorithm.name;
  };
  SimulationOptions options;
  for (const AlgorithmRow& row : algorithm_rows()) expect_new(algorithm_named(row.name, "test"), options);
  Algorithm other = algorithm_named("tas-fg", "test");
  set_option(other, "period", "7", "test");
  expect_new(other, options);
  options.threshold = ThresholdKind::proven;
  expect_new(algorithm_named("tas-fg", "test"), options);
  options.setting = Setting::uninformed;
  expect_new(algorithm_named("tas-fg", "test"), options);
  options.master_seed = 1;
  expect_new(algorithm_named("tas-fg", "test"), options);
}

TEST(ResultsDigest, IsTheSameForFilesThatMayGrowIntoEachOther) {
  const Algorithm algorithm = algorithm_named("exp3.g", "test");
  const SimulationOptions options;
  SimulationOptions more = options;
  more.max_steps = 10;
  more.checkpoints = {5, 7};
  more.pulls_by_delta = true;
  more.skip = false;
  EXPECT_EQ(runs_digest(algorithm, options), runs_digest(algorithm, more));
  EXPECT_EQ(solutions_digest(options), solutions_digest(more));
}

}  // namespace
}  // namespace tasfg
