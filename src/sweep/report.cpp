#include "tasfg/sweep/report.hpp"

#include <utility>

namespace tasfg {

Failure failure_of(const CellGrid& grid, const TaskName& task, std::string message) {
  if (const auto* id = std::get_if<CaseId>(&task))
    return {static_cast<std::int32_t>(id->number()), -1, -1, std::move(message)};
  const auto& run = std::get<RunName>(task);
  return {static_cast<std::int32_t>(grid.case_of(run.cell).number()),
          static_cast<std::int32_t>(grid.algorithm_of(run.cell).number()), run.seed, std::move(message)};
}

}  // namespace tasfg
