/// Records that are being collected: column by column, each one contiguous buffer with the bytes of its
/// records. So adding a record is a copy of memory. Laid out as the file has them they are PackedRows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tasfg/io/packed_rows.hpp"
#include "tasfg/sim/case_record.hpp"
#include "tasfg/sim/run_record.hpp"
#include "tasfg/sim/task.hpp"

namespace tasfg {

/// What decides which datasets there are, and how large a record is in them.
struct RecordShape {
  std::size_t deltas = 0, checkpoints = 0;
  std::size_t vertices = 0;  // the largest K
  bool pulls_by_delta = false;
  bool weighted = false;
  std::int64_t minor = 0;  // of the file's format
  bool operator==(const RecordShape&) const = default;
};

/// The rows of one batch, whatever they are records of: run (cell, seed), or case (0, case).
struct BatchBytes {
  std::vector<std::int64_t> cells, seeds;
  std::vector<std::vector<unsigned char>> columns;  // in the order of RecordFormat::columns

  [[nodiscard]] std::size_t size() const { return seeds.size(); }
  [[nodiscard]] bool empty() const { return seeds.empty(); }
  [[nodiscard]] RunName name(std::size_t row) const { return {CellId(cells[row]), seeds[row]}; }
  /// Adds the rows of another batch of the same format.
  void append(const BatchBytes& other);
  /// Forgets the rows and keeps the memory.
  void clear();

  /// For Boost.Serialization; who uses it includes boost/serialization/vector.hpp.
  template <typename Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& cells& seeds& columns;
  }
};

template <typename Record>
struct RecordBatch : BatchBytes {};
using RunBatch = RecordBatch<RunRecord>;
using CaseBatch = RecordBatch<CaseSolution>;

/// One dataset as records of a given shape have it.
struct Column;

/// The columns of a batch, and the way between them and records.
template <typename Record>
class RecordFormat {
 public:
  explicit RecordFormat(const RecordShape& shape);
  ~RecordFormat();
  RecordFormat(const RecordFormat&);
  RecordFormat& operator=(const RecordFormat&);

  [[nodiscard]] std::span<const Column> columns() const;

  /// Adds a record of a case with K vertices, and its checksum. Values that it lacks are missing ones.
  void append(RecordBatch<Record>& batch, RunName name, std::size_t K, const Record& record) const;
  [[nodiscard]] Record record(const RecordBatch<Record>& batch, std::size_t row, std::size_t K) const;
  /// All records of the batches, as the file will have them.
  [[nodiscard]] PackedRows pack(std::span<const RecordBatch<Record>> batches) const;
  /// All rows of these packs in one.
  [[nodiscard]] PackedRows join(std::span<const PackedRows> packs) const;
  /// One value of every row.
  template <typename T>
  [[nodiscard]] std::span<T> values(RecordBatch<Record>& batch, T Record::*member) const {
    std::vector<unsigned char>& bytes = batch.columns[position(member)];
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  [[nodiscard]] std::span<const T> values(const RecordBatch<Record>& batch, T Record::*member) const {
    const std::vector<unsigned char>& bytes = batch.columns[position(member)];
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// The same of packed rows; those that a stretch has left out are among them.
  template <typename T>
  [[nodiscard]] std::span<T> values(PackedRows& rows, T Record::*member) const {
    return {reinterpret_cast<T*>(rows.at(bytes_before(position(member)))),
            static_cast<std::size_t>(rows.room)};
  }
  template <typename T>
  [[nodiscard]] std::span<const T> values(const PackedRows& rows, T Record::*member) const {
    return {reinterpret_cast<const T*>(rows.at(bytes_before(position(member)))),
            static_cast<std::size_t>(rows.room)};
  }
  /// CRC-32 of a row, as the table says. Values of vertices past K have no part in it, so that a file with
  /// room for more of them has the same.
  [[nodiscard]] std::uint32_t checksum(const BatchBytes& batch, std::size_t row, std::size_t K) const;
  /// Whether the checksum of a row fits it; a pending row makes no claim. A status that is none fits nothing.
  [[nodiscard]] bool sound(const RecordBatch<Record>& batch, std::size_t row, std::size_t K) const;
  /// Where a member's dataset stands in columns(), which it must.
  template <typename T>
  [[nodiscard]] std::size_t position(T Record::*member) const;

 private:
  /// Of a record, in packed rows.
  [[nodiscard]] std::size_t bytes_before(std::size_t column) const;

  std::vector<Column> columns_;
  std::size_t checksum_;  // where it stands in columns()
};
using RunFormat = RecordFormat<RunRecord>;
using CaseFormat = RecordFormat<CaseSolution>;

}  // namespace tasfg
