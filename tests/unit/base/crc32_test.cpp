#include "tasfg/base/crc32.hpp"

#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// By the definition, bit by bit.
std::uint32_t bit_by_bit(std::uint32_t remainder, const unsigned char* bytes, std::size_t size) {
  for (; size > 0; ++bytes, --size) {
    remainder ^= *bytes;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return remainder;
}

TEST(Crc32, IsThatOfTheStandard) {
  const std::string_view text = "123456789";
  EXPECT_EQ(~crc32_after(~0U, reinterpret_cast<const unsigned char*>(text.data()), text.size()), 0xCBF43926U);
}

TEST(Crc32, IsTheSameInEveryVersionForEveryNumberOfBytesAndEveryRemainder) {
  std::mt19937 random(1);
  std::vector<unsigned char> bytes(700);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  for (std::size_t size = 0; size < 600; ++size) {
    const unsigned char* at = bytes.data() + random() % 100;
    const auto remainder = static_cast<std::uint32_t>(random());
    const std::uint32_t expected = bit_by_bit(remainder, at, size);
    ASSERT_EQ(crc32_after(remainder, at, size), expected) << size;
    ASSERT_EQ(detail::crc32_anywhere(remainder, at, size), expected) << size;
  }
}

}  // namespace
}  // namespace tasfg
