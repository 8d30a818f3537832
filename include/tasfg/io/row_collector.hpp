/// Rows of neighbours while they are made, one by one, laid out at once as the file will have them: the
/// record of a short run is written down in less time than it takes to move it twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tasfg/io/packed_rows.hpp"
#include "tasfg/io/record_batch.hpp"
#include "tasfg/sim/run_record.hpp"
#include "tasfg/sim/task.hpp"

namespace tasfg {

class RunCollector {
 public:
  /// For `rows` runs at most, from `first` on, of a case with K vertices. Keeps a reference to the format.
  RunCollector(const RunFormat& format, RunName first, std::int64_t rows, std::size_t K);

  /// The next run, and its checksum.
  void add(const RunRecord& record);
  /// All rows since the last call, in packs that fit a cache.
  [[nodiscard]] std::vector<PackedRows> take();

 private:
  /// One value of a row, or several that stand together.
  struct Value {
    std::size_t before, bytes;  // of the row
  };
  void begin_pack();

  const RunFormat& format_;
  std::size_t K_;
  RunName next_;
  std::int64_t left_;  // rows that may come, beyond those of the pack
  std::vector<Value> values_;
  std::vector<unsigned char> image_;  // of a row, value after value
  std::size_t checksum_;              // where it stands in it
  std::vector<PackedRows> packs_;     // the last one is being filled
};

}  // namespace tasfg
