#include "tasfg/base/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "simd.hpp"

namespace tasfg {
namespace {

static_assert(std::endian::native == std::endian::little);

/// A polynomial below x³², its bits reversed, times x.
constexpr std::uint32_t times_x(std::uint32_t value) {
  return (value >> 1U) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
}

/// Row k: what a byte comes to after k more bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Tables kTables = [] {
  Tables made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    made[0][byte] = value;
  }
  for (std::size_t k = 1; k < made.size(); ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      made[k][byte] = (made[k - 1][byte] >> 8U) ^ made[0][made[k - 1][byte] & 0xFFU];
  return made;
}();

/// The next `kBytes` bytes at once.
template <typename Word>
std::uint32_t after_word(std::uint32_t remainder, const unsigned char* bytes) {
  constexpr std::size_t kBytes = sizeof(Word);
  Word word = 0;
  std::memcpy(&word, bytes, kBytes);
  word ^= remainder;
  std::uint32_t after = 0;
  for (std::size_t i = 0; i < kBytes; ++i) after ^= kTables[kBytes - 1 - i][(word >> (8 * i)) & 0xFFU];
  return after;
}

#ifdef __x86_64__
/// xⁿ modulo the polynomial, as CrcFolding wants it.
constexpr std::uint64_t power(int n) {
  std::uint32_t value = 0x80000000U;
  for (; n > 0; --n) value = times_x(value);
  return std::uint64_t{value} << 32;
}
/// The first and the second eight bytes of sixteen stand before sixteen more: they are worth x¹⁹² and x¹²⁸
/// times as much. One x comes from the product of reversed numbers.
constexpr std::uint64_t kFirstEight = power(191), kSecondEight = power(127);
constexpr std::size_t kWorthFolding = 48;  // bytes

bool folds() {
  static const bool kFolds = kVersion == Version::avx2 && __builtin_cpu_supports("pclmul") != 0;
  return kFolds;
}
#endif

}  // namespace

std::uint32_t detail::crc32_anywhere(std::uint32_t remainder, const unsigned char* bytes, std::size_t size) {
  for (; size >= 8; bytes += 8, size -= 8) remainder = after_word<std::uint64_t>(remainder, bytes);
  if (size >= 4) {
    remainder = after_word<std::uint32_t>(remainder, bytes);
    bytes += 4;
    size -= 4;
  }
  for (; size > 0; ++bytes, --size) remainder = (remainder >> 8U) ^ kTables[0][(remainder ^ *bytes) & 0xFFU];
  return remainder;
}

std::uint32_t crc32_after(std::uint32_t remainder, const unsigned char* bytes, std::size_t size) {
#ifdef __x86_64__
  if (size >= kWorthFolding && folds()) {
    // What sixteen bytes come to is as good as all that they were folded from.
    std::array<unsigned char, 16> all{};
    const std::size_t folded = size / 16 * 16;
    fold_sixteens(remainder, bytes, folded, kFirstEight, kSecondEight, all.data());
    remainder = detail::crc32_anywhere(0, all.data(), all.size());
    bytes += folded;
    size -= folded;
  }
#endif
  return detail::crc32_anywhere(remainder, bytes, size);
}

}  // namespace tasfg
