// The way between records and the bytes of their columns.
#include <algorithm>
#include <cstring>

#include "result_table.hpp"
#include "row_packing.hpp"

#include "tasfg/base/contract.hpp"

namespace tasfg {
namespace {

template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<std::vector<T>> {
  using Type = T;
};

template <typename T>
constexpr Stored stored_as() {
  if constexpr (std::is_same_v<T, std::string>) return Stored::text;
  if constexpr (std::is_same_v<T, double>) return Stored::f64;
  if constexpr (std::is_same_v<T, std::int32_t>) return Stored::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Stored::u32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Stored::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Stored::u64;
  static_assert(sizeof(TaskStatus) == 1);
  return Stored::i8;
}

bool is_present(const Traits& traits, const RecordShape& shape) {
  if (shape.minor < traits.since) return false;
  switch (traits.present) {
    case Present::always:
      return true;
    case Present::with_pulls_by_delta:
      return shape.pulls_by_delta;
    case Present::with_checkpoints:
      return shape.checkpoints > 0;
    case Present::with_weights:
      return shape.weighted;
  }
  TASFG_ENSURE(false);
  return false;
}

}  // namespace

std::uint64_t Column::values(const Extents& extents) const {
  std::uint64_t count = 1;
  for (const Dimension dimension : dimensions) count *= extents[dimension];
  return count;
}

void Column::put_fill(unsigned char* to, std::size_t count) const {
  if (type == Stored::text) {
    std::memset(to, 0, count * value_bytes);
    return;
  }
  if (value_bytes == 8) {  // of vertices that are not there: in most rows of most files
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + 8 * i, fill.data(), 8);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * value_bytes, fill.data(), value_bytes);
}

template <typename Record>
std::vector<Column> columns_of(const Table<Record>& table, const Extents& extents, const RecordShape& shape) {
  std::vector<Column> columns;
  for (std::size_t row = 0; row < table.datasets.size(); ++row) {
    const Dataset<Record>& dataset = table.datasets[row];
    if (!is_present(dataset.traits, shape)) continue;
    Column column;
    column.group = table.group;
    column.name = dataset.name;
    column.units = dataset.units;
    column.long_name = dataset.long_name;
    column.traits = dataset.traits;
    column.row = row;
    column.inner = dataset.inner;
    for (const Dimension each : dataset.inner.before.span()) column.before *= extents[each];
    for (const Dimension each : dataset.inner.after.span()) column.after *= extents[each];
    column.dimensions.assign(table.own.begin(),
                             table.own.begin() + static_cast<std::ptrdiff_t>(table.own_count));
    const auto last = column.dimensions.empty() ? column.dimensions.end() : column.dimensions.end() - 1;
    column.dimensions.insert(last, dataset.inner.before.span().begin(), dataset.inner.before.span().end());
    column.dimensions.insert(column.dimensions.end(), dataset.inner.after.span().begin(),
                             dataset.inner.after.span().end());
    std::visit(
        [&]<typename T>(T Record::*) {
          using Value = typename ValueOf<T>::Type;
          column.type = stored_as<Value>();
          if constexpr (std::is_same_v<Value, std::string>) {
            column.value_bytes = std::max<std::size_t>(1, dataset.traits.text_room);
          } else {
            column.value_bytes = sizeof(Value);
            const auto fill = static_cast<Value>(dataset.traits.fill);
            std::memcpy(column.fill.data(), &fill, sizeof fill);
          }
        },
        dataset.member);
    columns.push_back(std::move(column));
  }
  return columns;
}

template <typename Record>
void put_image(const Table<Record>& table, std::span<const Column> columns, const Record& record,
               std::size_t K, unsigned char* to) {
  for (const Column& column : columns) {
    std::visit(
        [&]<typename T>(T Record::*member) {
          const T& value = record.*member;
          if constexpr (std::is_same_v<T, std::string>) {
            const std::size_t size = std::min(value.size(), column.value_bytes);
            std::fill(std::copy_n(value.data(), size, to), to + column.value_bytes, '\0');
          } else if constexpr (std::is_same_v<T, typename ValueOf<T>::Type>) {
            std::memcpy(to, &value, sizeof value);
          } else {
            // Along the vertices the record has K values, the column room for more.
            const std::size_t have = column.by_vertex() ? K : column.after;
            if (value.size() != column.before * have || have > column.after) {
              TASFG_EXPECT(value.empty());
              column.put_fill(to, column.before * column.after);
              return;
            }
            for (std::size_t b = 0; b < column.before; ++b) {
              unsigned char* part = to + b * column.after * column.value_bytes;
              if (have > 0) std::memcpy(part, value.data() + b * have, have * column.value_bytes);
              column.put_fill(part + have * column.value_bytes, column.after - have);
            }
          }
        },
        table.datasets[column.row].member);
    to += column.stride();
  }
}

template <typename Record>
void put_row(const Table<Record>& table, std::span<const Column> columns, const Record& record, std::size_t K,
             BatchBytes& batch, std::int64_t cell, std::int64_t seed) {
  std::vector<unsigned char> image(bytes_of_record(columns));
  put_image(table, columns, record, K, image.data());
  batch.columns.resize(columns.size());
  batch.cells.push_back(cell);
  batch.seeds.push_back(seed);
  auto from = image.begin();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto end = from + static_cast<std::ptrdiff_t>(columns[i].stride());
    batch.columns[i].insert(batch.columns[i].end(), from, end);
    from = end;
  }
}

template <typename Record>
void get_row(const Table<Record>& table, std::span<const Column> columns, const BatchBytes& batch,
             std::size_t row, std::size_t K, Record& record) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const unsigned char* from = batch.columns[i].data() + row * column.stride();
    std::visit(
        [&]<typename T>(T Record::*member) {
          T& value = record.*member;
          if constexpr (std::is_same_v<T, std::string>) {
            const char* text = reinterpret_cast<const char*>(from);
            value.assign(text, strnlen(text, column.value_bytes));
          } else if constexpr (std::is_same_v<T, typename ValueOf<T>::Type>) {
            std::memcpy(&value, from, sizeof value);
          } else {
            const std::size_t have = column.by_vertex() ? std::min(K, column.after) : column.after;
            value.resize(column.before * have);
            for (std::size_t b = 0; b < column.before && have > 0; ++b)
              std::memcpy(value.data() + b * have, from + b * column.after * column.value_bytes,
                          have * column.value_bytes);
          }
        },
        table.datasets[column.row].member);
  }
}

template <typename Record>
void fit_texts(const Table<Record>& table, std::span<Column> columns, std::span<const Record> records) {
  for (Column& column : columns)
    if (const auto* member = std::get_if<std::string Record::*>(&table.datasets[column.row].member);
        member != nullptr && column.traits.text_room == 0)
      for (const Record& record : records)
        column.value_bytes = std::max(column.value_bytes, (record.**member).size());
}

namespace {

/// `at(i)`: where the bytes of column i of the record begin. What lies together is added at once.
template <typename At>
std::uint32_t checksum_of(std::span<const Column> columns, std::size_t K, At at) {
  Checksum sum;
  const unsigned char *begin = nullptr, *end = nullptr;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (!column.traits.summed) continue;
    const std::size_t part = column.after * column.value_bytes;
    const std::size_t bytes =
        (column.by_vertex() ? std::min(K, column.after) : column.after) * column.value_bytes;
    for (std::size_t b = 0; b < column.before; ++b) {
      const unsigned char* const next = at(i) + b * part;
      if (next != end) {
        sum.process_bytes(begin, static_cast<std::size_t>(end - begin));
        begin = next;
      }
      end = next + bytes;
    }
  }
  sum.process_bytes(begin, static_cast<std::size_t>(end - begin));
  return sum.checksum();
}

}  // namespace

std::uint32_t row_checksum(std::span<const Column> columns, const BatchBytes& batch, std::size_t row,
                           std::size_t K) {
  return checksum_of(columns, K,
                     [&](std::size_t i) { return batch.columns[i].data() + row * columns[i].stride(); });
}

std::uint32_t image_checksum(std::span<const Column> columns, const unsigned char* image, std::size_t K) {
  std::size_t column = 0;
  return checksum_of(columns, K, [&](std::size_t i) {
    for (; column < i; ++column) image += columns[column].stride();
    return image;
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define TASFG_RECORD(Record)                                                                           \
  template std::vector<Column> columns_of(const Table<Record>&, const Extents&, const RecordShape&);   \
  template void put_image(const Table<Record>&, std::span<const Column>, const Record&, std::size_t,   \
                          unsigned char*);                                                             \
  template void put_row(const Table<Record>&, std::span<const Column>, const Record&, std::size_t,     \
                        BatchBytes&, std::int64_t, std::int64_t);                                      \
  template void get_row(const Table<Record>&, std::span<const Column>, const BatchBytes&, std::size_t, \
                        std::size_t, Record&);                                                         \
  template void fit_texts(const Table<Record>&, std::span<Column>, std::span<const Record>);
TASFG_RECORD(RunRecord)
TASFG_RECORD(CaseDescription)
TASFG_RECORD(CaseSolution)
TASFG_RECORD(AlgorithmInfo)
TASFG_RECORD(ResultLayout)
TASFG_RECORD(EdgeRow)
TASFG_RECORD(Failure)
TASFG_RECORD(Sitting)
TASFG_RECORD(LiveState)
#undef TASFG_RECORD
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tasfg
