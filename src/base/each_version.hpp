/// Compiles the file that TASFG_EACH_VERSION names once in namespace tasfg::plain, for the instruction set of
/// the whole program, and on x86-64 once more in namespace tasfg::avx2. TASFG_CALL_VERSION (simd.hpp) takes
/// the better one at run time.
///
/// The file must include nothing but files of the same kind: what else it needs is included before this one,
/// for all versions alike, so that no function of the standard library is compiled for AVX2 and then taken
/// by the linker for CPUs without it.

namespace tasfg::plain {
#include TASFG_EACH_VERSION
}  // namespace tasfg::plain

#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace tasfg::avx2 {
#include TASFG_EACH_VERSION
}  // namespace tasfg::avx2
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#undef TASFG_EACH_VERSION
