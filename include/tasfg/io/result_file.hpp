/// The result file (docs/result-file.md): one HDF5 file that is also the checkpoint.
///
/// Every dataset is contiguous and allocated, with its fill values, before the file gets its name (it is made
/// under another one, synchronised, and renamed). From then on no HDF5 metadata changes: results are plain
/// writes into the datasets' bytes, a run's status last. So the file opens in any HDF5 reader at any moment,
/// whatever process dies; and since its space is there, a disk that fills up cannot stop a sweep half-way.
/// The few attributes that change (status, updated, hosts, ranks, threads) have room reserved and are
/// overwritten in place, too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tasfg/io/result_layout.hpp"
#include "tasfg/io/result_rows.hpp"

namespace tasfg {

/// What changes while a sweep runs.
struct LiveState {
  std::string status;   // running, interrupted, complete, failed
  std::string updated;  // ISO 8601
  std::string hosts;    // comma-separated; cut to what fits
  std::int64_t ranks = 0, threads = 0;
};

struct Failure {
  std::int32_t case_index = -1, algorithm = -1;  // algorithm −1: the case's solution
  std::int64_t seed = -1;
  std::string message;
};

enum class Access { read, write };

class ResultFile {
 public:
  struct Impl;  // of the io layer alone
  /// Makes the file, complete but for results, and opens it for writing. Refuses to replace an existing file.
  static ResultFile create(const std::string& path, const ResultLayout& layout, const LiveState& live);
  /// Opens an existing one; an InputError says what is wrong with it.
  static ResultFile open(const std::string& path, Access access);
  /// Makes a file of layout `wanted` with all that `path` holds, and puts it in place of `path`; needs
  /// why_not_extension(held, wanted) to be empty. Runs that lack a δ, or were capped below a larger
  /// max_steps, become pending.
  static ResultFile extend(const std::string& path, const ResultLayout& wanted, const LiveState& live);
  /// Joins files of one grid into `path` (which may be one of them). An InputError names the first cell on
  /// which two files disagree, and then nothing is written.
  static ResultFile merge(const std::string& path, const std::vector<std::string>& inputs);

  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) noexcept;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const ResultLayout& layout() const;
  [[nodiscard]] RowShape shape() const;

  // Reading.
  [[nodiscard]] LiveState live() const;
  [[nodiscard]] std::vector<std::int8_t> case_status() const;
  /// Statuses of one cell's seeds.
  [[nodiscard]] std::vector<std::int8_t> run_status(std::size_t cell) const;
  [[nodiscard]] std::vector<std::int32_t> attempts(std::size_t cell) const;
  [[nodiscard]] CaseResult read_case(std::size_t case_index) const;
  /// Rows of seeds [first, first + count) of one cell.
  [[nodiscard]] std::vector<std::int64_t> read_rows(std::size_t cell, std::int64_t first,
                                                    std::int64_t count) const;
  [[nodiscard]] std::vector<Failure> failures() const;
  /// Turns runs and cases back to pending whose checksum does not fit; returns how many.
  std::size_t drop_torn();

  // Writing.
  /// Writes rows (any order), values before statuses.
  void write_rows(std::span<const std::int64_t> words);
  void write_case(std::size_t case_index, const CaseResult& result);
  void write_attempts(std::size_t cell, std::int64_t first, std::span<const std::int32_t> attempts);
  void add_failure(const Failure& failure);
  /// Forgets failures and makes failed tasks pending again.
  std::size_t retry_failed();
  void write_live(const LiveState& live);
  /// Waits until everything is on the disk.
  void sync();

 private:
  explicit ResultFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Bytes that a file of this layout takes.
[[nodiscard]] std::uint64_t file_size(const ResultLayout& layout);

/// Now, as ISO 8601 in UTC.
[[nodiscard]] std::string iso_time();

}  // namespace tasfg
