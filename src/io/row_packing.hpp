/// Between collected records and the calls that write them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "result_table.hpp"
#include <sys/uio.h>

#include "tasfg/io/packed_rows.hpp"

namespace tasfg {

/// Of one record.
[[nodiscard]] std::size_t bytes_of_record(std::span<const Column> columns);

/// All rows of the batches, whose columns these are.
[[nodiscard]] PackedRows packed(std::span<const Column> columns, std::span<const BatchBytes* const> batches);
/// The same of rows that are packed already.
[[nodiscard]] PackedRows joined(std::span<const Column> columns, std::span<const PackedRows> packs);

/// A run of neighbours in the file, whatever packs they came in.
class RowGroup {
 public:
  RowGroup(const PackedRows& rows, const Stretch& first) : pieces_{{&rows, first}}, size_(first.count) {}
  /// False, and nothing happens, where the stretch does not follow those of the group.
  bool join(const PackedRows& rows, const Stretch& next);

  [[nodiscard]] RunName first() const { return pieces_.front().stretch.begin(); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Where the bytes of one value of all rows are, in their order; `before` as in PackedRows::at.
  void find(std::size_t before, std::size_t bytes, std::vector<iovec>& places) const;

 private:
  struct Piece {
    const PackedRows* rows;
    Stretch stretch;
  };
  std::vector<Piece> pieces_;
  std::int64_t size_;
};

/// All rows of the packs. Of rows with the same name, the one that came last comes last.
[[nodiscard]] std::vector<RowGroup> groups_of(std::span<const PackedRows* const> packs);

}  // namespace tasfg
