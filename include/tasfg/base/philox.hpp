/// A counter-based random stream: draw i is a pure function of (key, i), so a stream can be entered
/// anywhere and is the same on every machine, thread and restart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
    if (next_ + 2 <= kWords) [[likely]] {
      const std::uint64_t low = words_[next_];
      const std::uint64_t high = words_[next_ + 1];
      next_ += 2;
      return (high << 32) | low;
    }
    const std::uint64_t low = bits32();
    return (static_cast<std::uint64_t>(bits32()) << 32) | low;
  }

  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  static constexpr std::size_t kWords = 16;

  [[gnu::noinline]] void refill() {
#ifdef __SSE2__
    refill_pairs(0);
    refill_pairs(8);
#else
    for (std::size_t block = 0; block < kWords / 4; ++block) {
      const r123::Philox4x32::ctr_type in{
          {static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32), 0, 0}};
      const auto out = r123::Philox4x32{}(in, key_);
      ++counter_;
      for (std::size_t i = 0; i < 4; ++i) words_[4 * block + i] = out[i];
    }
#endif
    next_ = 0;
  }

#ifdef __SSE2__
  /// Two blocks side by side, each word in the low half of a 64-bit lane; what gathers in the high halves is
  /// never read, since the multiplication takes low halves only. (Salmon et al., SC11, give the rounds.)
  void refill_pairs(std::size_t to) {
    const __m128i multiplier0 = _mm_set1_epi64x(0xD2511F53);
    const __m128i multiplier1 = _mm_set1_epi64x(0xCD9E8D57);
    const __m128i low_half = _mm_set1_epi64x(0xFFFFFFFF);
    const __m128i bump0 = _mm_set1_epi64x(0x9E3779B9);
    const __m128i bump1 = _mm_set1_epi64x(0xBB67AE85);
    const std::uint64_t a = counter_;
    const std::uint64_t b = counter_ + 1;
    counter_ += 2;
    __m128i x0 = _mm_set_epi64x(static_cast<std::int64_t>(b), static_cast<std::int64_t>(a));
    __m128i x1 = _mm_srli_epi64(x0, 32);
    __m128i x2 = _mm_setzero_si128();
    __m128i x3 = _mm_setzero_si128();
    __m128i k0 = _mm_set1_epi64x(key_[0]);
    __m128i k1 = _mm_set1_epi64x(key_[1]);
    for (int round = 0; round < 10; ++round) {
      const __m128i p0 = _mm_mul_epu32(x0, multiplier0);
      const __m128i p1 = _mm_mul_epu32(x2, multiplier1);
      x0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(p1, 32), x1), k0);
      x2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(p0, 32), x3), k1);
      x1 = p1;
      x3 = p0;
      k0 = _mm_add_epi64(k0, bump0);
      k1 = _mm_add_epi64(k1, bump1);
    }
    const __m128i first = _mm_or_si128(_mm_and_si128(x0, low_half), _mm_slli_epi64(x1, 32));
    const __m128i second = _mm_or_si128(_mm_and_si128(x2, low_half), _mm_slli_epi64(x3, 32));
    auto* out = reinterpret_cast<__m128i*>(words_.data() + to);
    _mm_storeu_si128(out, _mm_unpacklo_epi64(first, second));
    _mm_storeu_si128(out + 1, _mm_unpackhi_epi64(first, second));
  }
#endif

  r123::Philox4x32::key_type key_;
  std::uint64_t counter_ = 0;
  std::size_t next_ = kWords;
  std::array<std::uint32_t, kWords> words_{};
};

}  // namespace tasfg
