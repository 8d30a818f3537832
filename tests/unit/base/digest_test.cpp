#include "tasfg/base/digest.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

std::uint64_t digest_of(const auto&... values) {
  Digest digest;
  (digest.add(values), ...);
  return digest.value();
}

TEST(Digest, TellsValuesTheirOrderAndWhereTextsEnd) {
  const std::vector<std::uint64_t> all = {
      digest_of(),         digest_of(3),         digest_of(1),     digest_of(1, 2), digest_of(2, 1),
      digest_of(1.0),      digest_of(-1),        digest_of(0.1),   digest_of(""),   digest_of("ab", "c"),
      digest_of("a", "b"), digest_of("a", "bc"), digest_of("abc"), digest_of("ab"), digest_of("\xff")};
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  EXPECT_EQ(digest_of(7, "ab", 0.5), digest_of(std::int8_t{7}, std::string_view("ab"), 0.5));
}

TEST(Digest, TellsWhereListsEnd) {
  const auto lists = [](const std::vector<int>& first, const std::vector<int>& second) {
    Digest digest;
    digest.add_all(first);
    digest.add_all(second);
    return digest.value();
  };
  EXPECT_NE(lists({1, 2}, {3}), lists({1}, {2, 3}));
  EXPECT_EQ(lists({1, 2}, {3}), lists({1, 2}, {3}));
}

}  // namespace
}  // namespace tasfg
