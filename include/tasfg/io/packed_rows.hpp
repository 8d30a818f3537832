/// Rows on their way to the file, as it will hold them: neighbours together, and of each value the bytes of
/// all rows one after the other. Workers lay them out, so that whoever writes them copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tasfg/sim/task.hpp"

namespace tasfg {

/// Rows that are neighbours in the file.
struct Stretch {
  std::int64_t cell = 0, first = 0, count = 0;
  std::int64_t row = 0;  // where the first of them stands

  [[nodiscard]] RunName begin() const { return {CellId(cell), first}; }
  /// The name that a next row would have.
  [[nodiscard]] RunName end() const { return {CellId(cell), first + count}; }
};

struct PackedRows {
  std::vector<Stretch> stretches;  // by name; of rows with the same name, the one that came last comes last
  std::int64_t room = 0;  // rows that there is place for: a multiple of 8, so that values are aligned
  std::string bytes;      // values from `begin` on; what stands before them is not part of the rows
  std::size_t begin = 0;

  /// Takes place for so many rows.
  void make_room(std::int64_t rows, std::size_t bytes_of_row) {
    constexpr std::int64_t kAligned = 8;
    room = (rows + kAligned - 1) / kAligned * kAligned;
    bytes.resize(begin + static_cast<std::size_t>(room) * bytes_of_row);
  }
  /// Not those that a stretch has left out since.
  [[nodiscard]] std::int64_t size() const {
    std::int64_t rows = 0;
    for (const Stretch& each : stretches) rows += each.count;
    return rows;
  }
  [[nodiscard]] bool empty() const { return stretches.empty(); }
  /// A value of the first row; `before` is the number of bytes of a row that come before it.
  [[nodiscard]] const unsigned char* at(std::size_t before) const {
    return reinterpret_cast<const unsigned char*>(bytes.data()) + begin +
           static_cast<std::size_t>(room) * before;
  }
  [[nodiscard]] unsigned char* at(std::size_t before) {
    return const_cast<unsigned char*>(std::as_const(*this).at(before));
  }
  /// The values, without what stands before them.
  [[nodiscard]] std::string_view values() const { return std::string_view(bytes).substr(begin); }
};

}  // namespace tasfg
