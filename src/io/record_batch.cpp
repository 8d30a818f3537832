#include "tasfg/io/record_batch.hpp"

#include <algorithm>
#include <cstring>

#include "result_table.hpp"
#include "row_packing.hpp"

#include "tasfg/base/contract.hpp"

namespace tasfg {

void BatchBytes::append(const BatchBytes& other) {
  if (columns.empty()) columns.resize(other.columns.size());
  TASFG_EXPECT(other.empty() || columns.size() == other.columns.size());
  cells.insert(cells.end(), other.cells.begin(), other.cells.end());
  seeds.insert(seeds.end(), other.seeds.begin(), other.seeds.end());
  for (std::size_t i = 0; i < other.columns.size(); ++i)
    columns[i].insert(columns[i].end(), other.columns[i].begin(), other.columns[i].end());
}

void BatchBytes::clear() {
  cells.clear();
  seeds.clear();
  for (auto& column : columns) column.clear();
}

template <typename Record>
RecordFormat<Record>::RecordFormat(const RecordShape& shape)
    : columns_(columns_of(table<Record>(), Extents(shape), shape)), checksum_(position(&Record::checksum)) {}
template <typename Record>
RecordFormat<Record>::~RecordFormat() = default;
template <typename Record>
RecordFormat<Record>::RecordFormat(const RecordFormat&) = default;
template <typename Record>
RecordFormat<Record>& RecordFormat<Record>::operator=(const RecordFormat&) = default;

template <typename Record>
std::span<const Column> RecordFormat<Record>::columns() const {
  return columns_;
}

template <typename Record>
void RecordFormat<Record>::append(RecordBatch<Record>& batch, RunName name, std::size_t K,
                                  const Record& record) const {
  put_row(table<Record>(), columns_, record, K, batch, name.cell.number(), name.seed);
  const std::size_t row = batch.size() - 1;
  const std::uint32_t sum = checksum(batch, row, K);
  std::memcpy(batch.columns[checksum_].data() + row * sizeof sum, &sum, sizeof sum);
}

template <typename Record>
Record RecordFormat<Record>::record(const RecordBatch<Record>& batch, std::size_t row, std::size_t K) const {
  Record record;
  get_row(table<Record>(), columns_, batch, row, K, record);
  return record;
}

template <typename Record>
PackedRows RecordFormat<Record>::pack(std::span<const RecordBatch<Record>> batches) const {
  std::vector<const BatchBytes*> all;
  for (const BatchBytes& batch : batches) all.push_back(&batch);
  return packed(columns_, all);
}

template <typename Record>
PackedRows RecordFormat<Record>::join(std::span<const PackedRows> packs) const {
  return joined(columns_, packs);
}

template <typename Record>
std::size_t RecordFormat<Record>::bytes_before(std::size_t column) const {
  return bytes_of_record(columns().first(column));
}

template <typename Record>
std::uint32_t RecordFormat<Record>::checksum(const BatchBytes& batch, std::size_t row, std::size_t K) const {
  return row_checksum(columns_, batch, row, K);
}

template <typename Record>
bool RecordFormat<Record>::sound(const RecordBatch<Record>& batch, std::size_t row, std::size_t K) const {
  const TaskStatus status = values(batch, &Record::status)[row];
  if (static_cast<std::uint8_t>(status) >= kTaskStatuses) return false;
  return status == TaskStatus::pending || values(batch, &Record::checksum)[row] == checksum(batch, row, K);
}

template <typename Record>
template <typename T>
std::size_t RecordFormat<Record>::position(T Record::*member) const {
  const Member<Record> wanted = member;
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
    return table<Record>().datasets[column.row].member == wanted;
  });
  TASFG_EXPECT(found != columns_.end());
  return static_cast<std::size_t>(found - columns_.begin());
}

template class RecordFormat<RunRecord>;
template class RecordFormat<CaseSolution>;
#define TASFG_POSITION(T)                                                       \
  template std::size_t RecordFormat<RunRecord>::position(T RunRecord::*) const; \
  template std::size_t RecordFormat<CaseSolution>::position(T CaseSolution::*) const;
TASFG_POSITION(TaskStatus)
TASFG_POSITION(std::int32_t)
TASFG_POSITION(std::uint32_t)
TASFG_POSITION(double)
#undef TASFG_POSITION
template std::size_t RecordFormat<RunRecord>::position(std::int64_t RunRecord::*) const;

}  // namespace tasfg
