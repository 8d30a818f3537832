#include "tasfg/base/contract.hpp"

#include <gtest/gtest.h>

namespace tasfg {
namespace {

enum class Side { left, right };

int sign_of(Side side) {
  switch (side) {
    case Side::left:
      return -1;
    case Side::right:
      return 1;
  }
  TASFG_UNREACHABLE();
}

TEST(ContractDeathTest, UnreachableStopsEveryBuild) {
  EXPECT_EQ(sign_of(Side::left), -1);
  EXPECT_DEATH(static_cast<void>(sign_of(static_cast<Side>(7))),
               "contract_test.cpp:[0-9]+: promise broken: never reached");
}

TEST(ContractDeathTest, BrokenConditionsStopBuildsThatCheckThem) {
  const int K = 1;
#ifdef TASFG_CONTRACTS
  EXPECT_DEATH(TASFG_EXPECT(K > 1), "contract_test.cpp:[0-9]+: precondition broken: K > 1");
  EXPECT_DEATH(TASFG_ENSURE(K > 1), "contract_test.cpp:[0-9]+: postcondition broken: K > 1");
#else
  TASFG_EXPECT(K > 1);
  TASFG_ENSURE(K > 1);
#endif
  TASFG_EXPECT(K == 1);
}

}  // namespace
}  // namespace tasfg
