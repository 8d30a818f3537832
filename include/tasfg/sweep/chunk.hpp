/// Pieces of work as they are handed out.
#pragma once

#include <cstdint>
#include <variant>

#include "tasfg/sim/task.hpp"

namespace tasfg {

/// A task: the solution of a case, or a trajectory.
using TaskName = std::variant<CaseId, RunName>;

enum class TaskKind : std::int64_t { solve, run };

using ChunkId = Index<struct ChunkKind>;

/// Work for one rank: `count` neighbouring tasks of one kind, which its threads share.
struct Chunk {
  ChunkId id;
  TaskKind kind = TaskKind::run;
  CellId cell;             // where kind is run
  std::int64_t first = 0;  // a case where kind is solve, else a seed of the cell
  std::int64_t count = 0;
  double expected = 0.0;  // seconds of one thread

  [[nodiscard]] CaseId solved_case(std::int64_t i) const { return CaseId(first + i); }
  [[nodiscard]] RunName run(std::int64_t i) const { return {cell, first + i}; }
  [[nodiscard]] TaskName task(std::int64_t i) const {
    return kind == TaskKind::solve ? TaskName(solved_case(i)) : TaskName(run(i));
  }
  /// `n` of its tasks from the one at `begin` on.
  [[nodiscard]] Chunk part(std::int64_t begin, std::int64_t n) const {
    Chunk some = *this;
    some.first += begin;
    some.count = n;
    some.expected = count > 0 ? expected * static_cast<double>(n) / static_cast<double>(count) : 0.0;
    return some;
  }
};

}  // namespace tasfg
