#include "tasfg/algo/rule_library.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

std::string message_for(const std::vector<std::string>& paths) {
  try {
    RuleLibraries libraries;
    for (const std::string& path : paths) libraries.load(path, "test");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RuleLibraries, OffersItsRulesBesideTheProgramsOwn) {
  RuleLibraries libraries;
  EXPECT_EQ(libraries.names().size(), algorithm_rows().size());
  libraries.load(TASFG_TEST_RULES, "test");
  EXPECT_EQ(libraries.names().size(), algorithm_rows().size() + libraries.rules().size());
  const Algorithm own = libraries.algorithm("in-turn", "test");
  EXPECT_EQ(own.rule, RuleKind::external);
  EXPECT_EQ(own.name, "in-turn");
  ASSERT_NE(own.external, nullptr);
  EXPECT_EQ(own.external->path, TASFG_TEST_RULES);
  EXPECT_NE(own.external->digest, 0U);
  EXPECT_EQ(libraries.algorithm("exp3.g", "test").rule, RuleKind::exp3_g);
  try {
    static_cast<void>(libraries.algorithm("in-turm", "test"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "test: unknown algorithm \"in-turm\" (did you mean \"in-turn\"?)");
  }
}

TEST(RuleLibraries, RefusesWhatIsNoLibraryOfRules) {
  EXPECT_EQ(message_for({"nowhere.so"}), "test: nowhere.so: no such file");
  const std::string text = testing::TempDir() + "/text.so";
  std::ofstream(text) << "no library";
  EXPECT_NE(message_for({text}).find("cannot be loaded as a shared library"), std::string::npos);
  EXPECT_NE(message_for({TASFG_TEST_INJECT}).find("exports no tasfg_rules"), std::string::npos);
  EXPECT_NE(message_for({TASFG_TEST_OTHER_RULES}).find("interface version 2 (must be 1"), std::string::npos);
  EXPECT_NE(
      message_for({TASFG_TEST_RULES, TASFG_TEST_RULES}).find("the rule in-turn (another rule has this name)"),
      std::string::npos);
}

TEST(RuleLibraries, TheDigestIsOfTheFilesBytes) {
  const std::string copy = testing::TempDir() + "/copied_rules.so";
  std::filesystem::copy_file(TASFG_TEST_RULES, copy, std::filesystem::copy_options::overwrite_existing);
  RuleLibraries first, second, third;
  first.load(TASFG_TEST_RULES, "test");
  second.load(copy, "test");
  const std::string other = testing::TempDir() + "/other_rules.so";
  std::filesystem::copy_file(copy, other, std::filesystem::copy_options::overwrite_existing);
  std::ofstream(other, std::ios::app) << '\0';
  third.load(other, "test");
  EXPECT_EQ(first.rules()[0]->digest, second.rules()[0]->digest);
  EXPECT_NE(first.rules()[0]->digest, third.rules()[0]->digest);
}

}  // namespace
}  // namespace tasfg
