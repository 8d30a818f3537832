#include "row_packing.hpp"

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
      if (bytes == stride) {
        std::memcpy(to, from, rows * bytes);
        return;
      }
      for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * bytes, from + i * stride, bytes);
  }
}

/// Rows [begin, end) of a batch, which are neighbours in the file.
struct RowSpan {
  const BatchBytes* batch = nullptr;
  std::size_t begin = 0, end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] RunName first() const { return batch->name(begin); }
};

std::vector<RowSpan> spans_of(std::span<const BatchBytes* const> batches) {
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
  return spans;
}

}  // namespace

std::size_t bytes_of_record(std::span<const Column> columns) {
  std::size_t bytes = 0;
  for (const Column& column : columns) bytes += column.stride();
  return bytes;
}

PackedRows packed(std::span<const Column> columns, std::span<const BatchBytes* const> batches) {
  const std::vector<RowSpan> spans = spans_of(batches);
  PackedRows rows;
  std::int64_t count = 0;
  for (const RowSpan& each : spans) {
    const auto size = static_cast<std::int64_t>(each.size());
    if (rows.empty() || rows.stretches.back().end() != each.first())
      rows.stretches.push_back({each.first().cell.number(), each.first().seed, 0, count});
    rows.stretches.back().count += size;
    count += size;
  }
  constexpr std::int64_t kAligned = 8;
  rows.room = (count + kAligned - 1) / kAligned * kAligned;
  rows.bytes.resize(static_cast<std::size_t>(rows.room) * bytes_of_record(columns));
  std::size_t before = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const std::size_t run = column.after * column.value_bytes;  // contiguous bytes of one row
    for (std::size_t b = 0; b < column.before; ++b, before += run) {
      unsigned char* to = rows.at(before);
      for (const RowSpan& span : spans) {
        copy_rows(to, span.batch->columns[i].data() + span.begin * column.stride() + b * run, span.size(),
                  column.stride(), run);
        to += span.size() * run;
      }
    }
  }
  return rows;
}

bool RowGroup::join(const PackedRows& rows, const Stretch& next) {
  if (next.begin() != pieces_.back().stretch.end()) return false;
  pieces_.push_back({&rows, next});
  size_ += next.count;
  return true;
}

void RowGroup::find(std::size_t before, std::size_t bytes, std::vector<iovec>& places) const {
  places.clear();
  for (const Piece& piece : pieces_) {
    const unsigned char* from = piece.rows->at(before) + static_cast<std::size_t>(piece.stretch.row) * bytes;
    places.push_back(
        {const_cast<unsigned char*>(from), static_cast<std::size_t>(piece.stretch.count) * bytes});
  }
}

std::vector<RowGroup> groups_of(std::span<const PackedRows* const> packs) {
  struct Piece {
    const PackedRows* rows;
    Stretch stretch;
  };
  std::vector<Piece> pieces;
  for (const PackedRows* rows : packs)
    for (const Stretch& each : rows->stretches)
      if (each.count > 0) pieces.push_back({rows, each});
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.stretch.begin() < b.stretch.begin(); });
  std::vector<RowGroup> groups;
  for (const Piece& piece : pieces)
    if (groups.empty() || !groups.back().join(*piece.rows, piece.stretch))
      groups.emplace_back(*piece.rows, piece.stretch);
  return groups;
}

}  // namespace tasfg
