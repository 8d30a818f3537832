/// Rows of batches in the order in which the file has them, so that neighbours are written with one call for
/// each of their values, whatever batches they came in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "result_table.hpp"

namespace tasfg {

/// Rows [begin, end) of a batch, which are neighbours in the file.
struct RowSpan {
  const BatchBytes* batch = nullptr;
  std::size_t begin = 0, end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] RunName first() const { return batch->name(begin); }
  /// The name that a next row would have.
  [[nodiscard]] RunName next() const { return {CellId(batch->cells[begin]), batch->seeds[end - 1] + 1}; }
};

/// A run of neighbours in the file.
class RowGroup {
 public:
  explicit RowGroup(const RowSpan& first) : spans_{first}, size_(first.size()) {}
  /// False, and nothing happens, where the rows do not follow those of the group.
  bool join(const RowSpan& rows);

  [[nodiscard]] RunName first() const { return spans_.front().first(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Value `b` of each row (of the column's `before` values, with all after it), as they stand in the file:
  /// bytes of a batch where that is possible, else of `room`. `i` is the column's place in the batches.
  [[nodiscard]] std::span<const unsigned char> bytes(const Column& column, std::size_t i, std::size_t b,
                                                     std::vector<unsigned char>& room) const;

 private:
  std::vector<RowSpan> spans_;
  std::size_t size_;
};

/// All rows of the batches. Of rows with the same name, the one that came last comes last.
[[nodiscard]] std::vector<RowGroup> groups_of(std::span<const BatchBytes* const> batches);

}  // namespace tasfg
