#include "interior_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "dense_newton.hpp"
#include "sparse_newton.hpp"

#include "tasfg/base/lanes.hpp"
#include "tasfg/solve/information.hpp"

#define TASFG_EACH_VERSION "solve/interior_point_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {

MatrixForm form_for(const ModelView& model) {
  if (model.K <= 8) return MatrixForm::small_8;
  if (model.K <= 12) return MatrixForm::small_12;
  if (model.K <= 16) return MatrixForm::small_16;
  return SparseNewton::suits(model) ? MatrixForm::sparse : MatrixForm::dense;
}

std::unique_ptr<InteriorPointSolver> make_interior_point(MatrixForm form, [[maybe_unused]] Version version) {
  switch (form) {
    case MatrixForm::small_8:
      return make_small_interior_point<8>(version);
    case MatrixForm::small_12:
      return make_small_interior_point<12>(version);
    case MatrixForm::small_16:
      return make_small_interior_point<16>(version);
    case MatrixForm::dense:
#ifdef __x86_64__
      if (version == Version::avx2) return std::make_unique<avx2::InteriorPoint<DenseNewton>>();
#endif
      return std::make_unique<plain::InteriorPoint<DenseNewton>>();
    case MatrixForm::sparse:  // most of the time goes into the factorisation
      return std::make_unique<plain::InteriorPoint<SparseNewton>>();
  }
  return nullptr;
}

}  // namespace tasfg
