/// Names of the parts of a study. A *case* is one instance; a *cell* is one (case, algorithm); a *task* is
/// one seed of a cell, or the solution of a case.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "tasfg/base/index.hpp"

namespace tasfg {

using CaseId = Index<struct CaseKind>;
using AlgorithmId = Index<struct AlgorithmKind>;
using CellId = Index<struct CellKind>;

/// Cells are numbered case by case.
struct CellGrid {
  std::size_t cases = 0, algorithms = 0;

  [[nodiscard]] std::size_t cells() const { return cases * algorithms; }
  [[nodiscard]] CellId cell(CaseId c, AlgorithmId a) const {
    return CellId(c.value() * algorithms + a.value());
  }
  [[nodiscard]] CaseId case_of(CellId cell) const { return CaseId(cell.value() / algorithms); }
  [[nodiscard]] AlgorithmId algorithm_of(CellId cell) const { return AlgorithmId(cell.value() % algorithms); }
  bool operator==(const CellGrid&) const = default;
};

/// One trajectory: a cell and a seed.
struct RunName {
  CellId cell;
  std::int64_t seed = 0;
  auto operator<=>(const RunName&) const = default;
};

}  // namespace tasfg
