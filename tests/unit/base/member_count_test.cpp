#include "tasfg/base/member_count.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

enum class Colour { red, blue };
struct None {};
struct Mixed {
  static constexpr double kShared = 7.0;
  double one = kShared, two = 2.0;
  std::string text;
  std::vector<std::string> texts;
  Colour colour = Colour::blue;
  bool operator==(const Mixed&) const = default;
};

TEST(MemberCount, CountsWhatAValueOfTheStructHolds) {
  static_assert(member_count<None>() == 0);
  static_assert(member_count<Mixed>() == 5);
}

}  // namespace
}  // namespace tasfg
