#include "row_groups.hpp"

#include <algorithm>
#include <cstring>

namespace tasfg {
namespace {

template <std::size_t kBytes>
void copy_rows(unsigned char* to, const unsigned char* from, std::size_t rows, std::size_t stride) {
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * kBytes, from + i * stride, kBytes);
}

/// `bytes` of every row to one place after the other. Values of fixed sizes take one instruction each; a call
/// of memcpy for each would be most of the cost of a row.
void copy_rows(unsigned char* to, const unsigned char* from, std::size_t rows, std::size_t stride,
               std::size_t bytes) {
  switch (bytes) {
    case 1:
      return copy_rows<1>(to, from, rows, stride);
    case 4:
      return copy_rows<4>(to, from, rows, stride);
    case 8:
      return copy_rows<8>(to, from, rows, stride);
    default:
      for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * bytes, from + i * stride, bytes);
  }
}

}  // namespace

bool RowGroup::join(const RowSpan& rows) {
  if (rows.first() != spans_.back().next()) return false;
  spans_.push_back(rows);
  size_ += rows.size();
  return true;
}

std::span<const unsigned char> RowGroup::bytes(const Column& column, std::size_t i, std::size_t b,
                                               std::vector<unsigned char>& room) const {
  const std::size_t run = column.after * column.value_bytes;  // contiguous bytes of one row
  const auto begin_of = [&](const RowSpan& rows) {
    return rows.batch->columns[i].data() + rows.begin * column.stride();
  };
  if (column.before == 1 && spans_.size() == 1) return {begin_of(spans_[0]), size_ * run};
  room.resize(std::max(room.size(), size_ * run));
  unsigned char* to = room.data();
  for (const RowSpan& rows : spans_) {
    if (column.before == 1)
      std::memcpy(to, begin_of(rows), rows.size() * run);
    else
      copy_rows(to, begin_of(rows) + b * run, rows.size(), column.stride(), run);
    to += rows.size() * run;
  }
  return {room.data(), size_ * run};
}

std::vector<RowGroup> groups_of(std::span<const BatchBytes* const> batches) {
  std::vector<RowSpan> spans;
  for (const BatchBytes* batch : batches)
    for (std::size_t begin = 0, end = 0; begin < batch->size(); begin = end) {
      for (end = begin + 1; end < batch->size() && batch->cells[end] == batch->cells[begin] &&
                            batch->seeds[end] == batch->seeds[end - 1] + 1;)
        ++end;
      spans.push_back({batch, begin, end});
    }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const RowSpan& a, const RowSpan& b) { return a.first() < b.first(); });
  std::vector<RowGroup> groups;
  for (const RowSpan& rows : spans)
    if (groups.empty() || !groups.back().join(rows)) groups.emplace_back(rows);
  return groups;
}

}  // namespace tasfg
