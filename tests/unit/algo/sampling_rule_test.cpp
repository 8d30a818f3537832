#include "tasfg/algo/sampling_rule.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

struct NoStream {};

struct First : NoMemory {
  int choose(const Estimate&, NoStream&) { return 0; }
};
struct WithoutFinish {
  int choose(const Estimate&, NoStream&) { return 0; }
  void shown(const Estimate&, int, double) {}
};
struct ChoosesNothing : NoMemory {
  void choose(const Estimate&, NoStream&) {}
};

TEST(SamplingRule, IsWhatHasAllThreeFunctions) {
  EXPECT_TRUE((SamplingRule<First, NoStream>));
  EXPECT_FALSE((SamplingRule<NoMemory, NoStream>));
  EXPECT_FALSE((SamplingRule<WithoutFinish, NoStream>));
  EXPECT_FALSE((SamplingRule<ChoosesNothing, NoStream>));
}

}  // namespace
}  // namespace tasfg
