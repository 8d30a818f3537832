/// CRC-32 as zlib has it, quickly: every run has one, and byte by byte it would cost more than all else that
/// a run of no length costs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tasfg {

/// The remainder after more bytes, neither of them complemented. The same on every CPU.
[[nodiscard]] std::uint32_t crc32_after(std::uint32_t remainder, const unsigned char* bytes,
                                        std::size_t size);
namespace detail {
/// What it does on a CPU without carry-less products.
[[nodiscard]] std::uint32_t crc32_anywhere(std::uint32_t remainder, const unsigned char* bytes,
                                           std::size_t size);
}  // namespace detail

}  // namespace tasfg
