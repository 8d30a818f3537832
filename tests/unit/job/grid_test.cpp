#include "tasfg/job/grid.hpp"

#include <set>
#include <string_view>

#include "job/expanded.hpp"
#include "job/toml_reader.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Grid, PartsAreFoundByTheirNumbers) {
  const Grid grid = expand("algorithms = [\"uniform\", \"exp3.g\"]\n" + kRingBlock + "K = [4, 6]\n");
  EXPECT_EQ(grid.at(CaseId(1)).K, 6);
  EXPECT_EQ(grid.at(AlgorithmId(1)).algorithm.name, "exp3.g");
  EXPECT_EQ(grid.instance(CaseId(1)).size(), 6);
  EXPECT_EQ(grid.cell_grid().cell(CaseId(1), AlgorithmId(0)), CellId(2));
  EXPECT_THROW(static_cast<void>(grid.at(CaseId(2))), std::out_of_range);
}

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
      {"measure=error"},
      {"precision.mean=0.1"},
      {"graph.parity=reference"},
      {"graph.K=6"},
      {"graph.K=[5, 6]"},
      {"graph.K=[6, 5]"},
      {"graph.p=0.25"},
      {"variance=2"},
      {"reward=exponential", "means=[1, 2, 3, 4, 5]"},
      {"means=[1, 2, 3, 4, 5]"},
  };
  // What these change of the results is in the algorithms, the cases and log_inv_delta.
  std::set<std::string> tried = {"name", "skip", "delta", "rules", "skip_infeasible"};
  for (const auto& overrides : changes) {
    EXPECT_TRUE(digests.insert(expand(text, overrides).digest()).second) << overrides[0];
    tried.insert(overrides[0].substr(0, overrides[0].find_first_of(".=")));
  }
  for (const std::string_view key : top_keys()) EXPECT_TRUE(tried.contains(std::string(key))) << key;
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

TEST(Digest, IsThisNumber) {
  // A result file keeps the digest; a change of the recipe would orphan every file there is.
  EXPECT_EQ(expand(kRing).digest(), 763173689727568540U);
}

}  // namespace
}  // namespace tasfg
