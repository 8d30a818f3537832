/// The parts of ResultFile that its source files share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "result_table.hpp"
#include <sys/uio.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"

namespace tasfg {

/// The datasets of one kind of record in a file, with their places in it.
struct StoredTable {
  std::vector<Column> columns;
  std::uint64_t along = 1;  // records along the last of their own dimensions

  [[nodiscard]] const Column& named(std::string_view name) const;
  /// How many records to hold in memory at a time.
  [[nodiscard]] std::int64_t block() const;
  /// Where value (cell, b, record, 0) of a column begins; b counts its values before the records.
  [[nodiscard]] std::uint64_t place(const Column& column, std::uint64_t cell, std::uint64_t b,
                                    std::uint64_t record) const {
    return column.offset + ((cell * column.before + b) * along + record) * column.after * column.value_bytes;
  }
};

struct ResultFile::Impl {
  std::string path;
  ResultLayout layout;
  Precision precision;  // of the layout
  int descriptor = -1;
  std::uint64_t length = 0;  // bytes, when it was opened
  StoredTable runs, cases, failure_list, live_state, edges, sitting_list;
  std::optional<Sitting> sitting;      // that results written from now on belong to
  std::mutex signing;                  // runs and solutions may be written by several threads
  std::optional<std::int32_t> number;  // of it, once something is written
  RunFormat run_format{RecordShape{}};
  CaseFormat case_format{RecordShape{}};

  Impl() = default;
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void write_bytes(std::uint64_t offset, const void* bytes, std::size_t size) const;
  /// One after the other; changes the list.
  void write_bytes(std::uint64_t offset, std::span<iovec> places) const;
  void read_bytes(std::uint64_t offset, void* bytes, std::size_t size) const;

  /// Records [first, first + count) of a cell.
  [[nodiscard]] BatchBytes read(const StoredTable& table, std::uint64_t cell, std::int64_t first,
                                std::size_t count) const;
  /// Writes rows, neighbours together, and column `last` after all others: it vouches for them.
  void write(const StoredTable& table, std::span<const PackedRows* const> packs, std::string_view last) const;
  void write(const StoredTable& table, const BatchBytes& batch, std::string_view last) const;

  [[nodiscard]] RunBatch read_runs(CellId cell, std::int64_t first, std::int64_t count) const;
  [[nodiscard]] CaseBatch read_cases(CaseId first, std::size_t count) const;
  void write_runs(const RunBatch& batch) const { write(runs, batch, "status"); }
  void write_cases(const CaseBatch& batch) const { write(cases, batch, "status"); }
  void set_status(const StoredTable& table, RunName name, TaskStatus status) const;
  [[nodiscard]] LiveState read_live() const;
  void write_live(const LiveState& state) const;
  struct FailureEntry {
    std::size_t place;
    Failure failure;
    bool possible;  // its case, algorithm and seed are there
  };
  [[nodiscard]] std::vector<FailureEntry> failure_entries() const;
  [[nodiscard]] std::vector<Failure> failures() const;  // the possible ones
  void add_failure(const Failure& failure) const;
  struct SittingEntry {
    Sitting sitting;
    bool sound;  // fits its checksum
  };
  [[nodiscard]] std::vector<SittingEntry> sitting_entries() const;
  /// The number of a sitting, which is noted where it is not yet; −1 where there is no room.
  [[nodiscard]] std::int32_t number_of(const Sitting& wanted) const;
  template <typename Record>
  void sign(const RecordFormat<Record>& format, auto& rows);
  /// For each sitting of another file, its number in this one.
  [[nodiscard]] std::vector<std::int32_t> take_sittings(const Impl& from) const;
  [[nodiscard]] FeedbackGraph graph(CaseId case_id) const;
  [[nodiscard]] std::string why_not_at_path() const;
  [[nodiscard]] std::vector<TaskStatus> statuses(CellId cell) const;
  [[nodiscard]] std::vector<Decision> decisions(CaseId case_id, std::span<const std::int64_t> skip) const;
  Settlement settle(CaseId case_id, std::span<const std::int64_t> skip) const;
};

/// Writes the empty file under `path` itself (the caller renames it). Throws a SystemError that names
/// `shown`.
void write_empty_file(const std::string& path, const std::string& shown, const ResultLayout& layout,
                      const GraphOf& graph_of);

/// Opens `path` for reading and writing, or for reading.
[[nodiscard]] std::unique_ptr<ResultFile::Impl> open_file(const std::string& path, Access access);

/// Reads what the HDF5 library must tell: the layout, and where the datasets have their bytes. All of it is
/// checked; `file` is open already.
void read_structure(ResultFile::Impl& file);

/// Tells in words where a dataset that never changes is not what the layout says, or does not fit its
/// checksum.
void check_constants(const ResultFile::Impl& file, const std::function<void(std::string)>& tell);

/// What is wrong with a file that a newer tasfg made, for one that `does` something ("writes").
[[nodiscard]] Complaint newer_format(std::int64_t minor, std::string_view does);

}  // namespace tasfg
