/// What became of chunks, on its way from a rank to the result file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tasfg/io/record_batch.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/sweep/chunk.hpp"

namespace tasfg {

/// Every field of a message, in its `serialize` for Boost.Serialization.
template <typename Archive, typename... Fields>
void carry(Archive& archive, Fields&... fields) {
  (archive & ... & fields);
}

/// Neighbouring tasks of a chunk: the first `done` of them were run, the `undone` ones after them were not,
/// and are given back (the rank was drained or cancelled).
struct Part {
  ChunkId chunk;
  std::int64_t first = 0;  // a case or a seed, as in Chunk
  std::int64_t done = 0, undone = 0;

  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, chunk, first, done, undone);
  }
};

/// What the threads of a rank have done since its last report.
struct Report {
  std::vector<Part> parts;
  double seconds = 0.0;          // that threads spent on it
  std::vector<PackedRows> runs;  // failed ones included; in one pack where they travel
  CaseBatch solutions;           // the same
  std::vector<Failure> failures;

  [[nodiscard]] bool empty() const { return parts.empty(); }
  /// All but the bytes of the runs, which travel behind the rest as they are.
  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, parts, seconds, runs, solutions, failures);
  }
};

[[nodiscard]] Failure failure_of(const CellGrid& grid, const TaskName& task, std::string message);

}  // namespace tasfg
