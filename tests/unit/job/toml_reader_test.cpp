#include "job/toml_reader.hpp"

#include <algorithm>
#include <cmath>

#include "job/expanded.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/elementary.hpp"
#include "tasfg/model/reward.hpp"

namespace tasfg {
namespace {

const std::string kFile = "a.toml";

/// What goes wrong when `body` looks at the document.
template <typename Body>
std::string message(const std::string& text, Body body) {
  try {
    const toml::table table = parse_toml(text, kFile);
    body(Field(table, "", kFile));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Field, KnowsItsPlace) {
  const toml::table table = parse_toml("[[graph]]\np = [0.1, 0.2]\n\"x y\" = 1\n", kFile);
  const Field graph = Field(table, "", kFile).member("graph").items().at(0);
  EXPECT_EQ(graph.where(), "a.toml: graph[0]");
  EXPECT_EQ(graph.member("p").items().at(1).where(), "a.toml: graph[0].p[1]");
  EXPECT_EQ(graph.member("x y").path(), "graph[0].\"x y\"");
  EXPECT_EQ(graph.origin(), "a.toml");
}

TEST(Field, ReadsWholeNumbersThatDoublesHold) {
  const toml::table table = parse_toml("a = 7\nb = 1e9\nc = -0.0\n", kFile);
  const Field job(table, "", kFile);
  EXPECT_EQ(job.member("a").whole(0, 10), 7);
  EXPECT_EQ(job.member("b").whole(0, 2'000'000'000), 1'000'000'000);
  EXPECT_FALSE(std::signbit(job.member("c").number()));
}

TEST(Field, SaysWhatWouldBeRight) {
  enum class Size { small, large };
  static constexpr EnumNames<Size> kSizes = {"small", "large"};
  EXPECT_EQ(message("a = 11", [](const Field& f) { (void)f.member("a").whole(0, 10); }),
            "a.toml: a = 11 (must be a whole number from 0 to 10)");
  EXPECT_EQ(message("a = [1]", [](const Field& f) { (void)f.member("a").number(); }),
            "a.toml: a is a list (must be a number)");
  EXPECT_EQ(message("a = 2020-01-01", [](const Field& f) { (void)f.member("a").text(); }),
            "a.toml: a is a date or time (must be text)");
  EXPECT_EQ(message("a = \"smal\"", [](const Field& f) { (void)f.member("a").one_of(kSizes); }),
            "a.toml: a = \"smal\" (did you mean \"small\"?)");
  EXPECT_EQ(
      message("a = \"large\"", [](const Field& f) { EXPECT_EQ(f.member("a").one_of(kSizes), Size::large); }),
      "accepted");
  EXPECT_EQ(message("a = []", [](const Field& f) { (void)f.member("a").numbers(); }),
            "a.toml: a is empty (must hold at least one number)");
}

TEST(Field, UnknownKeysAreRefused) {
  constexpr std::string_view kKnown[] = {"size", "colour"};
  EXPECT_EQ(message("sise = 1", [&](const Field& f) { f.check_keys(kKnown); }),
            "a.toml: unknown key sise (did you mean \"size\"?)");
  EXPECT_EQ(message("[t]\nseed = 1", [&](const Field& f) { f.member("t").check_keys(kKnown); }),
            "a.toml: unknown key t.seed (seed belongs at the top, above the first table)");
}

TEST(TopKeys, HoldTheParametersOfRewards) {
  const auto keys = top_keys();
  for (const RewardParameter& parameter : reward_parameters())
    EXPECT_NE(std::find(keys.begin(), keys.end(), parameter.name), keys.end()) << parameter.name;
}

TEST(Ranges, LinearOnesHaveExactEndsAndTheStatedValuesBetween) {
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

TEST(Ranges, LogarithmicOnesHaveExactEndsAndEqualRatios) {
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

}  // namespace
}  // namespace tasfg
