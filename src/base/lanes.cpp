#include "tasfg/base/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "simd.hpp"

#include "tasfg/base/elementary.hpp"

#define TASFG_EACH_VERSION "base/lanes_versions.hpp"
#include "each_version.hpp"

namespace tasfg {

#ifdef __x86_64__
const Version kVersion = __builtin_cpu_supports("avx2") != 0 && std::getenv("TASFG_NO_AVX2") == nullptr
                             ? Version::avx2
                             : Version::plain;
#else
const Version kVersion = Version::plain;
#endif

void combine_rows(const double* rows, std::size_t stride, std::size_t n, const double* weights, double* out) {
  TASFG_CALL_VERSION(combine_rows, rows, stride, n, weights, out);
}
double sum_where(const double* mask, const double* x, std::size_t n) {
  return TASFG_CALL_VERSION(sum_where, mask, x, n);
}
void exp_each(double* x, std::size_t n) {
  TASFG_CALL_VERSION(exp_each, x, n);
}

}  // namespace tasfg
