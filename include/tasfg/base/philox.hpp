/// A counter-based random stream: draw i is a pure function of (key, i), so a stream can be entered
/// anywhere and is the same on every machine, thread and restart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <Random123/philox.h>

namespace tasfg {

/// Key of a stream. Keys are made by `stream_key` from whatever identifies the stream.
struct StreamKey {
  std::uint64_t value = 0;
  bool operator==(const StreamKey&) const = default;
};

/// Mixes words into a key; every bit of every word matters (Philox itself is the mixer).
template <typename... Words>
[[nodiscard]] StreamKey stream_key(Words... words) {
  std::uint64_t state = 0x7461736667ULL;
  const auto absorb = [&state](std::uint64_t word) {
    const r123::Philox2x64::ctr_type in{{word, state}};
    const r123::Philox2x64::key_type key{{0x9e3779b97f4a7c15ULL}};
    const auto out = r123::Philox2x64{}(in, key);
    state = out[0] ^ out[1];
  };
  (absorb(static_cast<std::uint64_t>(words)), ...);
  return {state};
}

/// Random words from Philox4x32-10. Blocks are made four at a time: they are independent, so their long
/// chains of multiplications overlap.
class PhiloxStream {
 public:
  explicit PhiloxStream(StreamKey key)
      : key_{{static_cast<std::uint32_t>(key.value), static_cast<std::uint32_t>(key.value >> 32)}} {}

  std::uint32_t bits32() {
    if (next_ == kWords) refill();
    return words_[next_++];
  }
  std::uint64_t bits() {
    const std::uint64_t low = bits32();
    return (static_cast<std::uint64_t>(bits32()) << 32) | low;
  }

  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  static constexpr std::size_t kWords = 16;

  [[gnu::noinline]] void refill() {
    for (std::size_t block = 0; block < kWords / 4; ++block) {
      const r123::Philox4x32::ctr_type in{
          {static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32), 0, 0}};
      const auto out = r123::Philox4x32{}(in, key_);
      ++counter_;
      for (std::size_t i = 0; i < 4; ++i) words_[4 * block + i] = out[i];
    }
    next_ = 0;
  }

  r123::Philox4x32::key_type key_;
  std::uint64_t counter_ = 0;
  std::size_t next_ = kWords;
  std::array<std::uint32_t, kWords> words_{};
};

}  // namespace tasfg
