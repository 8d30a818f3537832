#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "interior_point.hpp"
#include "newton_terms.hpp"

#include "tasfg/base/lanes.hpp"
#include "tasfg/solve/information.hpp"

#define TASFG_EACH_VERSION "solve/small_newton_versions.hpp"
#include "base/each_version.hpp"
#define TASFG_EACH_VERSION "solve/evidence_versions.hpp"
#include "base/each_version.hpp"
#define TASFG_EACH_VERSION "solve/interior_point_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {

template <int Width>
std::unique_ptr<InteriorPointSolver> make_small_interior_point([[maybe_unused]] Version version) {
#ifdef __x86_64__
  if (version == Version::avx2) return std::make_unique<avx2::InteriorPoint<avx2::SmallNewton<Width>>>();
#endif
  return std::make_unique<plain::InteriorPoint<plain::SmallNewton<Width>>>();
}
template std::unique_ptr<InteriorPointSolver> make_small_interior_point<8>(Version version);
template std::unique_ptr<InteriorPointSolver> make_small_interior_point<12>(Version version);
template std::unique_ptr<InteriorPointSolver> make_small_interior_point<16>(Version version);

}  // namespace tasfg
