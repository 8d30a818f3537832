#include "io/checksum.hpp"

#include <random>
#include <string>
#include <vector>

#include <boost/crc.hpp>
#include <gtest/gtest.h>

namespace tasfg {
namespace {

TEST(Checksum, IsThatOfTheStandard) {
  Checksum sum;
  EXPECT_EQ(sum.checksum(), 0U);
  sum.process_bytes("123456789", 9);
  EXPECT_EQ(sum.checksum(), 0xCBF43926U);
}

TEST(Checksum, IsBoostsForAnyBytesInAnyPieces) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<unsigned char> bytes(random() % 300);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    boost::crc_32_type theirs;
    theirs.process_bytes(bytes.data(), bytes.size());
    Checksum ours;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = std::min<std::size_t>(1 + random() % 40, bytes.size() - at);
      ours.process_bytes(bytes.data() + at, piece);
      at += piece;
    }
    EXPECT_EQ(ours.checksum(), theirs.checksum());
  }
}

}  // namespace
}  // namespace tasfg
