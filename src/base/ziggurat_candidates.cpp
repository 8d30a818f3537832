#include "tasfg/base/ziggurat_candidates.hpp"

#include "simd.hpp"

#include "tasfg/base/samplers.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tasfg {
namespace {

#ifdef __x86_64__

enum class Side { positive, either };

template <Side kSide>
[[gnu::target("avx2")]] std::uint64_t four_at_once(const double* edge, const std::uint32_t* words,
                                                   std::size_t n, double* values) {
  // A whole number of 53 bits is 2³² times its upper part plus its lower one, and each is a double's
  // mantissa.
  const __m256i upper_one = _mm256_set1_epi64x(0x4530000000000000);  // 2⁸⁴
  const __m256i lower_one = _mm256_set1_epi64x(0x4330000000000000);  // 2⁵²
  const __m256d both_ones = _mm256_set1_pd(0x1p84 + 0x1p52);
  const __m256d unit = _mm256_set1_pd(0x1p-53);
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < n; i += 4) {
    const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 2 * i));
    const __m256i upper = _mm256_or_si256(_mm256_srli_epi64(word, 43), upper_one);
    const __m256i lower = _mm256_blend_epi32(_mm256_srli_epi64(word, 11), lower_one, 0xAA);
    const __m256d whole =
        _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(upper), both_ones), _mm256_castsi256_pd(lower));
    const auto layer = [&](std::size_t k) { return edge + (words[2 * (i + k)] & 0xFF); };
    // An edge and the next one are one load.
    const __m256d even =
        _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(layer(0))), _mm_loadu_pd(layer(2)), 1);
    const __m256d odd =
        _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(layer(1))), _mm_loadu_pd(layer(3)), 1);
    const __m256d x = _mm256_mul_pd(_mm256_mul_pd(whole, unit), _mm256_unpacklo_pd(even, odd));
    const __m256d inside = _mm256_cmp_pd(x, _mm256_unpackhi_pd(even, odd), _CMP_LT_OQ);
    outside |= static_cast<std::uint64_t>(~_mm256_movemask_pd(inside) & 0xF) << i;
    __m256d value = x;
    if constexpr (kSide == Side::either) {
      const __m256i sign = _mm256_slli_epi64(_mm256_and_si256(word, _mm256_set1_epi64x(0x100)), 55);
      value = _mm256_or_pd(x, _mm256_castsi256_pd(sign));
    }
    _mm256_storeu_pd(values + i, value);
  }
  return outside;
}

#endif

template <typename Candidate>
std::uint64_t one_by_one(const std::uint32_t* words, std::size_t n, double* values) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Candidate made(static_cast<std::uint64_t>(words[2 * i + 1]) << 32 | words[2 * i]);
    values[i] = made.value();
    outside |= static_cast<std::uint64_t>(!made.inside()) << i;
  }
  return outside;
}

}  // namespace

std::uint64_t detail::normal_candidates_anywhere(const std::uint32_t* words, std::size_t n, double* values) {
  return one_by_one<NormalCandidate>(words, n, values);
}
std::uint64_t detail::exponential_candidates_anywhere(const std::uint32_t* words, std::size_t n,
                                                      double* values) {
  return one_by_one<ExponentialCandidate>(words, n, values);
}

std::uint64_t normal_candidates(const std::uint32_t* words, std::size_t n, double* values) {
#ifdef __x86_64__
  if (kVersion == Version::avx2)
    return four_at_once<Side::either>(detail::kNormalZiggurat.edge.data(), words, n, values);
#endif
  return detail::normal_candidates_anywhere(words, n, values);
}

std::uint64_t exponential_candidates(const std::uint32_t* words, std::size_t n, double* values) {
#ifdef __x86_64__
  if (kVersion == Version::avx2)
    return four_at_once<Side::positive>(detail::kExponentialZiggurat.edge.data(), words, n, values);
#endif
  return detail::exponential_candidates_anywhere(words, n, values);
}

}  // namespace tasfg
