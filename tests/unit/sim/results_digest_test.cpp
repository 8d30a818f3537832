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
constexpr std::uint64_t kSolutions = 0x347503328080d1ce;
struct Row {
  const char* algorithm;
  std::uint64_t paper_philox, reference_numpy;
};
constexpr Row kRows[] = {
    {"tas-fg", 0x1eddca5159406859, 0x31d35d0cfb5a27dc},
    {"tas-fg-heur", 0x4baa6968ce993967, 0x2b6f3cd640bf0a93},
    {"tas-fg-argmax", 0x3110e4543df3579f, 0xd39d2c0592087907},
    {"tas-fg-topk", 0xa496cf0483547c5e, 0xd39d2c0592087907},
    {"exp3.g", 0x743a658479e3c4f9, 0x1a2ce70f822f8443},
    {"ucb-fg-e", 0xbd6200cc9355cc58, 0x6a861266bacdbc62},
    {"ucb-fg-v", 0xb2c1a0e7c0454a33, 0x69fa755c9619ff2e},
    {"eps-greedy", 0xacd7b3e487412bce, 0x085ad0d1fa4b02b7},
    {"eps-greedy-info", 0x7580aeb0d33dfea3, 0x3817f771db7c462b},
    {"uniform", 0xe6712efd7d788d0f, 0xa817fa080a30e77f},
    {"oracle", 0x9e5daa46e62dc3f4, 0x3fc6da1e521b34dd},
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
  EXPECT_EQ(runs_digest(algorithm, options), runs_digest(algorithm, more));
  EXPECT_EQ(solutions_digest(options), solutions_digest(more));
}

}  // namespace
}  // namespace tasfg
