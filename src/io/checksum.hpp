/// CRC-32 of bytes that come in pieces.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tasfg/base/crc32.hpp"

namespace tasfg {

class Checksum {
 public:
  void process_bytes(const void* bytes, std::size_t size) {
    state_ = crc32_after(state_, static_cast<const unsigned char*>(bytes), size);
  }
  [[nodiscard]] std::uint32_t checksum() const { return ~state_; }

 private:
  std::uint32_t state_ = 0xFFFFFFFFU;
};

}  // namespace tasfg
