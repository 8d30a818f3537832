#include "tasfg/algo/algorithm.hpp"

#include <gtest/gtest.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

TEST(Algorithms, TheTableHoldsTheDesignsNames) {
  const char* names[] = {"tas-fg",   "tas-fg-heur", "tas-fg-argmax",   "tas-fg-topk", "exp3.g", "ucb-fg-e",
                         "ucb-fg-v", "eps-greedy",  "eps-greedy-info", "uniform",     "oracle"};
  ASSERT_EQ(algorithm_rows().size(), std::size(names));
  for (const char* name : names) EXPECT_EQ(algorithm_named(name, "test").name, name);
}

TEST(Algorithms, OptionsAreSetAndChecked) {
  Algorithm algorithm = algorithm_named("tas-fg", "test");
  set_option(algorithm, "tracking", "c", "test");
  set_option(algorithm, "period", "10", "test");
  EXPECT_EQ(algorithm.tracking, Tracking::c);
  EXPECT_EQ(algorithm.period, 10);
  const auto message = [&](const char* name, const char* option, const char* text) -> std::string {
    try {
      Algorithm a = algorithm_named(name, "test");
      set_option(a, option, text, "test");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("tas-fgg", "x", ""), "test: unknown algorithm \"tas-fgg\" (did you mean \"tas-fg\"?)");
  EXPECT_EQ(message("tas-fg", "perod", "2"),
            "test: unknown option \"perod\" of tas-fg (did you mean \"period\"?)");
  EXPECT_EQ(message("tas-fg", "period", "0"), "test: tas-fg.period = 0 (must lie in [1, 1000000000])");
  EXPECT_EQ(message("tas-fg", "period", "2.5"), "test: tas-fg.period = 2.5 (must be whole)");
  EXPECT_EQ(message("tas-fg", "tracking", "e"),
            "test: tas-fg.tracking = \"e\" (known: averaged-d, d, c, exponential)");
  EXPECT_EQ(message("uniform", "period", "2"), "test: uniform takes no options (given: \"period\")");
  EXPECT_EQ(message("eps-greedy", "epsilon", "2"), "test: eps-greedy.epsilon = 2 (must lie in [1e-06, 1])");
}

}  // namespace
}  // namespace tasfg
