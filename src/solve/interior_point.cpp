#include "interior_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "dense_newton.hpp"
#include "product_newton.hpp"
#include "sparse_newton.hpp"
#include "working_set.hpp"

#include "tasfg/base/lanes.hpp"
#include "tasfg/solve/information.hpp"

#define TASFG_EACH_VERSION "solve/evidence_versions.hpp"
#include "base/each_version.hpp"
#define TASFG_EACH_VERSION "solve/interior_point_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {

MatrixForm whole_form(int K) {
  if (K <= 8) return MatrixForm::small_8;
  if (K <= 12) return MatrixForm::small_12;
  if (K <= 16) return MatrixForm::small_16;
  return MatrixForm::dense;
}

MatrixForm dense_form(int K) {
  return WorkingSet::suits(K) ? MatrixForm::restricted : whole_form(K);
}

MatrixForm form_for(const ModelView& model) {
  if (SparseNewton::suits(model)) return MatrixForm::sparse;
  return model.graph.empty() ? MatrixForm::products : dense_form(model.K);
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
    case MatrixForm::sparse:
#ifdef __x86_64__
      if (version == Version::avx2) return std::make_unique<avx2::InteriorPoint<SparseNewton>>();
#endif
      return std::make_unique<plain::InteriorPoint<SparseNewton>>();
    case MatrixForm::products:
#ifdef __x86_64__
      if (version == Version::avx2) return std::make_unique<avx2::InteriorPoint<ProductNewton>>();
#endif
      return std::make_unique<plain::InteriorPoint<ProductNewton>>();
    case MatrixForm::restricted:
      return std::make_unique<WorkingSet>(version);
  }
  return nullptr;
}

}  // namespace tasfg
