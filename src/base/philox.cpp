#include "tasfg/base/philox.hpp"

#include <array>

#include "simd.hpp"
#include <Random123/philox.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tasfg {
namespace {

#ifdef __x86_64__

// Rounds as Salmon et al. give them (SC11). Each word of a block stands in the low half of a 64-bit lane, one
// lane per block; what gathers in the high halves is never read, since the multiplication takes low halves
// only.
constexpr std::int64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::int64_t kBump0 = 0x9E3779B9, kBump1 = 0xBB67AE85;
constexpr std::int64_t kLowHalf = 0xFFFFFFFF;
constexpr int kRounds = 10;

/// Blocks counter and counter + 1.
void two_blocks(StreamKey key, std::uint64_t counter, std::uint32_t* out) {
  const __m128i multiplier0 = _mm_set1_epi64x(kMultiplier0);
  const __m128i multiplier1 = _mm_set1_epi64x(kMultiplier1);
  const __m128i low_half = _mm_set1_epi64x(kLowHalf);
  __m128i x0 = _mm_set_epi64x(static_cast<std::int64_t>(counter + 1), static_cast<std::int64_t>(counter));
  __m128i x1 = _mm_srli_epi64(x0, 32);
  __m128i x2 = _mm_setzero_si128();
  __m128i x3 = _mm_setzero_si128();
  __m128i k0 = _mm_set1_epi64x(static_cast<std::int64_t>(key.value & 0xFFFFFFFF));
  __m128i k1 = _mm_set1_epi64x(static_cast<std::int64_t>(key.value >> 32));
  for (int round = 0; round < kRounds; ++round) {
    const __m128i p0 = _mm_mul_epu32(x0, multiplier0);
    const __m128i p1 = _mm_mul_epu32(x2, multiplier1);
    x0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(p1, 32), x1), k0);
    x2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(p0, 32), x3), k1);
    x1 = p1;
    x3 = p0;
    k0 = _mm_add_epi64(k0, _mm_set1_epi64x(kBump0));
    k1 = _mm_add_epi64(k1, _mm_set1_epi64x(kBump1));
  }
  const __m128i first = _mm_or_si128(_mm_and_si128(x0, low_half), _mm_slli_epi64(x1, 32));
  const __m128i second = _mm_or_si128(_mm_and_si128(x2, low_half), _mm_slli_epi64(x3, 32));
  auto* to = reinterpret_cast<__m128i*>(out);
  _mm_storeu_si128(to, _mm_unpacklo_epi64(first, second));
  _mm_storeu_si128(to + 1, _mm_unpackhi_epi64(first, second));
}

/// Four blocks in the lanes of a register, before and between rounds.
struct FourBlocks {
  __m256i x0, x1, x2, x3;

  [[gnu::target("avx2"), gnu::always_inline]] explicit FourBlocks(std::uint64_t counter) {
    x0 = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<std::int64_t>(counter)),
                          _mm256_set_epi64x(3, 2, 1, 0));
    x1 = _mm256_srli_epi64(x0, 32);
    x2 = _mm256_setzero_si256();
    x3 = _mm256_setzero_si256();
  }
  [[gnu::target("avx2"), gnu::always_inline]] void round(__m256i k0, __m256i k1) {
    const __m256i p0 = _mm256_mul_epu32(x0, _mm256_set1_epi64x(kMultiplier0));
    const __m256i p1 = _mm256_mul_epu32(x2, _mm256_set1_epi64x(kMultiplier1));
    x0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), x1), k0);
    x2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), x3), k1);
    x1 = p1;
    x3 = p0;
  }
  [[gnu::target("avx2"), gnu::always_inline]] void store(std::uint32_t* out) const {
    const __m256i low_half = _mm256_set1_epi64x(kLowHalf);
    const __m256i first = _mm256_or_si256(_mm256_and_si256(x0, low_half), _mm256_slli_epi64(x1, 32));
    const __m256i second = _mm256_or_si256(_mm256_and_si256(x2, low_half), _mm256_slli_epi64(x3, 32));
    const __m256i even = _mm256_unpacklo_epi64(first, second);  // blocks 0 and 2
    const __m256i odd = _mm256_unpackhi_epi64(first, second);   // blocks 1 and 3
    auto* to = reinterpret_cast<__m256i*>(out);
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  }
};

/// Eight blocks at a time, four in a register, two registers side by side; `times` in a row. The keys of the
/// rounds are made once, and in memory: as constants they would have to be built anew for every use.
[[gnu::target("avx2")]] void eight_blocks(StreamKey key, std::uint64_t counter, std::size_t times,
                                          std::uint32_t* out) {
  static_assert(kPhiloxWords == 32);
  alignas(32) std::array<std::int64_t, 8 * kRounds> keys;
  __m256i k0 = _mm256_set1_epi64x(static_cast<std::int64_t>(key.value & 0xFFFFFFFF));
  __m256i k1 = _mm256_set1_epi64x(static_cast<std::int64_t>(key.value >> 32));
  const auto at = [&](int i) { return reinterpret_cast<__m256i*>(keys.data() + 4 * i); };
  for (int round = 0; round < kRounds; ++round) {
    _mm256_store_si256(at(2 * round), k0);
    _mm256_store_si256(at(2 * round + 1), k1);
    k0 = _mm256_add_epi64(k0, _mm256_set1_epi64x(kBump0));
    k1 = _mm256_add_epi64(k1, _mm256_set1_epi64x(kBump1));
  }
  for (; times > 0; --times, counter += 8, out += kPhiloxWords) {
    FourBlocks a(counter);
    FourBlocks b(counter + 4);
    for (int round = 0; round < kRounds; ++round) {
      a.round(*at(2 * round), *at(2 * round + 1));
      b.round(*at(2 * round), *at(2 * round + 1));
    }
    a.store(out);
    b.store(out + 16);
  }
}

#endif

}  // namespace

std::uint64_t detail::mixed(std::uint64_t state, std::uint64_t word) {
  const r123::Philox2x64::ctr_type in{{word, state}};
  const r123::Philox2x64::key_type key{{0x9e3779b97f4a7c15ULL}};
  const auto out = r123::Philox2x64{}(in, key);
  return out[0] ^ out[1];
}

void philox_words(StreamKey key, std::uint64_t counter, std::uint32_t* out, std::size_t times) {
#ifdef __x86_64__
  if (kVersion == Version::avx2) return eight_blocks(key, counter, times, out);
#endif
  for (; times > 0; --times, counter += kPhiloxWords / 4, out += kPhiloxWords)
    detail::philox_words_anywhere(key, counter, out);
}

void detail::philox_words_anywhere(StreamKey key, std::uint64_t counter, std::uint32_t* out) {
#ifdef __x86_64__
  for (std::size_t i = 0; i < kPhiloxWords; i += 8) two_blocks(key, counter + i / 4, out + i);
#else
  const r123::Philox4x32::key_type words{
      {static_cast<std::uint32_t>(key.value), static_cast<std::uint32_t>(key.value >> 32)}};
  for (std::size_t i = 0; i < kPhiloxWords; i += 4) {
    const std::uint64_t c = counter + i / 4;
    const auto block = r123::Philox4x32{}(
        {{static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(c >> 32), 0, 0}}, words);
    for (std::size_t j = 0; j < 4; ++j) out[i + j] = block[j];
  }
#endif
}

void philox_block(StreamKey key, std::uint64_t counter, std::uint32_t* out) {
  const r123::Philox4x32::ctr_type in{
      {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0}};
  const r123::Philox4x32::key_type with{
      {static_cast<std::uint32_t>(key.value), static_cast<std::uint32_t>(key.value >> 32)}};
  const auto words = r123::Philox4x32{}(in, with);
  for (std::size_t i = 0; i < 4; ++i) out[i] = words[i];
}

}  // namespace tasfg
