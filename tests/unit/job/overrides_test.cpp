#include "job/overrides.hpp"

#include "job/expanded.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

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

}  // namespace
}  // namespace tasfg
