/// The result file (docs/result-file.md): one HDF5 file that is also the checkpoint.
///
/// Every dataset is contiguous and allocated, with its fill values, before the file gets its name (it is made
/// under another one, synchronised, and renamed). From then on no HDF5 metadata changes: results are plain
/// writes into the datasets' bytes, a run's status last. So the file opens in any HDF5 reader at any moment,
/// whatever process dies; and since its space is there, a disk that fills up cannot stop a sweep half-way.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tasfg/io/record_batch.hpp"
#include "tasfg/io/result_layout.hpp"
#include "tasfg/io/verification.hpp"
#include "tasfg/io/writer_lock.hpp"
#include "tasfg/model/feedback_graph.hpp"
#include "tasfg/sim/precision.hpp"

namespace tasfg {

/// What changes while a sweep runs.
struct LiveState {
  std::string status;   // running, interrupted, complete, failed
  std::string updated;  // ISO 8601
  std::string hosts;    // comma-separated; cut to what fits
  std::int64_t ranks = 0, threads = 0;
  std::int64_t generation = 0;  // counts the writers that the file has had
  std::int64_t busy = 0;        // worker threads that had something to do
};

struct Failure {
  std::int32_t case_index = -1, algorithm = -1;  // algorithm −1: the case's solution
  std::int64_t seed = -1;
  std::string message;
};

/// One sweep that wrote into the file: which program made which runs.
struct Sitting {
  std::string started;  // ISO 8601
  std::string host;     // of its first rank
  std::int64_t ranks = 0;
  std::string code_version, git_commit, build;
  std::uint32_t checksum = 0;  // filled in by the file

  [[nodiscard]] bool same_program(const Sitting& other) const {
    return code_version == other.code_version && git_commit == other.git_commit && build == other.build;
  }
  auto operator<=>(const Sitting&) const = default;
};

enum class Access { read, write };

/// The graph of a case, for a file that is to hold its edges.
using GraphOf = std::function<FeedbackGraph(CaseId)>;

class ResultFile {
 public:
  struct Impl;  // of the io layer alone
  // Files are made and replaced only under their lock; a BusyError where it is lost before the end.

  /// Makes the file, complete but for results, and opens it for writing. Refuses to replace an existing file.
  static ResultFile create(const std::string& path, const ResultLayout& layout, const GraphOf& graph_of,
                           const LiveState& live, const WriterLock& lock);
  /// Opens an existing one; an InputError says what is wrong with it, a SystemError why it cannot be opened.
  static ResultFile open(const std::string& path, Access access);

  /// A file made of others, and how many of their runs and solutions were left out because their checksums do
  /// not fit them.
  struct Copy;
  /// Makes a file of layout `wanted` with all that `path` holds, and puts it in place of `path`; needs
  /// why_not_extension(held, wanted) to be empty. Runs that lack a δ, a checkpoint or a dataset, or were
  /// capped below a larger max_steps, become pending.
  static Copy extend(const std::string& path, const ResultLayout& wanted, const GraphOf& graph_of,
                     const LiveState& live, const WriterLock& lock);
  /// Joins files of one grid into `path`, with what is there already; a shard is made the whole only where it
  /// is one of the inputs, too. An InputError names the first cell on which two files disagree, and then
  /// nothing is written.
  static Copy merge(const std::string& path, const std::vector<std::string>& inputs, const WriterLock& lock);

  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) noexcept;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const ResultLayout& layout() const;
  /// As the layout says; nothing asked for where all replications run.
  [[nodiscard]] const Precision& precision() const;
  [[nodiscard]] const RunFormat& run_format() const;
  [[nodiscard]] const CaseFormat& case_format() const;

  /// Empty where the file that is open is still the one at its path, and as long as it was; else what has
  /// happened: "was removed", say. Then what is written is lost.
  [[nodiscard]] std::string why_not_at_path() const;

  // Reading.
  [[nodiscard]] LiveState live() const;
  /// One value of every seed of a cell: run_values(&RunRecord::steps, cell). A status that is none is
  /// pending.
  template <typename T>
  [[nodiscard]] std::vector<T> run_values(T RunRecord::*member, CellId cell) const;
  /// One value of every case.
  template <typename T>
  [[nodiscard]] std::vector<T> case_values(T CaseSolution::*member) const;
  [[nodiscard]] CaseSolution read_case(CaseId case_id) const;
  /// Seeds [first, first + count) of one cell.
  [[nodiscard]] RunBatch read_runs(CellId cell, std::int64_t first, std::int64_t count) const;
  [[nodiscard]] RunRecord read_run(RunName name) const;
  /// Those whose case, algorithm and seed there are.
  [[nodiscard]] std::vector<Failure> failures() const;
  /// In the order of their numbers, RunRecord::sitting; one that does not fit its checksum is empty.
  [[nodiscard]] std::vector<Sitting> sittings() const;
  [[nodiscard]] FeedbackGraph graph(CaseId case_id) const;
  /// Checks everything that was not checked when the file was opened; lists so many damages at most.
  [[nodiscard]] Verification verify(std::size_t listed) const;
  /// Turns runs and cases back to pending whose checksum does not fit; returns how many.
  std::size_t drop_torn();

  /// What the runs of every algorithm of a case say, where the job stops at precision; `skip` as of
  /// decide().
  [[nodiscard]] std::vector<Decision> decisions(CaseId case_id,
                                                std::span<const std::int64_t> skip = {}) const;

  // Writing.
  /// What was decided about a case, and how many failed runs turned out not to be needed.
  struct Settlement {
    std::vector<Decision> decisions;
    std::int64_t failures_dropped = 0;
  };
  /// Makes the statuses fit the decisions: runs past one are not needed, and nothing is kept of them; where a
  /// cell waits for more, none is called so.
  Settlement settle(CaseId case_id, std::span<const std::int64_t> skip = {});
  /// Results that are written from now on belong to this sitting; it is noted with the first of them. Where
  /// there is no room for another, it shares the last one of the same program, or has none.
  void begin_sitting(Sitting sitting);
  /// Writes rows (any order), neighbours together, values before statuses.
  void write_runs(std::span<PackedRows> packs);
  void write_runs(std::span<const RunBatch> batches);
  void write_runs(const RunBatch& batch) { write_runs(std::span(&batch, 1)); }
  void write_cases(CaseBatch& batch);
  void write_attempts(CellId cell, std::int64_t first, std::span<const std::int32_t> attempts);
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

struct ResultFile::Copy {
  ResultFile file;
  std::size_t torn = 0;
};

/// The name of a case's solution in a batch of cases.
[[nodiscard]] inline RunName name_of(CaseId case_id) {
  return {CellId(0), case_id.number()};
}

/// Bytes that a file of this layout takes.
[[nodiscard]] std::uint64_t file_size(const ResultLayout& layout);

/// Now, as ISO 8601 in UTC.
[[nodiscard]] std::string iso_time();

}  // namespace tasfg
