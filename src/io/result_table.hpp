/// The datasets of a result file: the only list of them. Creation, reading, writing, what travels between
/// ranks, checksums, growing, merging, the size of a file and docs/result-file.md (checked by a test) follow
/// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "checksum.hpp"

#include "tasfg/io/record_batch.hpp"
#include "tasfg/io/result_file.hpp"
#include "tasfg/io/result_layout.hpp"

namespace tasfg {

inline constexpr std::int64_t kFormatVersion = 2;

inline constexpr std::size_t kFailures = 64;  // kept with their messages; the rest are counted only
inline constexpr std::size_t kSittings = 64;  // kept apart; later ones share

enum class Dimension { case_, algorithm, delta, checkpoint, seed, vertex, edge, entry, sitting };
[[nodiscard]] std::string_view to_string(Dimension dimension);

/// How many values there are along each dimension.
class Extents {
 public:
  Extents() = default;
  explicit Extents(const ResultLayout& layout);
  explicit Extents(const RecordShape& shape);
  [[nodiscard]] std::size_t operator[](Dimension dimension) const {
    return of_[static_cast<std::size_t>(dimension)];
  }
  std::size_t& operator[](Dimension dimension) { return of_[static_cast<std::size_t>(dimension)]; }

 private:
  std::array<std::size_t, 9> of_{};
};

/// One edge of one case.
struct EdgeRow {
  std::int32_t case_index = 0, from = 0, to = 0;
  double probability = 0.0;
};

/// Where a value stands in its record. The type stored follows from the member's.
template <typename Record>
using Member =
    std::variant<TaskStatus Record::*, std::int32_t Record::*, std::uint32_t Record::*,
                 std::int64_t Record::*, std::uint64_t Record::*, double Record::*, std::string Record::*,
                 std::vector<std::int8_t> Record::*, std::vector<std::int32_t> Record::*,
                 std::vector<std::int64_t> Record::*, std::vector<double> Record::*>;

enum class Stored { i8, i32, u32, i64, u64, f64, text };

/// When a dataset is there.
enum class Present { always, with_pulls_by_delta, with_checkpoints, with_weights };

/// What holds for all values of a dataset, whatever their type.
struct Traits {
  double fill = 0.0;             // of what is not there yet
  bool fill_is_missing = false;  // then it is the dataset's _FillValue, too
  bool summed = false;           // has a part in its record's checksum
  Present present = Present::always;
  std::int64_t since = 0;     // the minor version of the format that brought it
  std::size_t text_room = 0;  // bytes of a text; 0: as many as the longest one needs
};

/// A dimension, or none.
struct Along {
  Dimension dimension{};
  std::size_t count = 0;
  constexpr Along() = default;
  constexpr Along(Dimension one) : dimension(one), count(1) {}
  [[nodiscard]] constexpr std::span<const Dimension> span() const { return {&dimension, count}; }
  [[nodiscard]] constexpr bool is(Dimension one) const { return count == 1 && dimension == one; }
};

/// The dimensions in the file are those of the record, with `before` ahead of the last of them (a run's are
/// case, algorithm, seed; its τ is stored as case, algorithm, delta, seed) and `after` behind.
struct Inner {
  Along before{}, after{};
};

/// One row of a table.
template <typename Record>
struct Dataset {
  std::string_view name;
  Member<Record> member;
  Inner inner;
  Traits traits;
  std::string_view units, long_name;
};

/// The datasets of one kind of record.
template <typename Record>
struct Table {
  std::string_view group;
  std::array<Dimension, 3> own;  // of the record
  std::size_t own_count;
  std::span<const Dataset<Record>> datasets;
};

template <typename Record>
[[nodiscard]] Table<Record> table();
template <>
Table<RunRecord> table();
template <>
Table<CaseDescription> table();
template <>
Table<CaseSolution> table();
template <>
Table<AlgorithmInfo> table();
template <>
Table<EdgeRow> table();
template <>
Table<Failure> table();
template <>
Table<Sitting> table();
template <>
Table<LiveState> table();
/// The layout's own lists (δ, checkpoints), in each group that has their dimension.
[[nodiscard]] std::span<const Table<ResultLayout>> layout_tables();

/// Whether a description stands in /runs, too, as a coordinate of the cases.
[[nodiscard]] bool is_run_coordinate(std::string_view description);

/// One attribute of the root; header_checksum covers them in this order.
struct RootAttribute {
  const char* name;
  std::variant<std::string ResultLayout::*, std::uint64_t ResultLayout::*, std::int64_t ResultLayout::*>
      member;
  std::int64_t since = 0;  // the minor version of the format that brought it
};
[[nodiscard]] std::span<const RootAttribute> root_attributes();

/// A dataset with its sizes: all that moving its bytes needs.
struct Column {
  std::string_view group, name, units, long_name;
  Traits traits;
  std::size_t row = 0;  // of the table
  Stored type = Stored::i8;
  std::size_t value_bytes = 1;
  std::vector<Dimension> dimensions;    // in the file
  Inner inner;                          // of one record
  std::size_t before = 1, after = 1;    // values of one record along them
  std::array<unsigned char, 8> fill{};  // bytes of one missing value; of a text, all are 0
  std::uint64_t offset = 0;             // in the file, where the column is one of a file's

  [[nodiscard]] std::string path() const { return std::string(group) + "/" + std::string(name); }
  [[nodiscard]] std::size_t stride() const { return before * after * value_bytes; }
  [[nodiscard]] bool by_vertex() const { return inner.after.is(Dimension::vertex); }
  /// Values of the whole dataset.
  [[nodiscard]] std::uint64_t values(const Extents& extents) const;
  void put_fill(unsigned char* to, std::size_t count) const;
};

/// The columns that a file of this shape has.
template <typename Record>
[[nodiscard]] std::vector<Column> columns_of(const Table<Record>& table, const Extents& extents,
                                             const RecordShape& shape);

/// The bytes of one record, column after column; values that it lacks are missing ones.
template <typename Record>
void put_image(const Table<Record>& table, std::span<const Column> columns, const Record& record,
               std::size_t K, unsigned char* to);
/// Adds one record to a batch.
template <typename Record>
void put_row(const Table<Record>& table, std::span<const Column> columns, const Record& record, std::size_t K,
             BatchBytes& batch, std::int64_t cell, std::int64_t seed);
template <typename Record>
void get_row(const Table<Record>& table, std::span<const Column> columns, const BatchBytes& batch,
             std::size_t row, std::size_t K, Record& record);
/// Gives columns of texts the bytes that the longest needs.
template <typename Record>
void fit_texts(const Table<Record>& table, std::span<Column> columns, std::span<const Record> records);

[[nodiscard]] std::uint32_t row_checksum(std::span<const Column> columns, const BatchBytes& batch,
                                         std::size_t row, std::size_t K);
/// The same of a record's image.
[[nodiscard]] std::uint32_t image_checksum(std::span<const Column> columns, const unsigned char* image,
                                           std::size_t K);

}  // namespace tasfg
