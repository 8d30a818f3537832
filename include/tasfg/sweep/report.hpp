/// What became of a chunk, on its way from a worker to the result file.
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

/// What became of a chunk, or of a first part of it.
struct Report {
  ChunkId chunk;
  bool closed = false;      // nothing more comes of this chunk
  std::int64_t undone = 0;  // tasks at its end that were not run (it was drained or cancelled)
  double seconds = 0.0;     // that a thread spent on this part
  RunBatch runs;            // failed ones included
  CaseBatch solutions;      // the same
  std::vector<Failure> failures;

  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    carry(archive, chunk, closed, undone, seconds, runs, solutions, failures);
  }
};

[[nodiscard]] Failure failure_of(const CellGrid& grid, const TaskName& task, std::string message);

}  // namespace tasfg
