/// CRC-32 as zlib has it, eight bytes at a time: every run has one, and byte by byte it would cost more than
/// all else that a run of no length costs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tasfg {

class Checksum {
 public:
  void process_bytes(const void* bytes, std::size_t size) {
    static_assert(std::endian::native == std::endian::little);
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (; size >= 8; at += 8, size -= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      word ^= state_;
      state_ = 0;
      for (std::size_t i = 0; i < 8; ++i) state_ ^= kTables[7 - i][(word >> (8 * i)) & 0xFFU];
    }
    for (; size > 0; ++at, --size) state_ = (state_ >> 8U) ^ kTables[0][(state_ ^ *at) & 0xFFU];
  }
  [[nodiscard]] std::uint32_t checksum() const { return ~state_; }

 private:
  /// Row k: what a byte comes to after k more bytes.
  using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
  static consteval Tables tables() {
    Tables made{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
      made[0][byte] = value;
    }
    for (std::size_t k = 1; k < made.size(); ++k)
      for (std::size_t byte = 0; byte < 256; ++byte)
        made[k][byte] = (made[k - 1][byte] >> 8U) ^ made[0][made[k - 1][byte] & 0xFFU];
    return made;
  }
  static const Tables kTables;

  std::uint32_t state_ = 0xFFFFFFFFU;
};

inline constexpr Checksum::Tables Checksum::kTables = Checksum::tables();

}  // namespace tasfg
