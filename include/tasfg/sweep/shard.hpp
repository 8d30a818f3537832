/// A fixed part of a grid, for jobs that run side by side and are merged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tasfg/io/result_layout.hpp"
#include "tasfg/sim/task.hpp"

namespace tasfg {

/// How a grid may be split: by seeds; by cells where it is decided from a cell's own runs how many it needs;
/// by cases where from those of another algorithm, too.
struct Splitting {
  enum class By { seeds, cells, cases };
  CellGrid grid;
  std::int64_t replications = 1;
  By by = By::seeds;
};
[[nodiscard]] Splitting splitting_of(const ResultLayout& layout);

/// Part `index` of `count` of a grid. The part of a task depends on the job alone.
struct Shard {
  std::int64_t index = 0, count = 1;

  [[nodiscard]] bool holds(RunName run, const Splitting& splitting) const {
    const std::int64_t case_number = splitting.grid.case_of(run.cell).number();
    switch (splitting.by) {
      case Splitting::By::seeds:
        // Neighbouring seeds stay together; which cell starts where changes, so that few seeds spread as
        // well.
        return (run.seed * count / splitting.replications + run.cell.number() % count) % count == index;
      case Splitting::By::cells:  // each shard has its share of every algorithm
        return (case_number + splitting.grid.algorithm_of(run.cell).number()) % count == index;
      case Splitting::By::cases:
        return case_number % count == index;
    }
    return false;
  }
  [[nodiscard]] bool holds(CaseId id) const { return id.number() % count == index; }
  [[nodiscard]] bool whole() const { return count == 1; }
  /// "3/10"; empty for the whole.
  [[nodiscard]] std::string text() const;
};

/// The shard of such a text; InputError, naming `where`, for others.
[[nodiscard]] Shard parse_shard(const std::string& text, std::string_view where);

}  // namespace tasfg
