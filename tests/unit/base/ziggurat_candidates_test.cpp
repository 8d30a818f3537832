#include "tasfg/base/ziggurat_candidates.hpp"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"
#include "tasfg/base/samplers.hpp"

namespace tasfg {
namespace {

/// Random words, and those at the ends: every layer with the least and the greatest abscissa, of either sign.
std::vector<std::uint32_t> words_to_try() {
  PhiloxStream stream(stream_key(77));
  std::vector<std::uint32_t> words;
  const auto add = [&](std::uint64_t word) {
    words.push_back(static_cast<std::uint32_t>(word));
    words.push_back(static_cast<std::uint32_t>(word >> 32));
  };
  for (std::uint64_t layer = 0; layer < 256; ++layer)
    for (const std::uint64_t sign : {0x000, 0x100})
      for (const std::uint64_t rest :
           {std::uint64_t{0}, std::uint64_t{1} << 11, std::uint64_t{1} << 43, ~std::uint64_t{0x7FF}})
        add(rest | sign | layer);
  for (int i = 0; i < 64 * 1000; ++i) add(stream.bits());
  return words;
}

using Candidates = std::uint64_t (*)(const std::uint32_t*, std::size_t, double*);

template <typename Candidate>
void expect_single_candidates(Candidates candidates) {
  const std::vector<std::uint32_t> words = words_to_try();
  const std::size_t count = words.size() / 2;
  std::size_t outside_in_all = 0;
  for (std::size_t from = 0, n = 4; from + n <= count; from += n, n = n % 64 + 4) {
    std::vector<double> values(n + 1, -7.0);
    const std::uint64_t outside = candidates(words.data() + 2 * from, n, values.data());
    EXPECT_EQ(values[n], -7.0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = 2 * (from + i);
      const Candidate single(static_cast<std::uint64_t>(words[at + 1]) << 32 | words[at]);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(values[i]), std::bit_cast<std::uint64_t>(single.value()))
          << from + i;
      ASSERT_EQ((outside >> i & 1) == 0, single.inside()) << from + i;
      outside_in_all += outside >> i & 1;
    }
  }
  EXPECT_GT(outside_in_all, count / 200);
}

TEST(ZigguratCandidates, ManyAtOnceAreThoseOfSingleWordsOnEveryPath) {
  expect_single_candidates<detail::NormalCandidate>(normal_candidates);
  expect_single_candidates<detail::NormalCandidate>(detail::normal_candidates_anywhere);
  expect_single_candidates<detail::ExponentialCandidate>(exponential_candidates);
  expect_single_candidates<detail::ExponentialCandidate>(detail::exponential_candidates_anywhere);
}

}  // namespace
}  // namespace tasfg
