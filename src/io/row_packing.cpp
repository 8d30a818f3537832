#include "row_packing.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

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
  if (bytes == stride) {
    std::memcpy(to, from, rows * bytes);
    return;
  }
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

/// Where one value of neighbouring rows begins, and how far it is from one row to the next.
struct Source {
  const unsigned char* at;
  std::size_t stride;
};

/// Neighbours of a batch, from row `begin` on.
struct BatchSpan {
  const BatchBytes* batch;
  std::size_t begin, count;

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(count); }
  [[nodiscard]] RunName first() const { return batch->name(begin); }
  /// Value b of column i, `before` and `bytes` as in RowGroup::find.
  [[nodiscard]] Source source(const Column& column, std::size_t i, std::size_t b, std::size_t /*before*/,
                              std::size_t bytes) const {
    return {batch->columns[i].data() + begin * column.stride() + b * bytes, column.stride()};
  }
};

std::vector<BatchSpan> spans_of(std::span<const BatchBytes* const> batches) {
  std::vector<BatchSpan> spans;
  for (const BatchBytes* batch : batches)
    for (std::size_t begin = 0, end = 0; begin < batch->size(); begin = end) {
      for (end = begin + 1; end < batch->size() && batch->cells[end] == batch->cells[begin] &&
                            batch->seeds[end] == batch->seeds[end - 1] + 1;)
        ++end;
      spans.push_back({batch, begin, end - begin});
    }
  return spans;
}

/// Neighbours of rows that are packed.
struct PackedSpan {
  const PackedRows* rows;
  Stretch stretch;

  [[nodiscard]] std::int64_t size() const { return stretch.count; }
  [[nodiscard]] RunName first() const { return stretch.begin(); }
  [[nodiscard]] Source source(const Column& /*column*/, std::size_t /*i*/, std::size_t /*b*/,
                              std::size_t before, std::size_t bytes) const {
    return {rows->at(before) + static_cast<std::size_t>(stretch.row) * bytes, bytes};
  }
};

template <typename Span>
PackedRows pack_spans(std::span<const Column> columns, std::vector<Span> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.first() < b.first(); });
  PackedRows rows;
  std::int64_t count = 0;
  for (const Span& each : spans) {
    if (rows.empty() || rows.stretches.back().end() != each.first())
      rows.stretches.push_back({each.first().cell.number(), each.first().seed, 0, count});
    rows.stretches.back().count += each.size();
    count += each.size();
  }
  rows.make_room(count, bytes_of_record(columns));
  std::size_t before = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const std::size_t bytes = column.after * column.value_bytes;  // contiguous ones of one row
    for (std::size_t b = 0; b < column.before; ++b, before += bytes) {
      unsigned char* to = rows.at(before);
      for (const Span& span : spans) {
        const Source from = span.source(column, i, b, before, bytes);
        const auto size = static_cast<std::size_t>(span.size());
        copy_rows(to, from.at, size, from.stride, bytes);
        to += size * bytes;
      }
    }
  }
  return rows;
}

}  // namespace

std::size_t bytes_of_record(std::span<const Column> columns) {
  std::size_t bytes = 0;
  for (const Column& column : columns) bytes += column.stride();
  return bytes;
}

PackedRows packed(std::span<const Column> columns, std::span<const BatchBytes* const> batches) {
  return pack_spans(columns, spans_of(batches));
}

PackedRows joined(std::span<const Column> columns, std::span<const PackedRows> packs) {
  std::vector<PackedSpan> spans;
  for (const PackedRows& rows : packs)
    for (const Stretch& each : rows.stretches) spans.push_back({&rows, each});
  return pack_spans(columns, std::move(spans));
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
