/// A fixed part of a grid, for jobs that run side by side and are merged.
#pragma once

#include <cstdint>

#include "tasfg/sim/task.hpp"

namespace tasfg {

/// Part `index` of `count` of a grid. The part of a task depends on the job alone.
struct Shard {
  std::int64_t index = 0, count = 1;

  [[nodiscard]] bool holds(RunName run, std::int64_t replications) const {
    // Neighbouring seeds stay together; which cell starts where changes, so that few seeds spread as well.
    return (run.seed * count / replications + run.cell.number() % count) % count == index;
  }
  [[nodiscard]] bool holds(CaseId id) const { return id.number() % count == index; }
  [[nodiscard]] bool whole() const { return count == 1; }
};

}  // namespace tasfg
