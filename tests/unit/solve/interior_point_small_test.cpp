#include <algorithm>
#include <array>
#include <cstddef>

#include "solve/interior_point.hpp"
#include "solve/newton_check.hpp"
#include "solve/random_instances.hpp"

#define TASFG_EACH_VERSION "solve/small_newton_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {
namespace {

TEST(SmallNewton, SolvesTheSystemOfItsTerms) {
  plain::SmallNewton<16> newton;
  for (const int K : {2, 3, 7, 8, 9, 12, 13, 15, 16}) testing::expect_right(newton, K, 0.5);
}

TEST(SmallInteriorPoint, EveryWidthThatHoldsAModelCertifiesTheSameValue) {
  const auto eight = make_small_interior_point<8>(Version::plain);
  const auto twelve = make_small_interior_point<12>(Version::plain);
  const auto sixteen = make_small_interior_point<16>(Version::plain);
  for (std::uint64_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const Instance instance = testing::random_instance(i, 2, 8);
    const ModelView model = view_of(instance);
    const SolveInfo narrow = eight->solve(model, Start::cold, {});
    EXPECT_EQ(narrow.status, SolveStatus::solved);
    for (const auto& wider : {&twelve, &sixteen})
      EXPECT_NEAR((*wider)->solve(model, Start::cold, {}).upper / narrow.upper, 1.0, 2e-8);
  }
}

}  // namespace
}  // namespace tasfg
