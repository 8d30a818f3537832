/// Vector instructions: four doubles that move together, and functions in several versions.
///
/// The compilers' vector extensions do the work: unlike wrappers of intrinsics they may be used in templates
/// that know nothing of instruction sets (solve/information.hpp), and on a CPU without AVX the compiler
/// splits four doubles in two. Lanes are independent entries and contraction is off, so that all versions
/// give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TASFG_INLINE [[gnu::always_inline]] inline

namespace tasfg {

/// Versions of a function (each_version.hpp).
enum class Version { plain, avx2 };
/// The one for this CPU: avx2 where the CPU has it and the environment variable TASFG_NO_AVX2, which is there
/// for tests, is not set.
extern const Version kVersion;

/// Calls a function in that version.
#ifdef __x86_64__
#define TASFG_CALL_VERSION(function, ...) \
  (kVersion == Version::avx2 ? avx2::function(__VA_ARGS__) : plain::function(__VA_ARGS__))
#else
#define TASFG_CALL_VERSION(function, ...) plain::function(__VA_ARGS__)
#endif

/// Everything that takes or returns Lanes is inlined always: as calls, versions for different instruction
/// sets would disagree about the registers. A double stands for four equal ones.
class Lanes {
 public:
  typedef double Vector __attribute__((vector_size(32)));
  typedef std::int64_t Bits __attribute__((vector_size(32)));

  Lanes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  TASFG_INLINE Lanes(double x) : v{x, x, x, x} {}
  TASFG_INLINE explicit Lanes(const Vector& x) : v(x) {}
  TASFG_INLINE double operator[](std::size_t i) const { return v[i]; }
  TASFG_INLINE void set(std::size_t i, double x) { v[i] = x; }

  Vector v{};
};

/// Of a comparison: all bits of a lane, or none.
struct Mask {
  TASFG_INLINE explicit Mask(const Lanes::Bits& x) : bits(x) {}
  Lanes::Bits bits;
};

// With a double on either side, too: through the conversion GCC would build its four copies in two halves.
#define TASFG_LANES_OPERATOR(Result, op)                            \
  TASFG_INLINE Result operator op(const Lanes& x, const Lanes& y) { \
    return Result(x.v op y.v);                                      \
  }                                                                 \
  TASFG_INLINE Result operator op(const Lanes& x, double y) {       \
    return Result(x.v op y);                                        \
  }                                                                 \
  TASFG_INLINE Result operator op(double x, const Lanes& y) {       \
    return Result(x op y.v);                                        \
  }
TASFG_LANES_OPERATOR(Lanes, +)
TASFG_LANES_OPERATOR(Lanes, -)
TASFG_LANES_OPERATOR(Lanes, *)
TASFG_LANES_OPERATOR(Lanes, /)
TASFG_LANES_OPERATOR(Mask, <)
TASFG_LANES_OPERATOR(Mask, >)
TASFG_LANES_OPERATOR(Mask, <=)
TASFG_LANES_OPERATOR(Mask, >=)
TASFG_LANES_OPERATOR(Mask, ==)
#undef TASFG_LANES_OPERATOR
TASFG_INLINE Lanes operator-(const Lanes& x) {
  return Lanes(-x.v);
}
/// Lane by lane, x where the mask is set and y elsewhere.
TASFG_INLINE Lanes select(const Mask& mask, const Lanes& x, const Lanes& y) {
  return Lanes(mask.bits ? x.v : y.v);
}

/// Four doubles in memory, at any address.
class LanesInMemory {
 public:
  TASFG_INLINE explicit LanesInMemory(double* at) : at_(at) {}
  LanesInMemory(const LanesInMemory&) = delete;
  // NOLINTNEXTLINE(google-explicit-constructor)
  TASFG_INLINE operator Lanes() const {
    Lanes x;
    std::memcpy(&x.v, at_, sizeof x.v);
    return x;
  }
  TASFG_INLINE void operator=(const Lanes& x) { std::memcpy(at_, &x.v, sizeof x.v); }
  TASFG_INLINE void operator=(const LanesInMemory& other) { *this = Lanes(other); }
  TASFG_INLINE void operator+=(const Lanes& x) { *this = *this + x; }
  TASFG_INLINE void operator-=(const Lanes& x) { *this = *this - x; }
  TASFG_INLINE void operator*=(double x) { *this = *this * x; }
  TASFG_INLINE void operator/=(double x) { *this = *this / x; }

 private:
  double* at_;
};
TASFG_INLINE LanesInMemory lanes(double* at) {
  return LanesInMemory(at);
}
TASFG_INLINE Lanes lanes(const double* at) {
  Lanes x;
  std::memcpy(&x.v, at, sizeof x.v);
  return x;
}

TASFG_INLINE void operator+=(Lanes& x, const Lanes& y) {
  x = x + y;
}
TASFG_INLINE double sum_of(const Lanes& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// Where a byte of sixteen is less than the one that it is compared with, and where they are equal, by bits.
/// The bytes of `drawn` are those of its four words, lowest first.
struct ByteComparison {
  std::uint32_t less, equal;
};
inline ByteComparison compare_bytes(const std::uint32_t* drawn, const std::uint8_t* with) {
#ifdef __SSE2__
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(drawn));
  const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(with));
  const __m128i not_less = _mm_cmpeq_epi8(_mm_subs_epu8(y, x), _mm_setzero_si128());
  return {~static_cast<std::uint32_t>(_mm_movemask_epi8(not_less)) & 0xFFFFU,
          static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)))};
#else
  ByteComparison result{0, 0};
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t x = drawn[i / 4] >> (8 * (i % 4)) & 0xFFU;
    result.less |= static_cast<std::uint32_t>(x < with[i]) << i;
    result.equal |= static_cast<std::uint32_t>(x == with[i]) << i;
  }
  return result;
#endif
}

}  // namespace tasfg
