#include "tasfg/base/philox.hpp"

#include <algorithm>
#include <vector>

#include <Random123/philox.h>
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Philox, WordsAreRandom123sOnEveryPath) {
  for (const StreamKey key : {stream_key(0), stream_key(1, 2), StreamKey{0}, StreamKey{~std::uint64_t{0}}})
    for (const std::uint64_t counter :
         {std::uint64_t{0}, std::uint64_t{0xFFFFFFFA}, std::uint64_t{1} << 40, ~std::uint64_t{0} - 3}) {
      std::vector<std::uint32_t> here(kPhiloxWords), anywhere(kPhiloxWords), expected;
      philox_words(key, counter, here.data());
      detail::philox_words_anywhere(key, counter, anywhere.data());
      for (std::uint64_t c = counter; expected.size() < kPhiloxWords; ++c)
        for (const std::uint32_t word : r123::Philox4x32{}(
                 {{static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(c >> 32), 0, 0}},
                 {{static_cast<std::uint32_t>(key.value), static_cast<std::uint32_t>(key.value >> 32)}}))
          expected.push_back(word);
      EXPECT_EQ(here, expected) << counter;
      EXPECT_EQ(anywhere, expected) << counter;
      std::vector<std::uint32_t> more(3 * kPhiloxWords), third(kPhiloxWords);
      philox_words(key, counter, more.data(), 3);
      philox_words(key, counter + 2 * kPhiloxWords / 4, third.data());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), more.begin())) << counter;
      EXPECT_TRUE(std::equal(third.begin(), third.end(), more.end() - kPhiloxWords)) << counter;
    }
}

TEST(Philox, AKeyIsThatOfAllItsWordsWhereverItIsContinued) {
  const StreamKey key = stream_key(1U, 2U, 3U, 4U);
  EXPECT_EQ(longer_key(stream_key(1U, 2U), 3U, 4U), key);
  EXPECT_EQ(longer_key(longer_key(stream_key(1U, 2U, 3U), 4U)), key);
  EXPECT_NE(longer_key(stream_key(1U, 2U), 4U, 3U), key);
}

TEST(Philox, EveryWayOfTakingWordsGivesTheSameStream) {
  PhiloxStream one(stream_key(5)), other(stream_key(5));
  for (int round = 0; round < 2000; ++round) {
    const auto n = static_cast<std::size_t>(round) % 4 + 1;
    const std::uint32_t* taken = one.take(n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(taken[i], other.bits32());
    if (round % 3 == 0) {
      const std::uint64_t low = other.bits32();
      ASSERT_EQ(one.bits(), static_cast<std::uint64_t>(other.bits32()) << 32 | low);
    }
  }
}

}  // namespace
}  // namespace tasfg
