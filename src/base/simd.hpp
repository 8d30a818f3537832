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
#ifdef __x86_64__
#include <wmmintrin.h>
#endif

#include "tasfg/base/elementary.hpp"

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

/// Four doubles in one vector; and in two, for CPUs whose vectors hold two: compilers take a vector that is
/// too long for the CPU apart badly. A double stands for four equal ones.
///
/// Everything that takes or returns them is inlined always: as calls, versions for different instruction sets
/// would disagree about the registers.
class FourInOne {
 public:
  typedef double Vector __attribute__((vector_size(32)));

  FourInOne() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  TASFG_INLINE FourInOne(double x) : v{x, x, x, x} {}
  TASFG_INLINE explicit FourInOne(const Vector& x) : v(x) {}
  TASFG_INLINE static FourInOne load(const double* at) {
    FourInOne x;
    std::memcpy(&x.v, at, sizeof x.v);
    return x;
  }
  TASFG_INLINE void store(double* at) const { std::memcpy(at, &v, sizeof v); }
  TASFG_INLINE double operator[](std::size_t i) const { return v[i]; }
  TASFG_INLINE void set(std::size_t i, double x) { v[i] = x; }

  Vector v{};
};
class FourInTwo {
 public:
  typedef double Vector __attribute__((vector_size(16)));

  FourInTwo() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  TASFG_INLINE FourInTwo(double x) : low{x, x}, high{x, x} {}
  TASFG_INLINE FourInTwo(const Vector& first, const Vector& second) : low(first), high(second) {}
  TASFG_INLINE static FourInTwo load(const double* at) {
    FourInTwo x;
    std::memcpy(&x.low, at, sizeof x.low);
    std::memcpy(&x.high, at + 2, sizeof x.high);
    return x;
  }
  TASFG_INLINE void store(double* at) const {
    std::memcpy(at, &low, sizeof low);
    std::memcpy(at + 2, &high, sizeof high);
  }
  TASFG_INLINE double operator[](std::size_t i) const { return i < 2 ? low[i] : high[i - 2]; }
  TASFG_INLINE void set(std::size_t i, double x) {
    if (i < 2)
      low[i] = x;
    else
      high[i - 2] = x;
  }

  Vector low{}, high{};
};

/// Of comparisons: all bits of a lane, or none.
struct MaskInOne {
  typedef std::int64_t Vector __attribute__((vector_size(32)));
  TASFG_INLINE explicit MaskInOne(const Vector& x) : v(x) {}
  Vector v;
};
struct MaskInTwo {
  typedef std::int64_t Vector __attribute__((vector_size(16)));
  TASFG_INLINE MaskInTwo(const Vector& first, const Vector& second) : low(first), high(second) {}
  Vector low, high;
};

// With a double on either side, too: through the conversion GCC would build its four copies in two halves.
#define TASFG_LANES_OPERATOR(op, One, Two)                               \
  TASFG_INLINE One operator op(const FourInOne& x, const FourInOne& y) { \
    return One(x.v op y.v);                                              \
  }                                                                      \
  TASFG_INLINE One operator op(const FourInOne& x, double y) {           \
    return One(x.v op y);                                                \
  }                                                                      \
  TASFG_INLINE One operator op(double x, const FourInOne& y) {           \
    return One(x op y.v);                                                \
  }                                                                      \
  TASFG_INLINE Two operator op(const FourInTwo& x, const FourInTwo& y) { \
    return Two(x.low op y.low, x.high op y.high);                        \
  }                                                                      \
  TASFG_INLINE Two operator op(const FourInTwo& x, double y) {           \
    return Two(x.low op y, x.high op y);                                 \
  }                                                                      \
  TASFG_INLINE Two operator op(double x, const FourInTwo& y) {           \
    return Two(x op y.low, x op y.high);                                 \
  }
TASFG_LANES_OPERATOR(+, FourInOne, FourInTwo)
TASFG_LANES_OPERATOR(-, FourInOne, FourInTwo)
TASFG_LANES_OPERATOR(*, FourInOne, FourInTwo)
TASFG_LANES_OPERATOR(/, FourInOne, FourInTwo)
TASFG_LANES_OPERATOR(<, MaskInOne, MaskInTwo)
TASFG_LANES_OPERATOR(>, MaskInOne, MaskInTwo)
TASFG_LANES_OPERATOR(<=, MaskInOne, MaskInTwo)
TASFG_LANES_OPERATOR(>=, MaskInOne, MaskInTwo)
TASFG_LANES_OPERATOR(==, MaskInOne, MaskInTwo)
#undef TASFG_LANES_OPERATOR
TASFG_INLINE FourInOne operator-(const FourInOne& x) {
  return FourInOne(-x.v);
}
TASFG_INLINE FourInTwo operator-(const FourInTwo& x) {
  return {-x.low, -x.high};
}
TASFG_INLINE void operator+=(FourInOne& x, const FourInOne& y) {
  x = x + y;
}
TASFG_INLINE void operator+=(FourInTwo& x, const FourInTwo& y) {
  x = x + y;
}

/// Lane by lane, x where the mask is set and y elsewhere.
TASFG_INLINE FourInOne select(const MaskInOne& mask, const FourInOne& x, const FourInOne& y) {
  return FourInOne(mask.v ? x.v : y.v);
}
TASFG_INLINE FourInTwo select(const MaskInTwo& mask, const FourInTwo& x, const FourInTwo& y) {
  return {mask.low ? x.low : y.low, mask.high ? x.high : y.high};
}

/// The whole part, of numbers that an int can hold.
TASFG_INLINE FourInOne whole_part(const FourInOne& x) {
  typedef std::int32_t Integers __attribute__((vector_size(16)));
  return FourInOne(__builtin_convertvector(__builtin_convertvector(x.v, Integers), FourInOne::Vector));
}
TASFG_INLINE FourInTwo whole_part(const FourInTwo& x) {
  typedef std::int32_t Integers __attribute__((vector_size(8)));
  return {__builtin_convertvector(__builtin_convertvector(x.low, Integers), FourInTwo::Vector),
          __builtin_convertvector(__builtin_convertvector(x.high, Integers), FourInTwo::Vector)};
}

/// 2ⁿ for whole numbers −1023 < n < 1024. Adding 1.5·2⁵² leaves n in the lowest bits of a double.
template <typename Lanes>
TASFG_INLINE Lanes power_of_two(const Lanes& n) {
  const Lanes shifted = n + (0x1.8p52 + 1023.0);
  if constexpr (requires { shifted.v; }) {
    return Lanes(
        __builtin_bit_cast(FourInOne::Vector, __builtin_bit_cast(MaskInOne::Vector, shifted.v) << 52));
  } else {
    return {__builtin_bit_cast(FourInTwo::Vector, __builtin_bit_cast(MaskInTwo::Vector, shifted.low) << 52),
            __builtin_bit_cast(FourInTwo::Vector, __builtin_bit_cast(MaskInTwo::Vector, shifted.high) << 52)};
  }
}

template <typename Lanes>
TASFG_INLINE double sum_of(const Lanes& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

namespace detail {
template <typename Lanes>
TASFG_INLINE Lanes log_gap_of(const Lanes& x) {
  const auto above = x >= kGapHigh, below = x <= kGapLow;
  const Lanes f = select(above, 0.5 * (x - 1.0), select(below, 1.0 + 2.0 * x, x));
  const Lanes linear = select(above, log_gap_above(x), select(below, log_gap_below(x), 0.0));
  Lanes result = linear + log_gap_series(f);
  const Lanes far = select(x > kGapLeast, select(x < kGapMost, 0.0, 1.0), 1.0);
  if (sum_of(far) > 0.0) [[unlikely]]
    for (std::size_t i = 0; i < 4; ++i)
      if (far[i] > 0.0) result.set(i, tasfg::log_gap(x[i]));
  return result;
}
}  // namespace detail
/// Lane by lane the bits of log_gap(double).
TASFG_INLINE FourInOne log_gap(const FourInOne& x) {
  return detail::log_gap_of(x);
}
TASFG_INLINE FourInTwo log_gap(const FourInTwo& x) {
  return detail::log_gap_of(x);
}

/// Four doubles in memory, at any address.
template <typename Lanes>
class LanesInMemory {
 public:
  TASFG_INLINE explicit LanesInMemory(double* at) : at_(at) {}
  LanesInMemory(const LanesInMemory&) = delete;
  // NOLINTNEXTLINE(google-explicit-constructor)
  TASFG_INLINE operator Lanes() const { return Lanes::load(at_); }
  TASFG_INLINE void operator=(const Lanes& x) { x.store(at_); }
  TASFG_INLINE void operator=(const LanesInMemory& other) { *this = Lanes(other); }
  TASFG_INLINE void operator+=(const Lanes& x) { *this = *this + x; }
  TASFG_INLINE void operator-=(const Lanes& x) { *this = *this - x; }
  TASFG_INLINE void operator*=(double x) { *this = *this * x; }
  TASFG_INLINE void operator/=(double x) { *this = *this / x; }

 private:
  double* at_;
};

/// The Lanes of each version, and how it reads and writes them.
#define TASFG_VERSION_LANES(Type)                       \
  using Lanes = Type;                                   \
  TASFG_INLINE LanesInMemory<Lanes> lanes(double* at) { \
    return LanesInMemory<Lanes>(at);                    \
  }                                                     \
  TASFG_INLINE Lanes lanes(const double* at) {          \
    return Lanes::load(at);                             \
  }
namespace plain {
TASFG_VERSION_LANES(FourInTwo)
}
namespace avx2 {
TASFG_VERSION_LANES(FourInOne)
}
#undef TASFG_VERSION_LANES

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

#ifdef __x86_64__
/// Sixteen bytes with the same remainder as `size` bytes, a multiple of 16, to the first four of which
/// `remainder` is added: each sixteen are multiplied, eight by `first` and eight by `second`, and added to
/// the next. For CPUs with carry-less products (base/crc32.cpp).
__attribute__((target("pclmul"))) inline void fold_sixteens(std::uint32_t remainder,
                                                            const unsigned char* bytes, std::size_t size,
                                                            std::uint64_t first, std::uint64_t second,
                                                            unsigned char* to) {
  const auto load = [](const unsigned char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  const __m128i factors = _mm_set_epi64x(static_cast<long long>(second), static_cast<long long>(first));
  __m128i folded = _mm_xor_si128(load(bytes), _mm_cvtsi32_si128(static_cast<int>(remainder)));
  for (std::size_t i = 16; i < size; i += 16) {
    const __m128i low = _mm_clmulepi64_si128(folded, factors, 0x00);
    const __m128i high = _mm_clmulepi64_si128(folded, factors, 0x11);
    folded = _mm_xor_si128(_mm_xor_si128(low, high), load(bytes + i));
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), folded);
}
#endif

}  // namespace tasfg
