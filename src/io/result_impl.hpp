/// The parts of ResultFile that its source files share.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "result_schema.hpp"

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"

namespace tasfg {

/// Where the attributes that change have their bytes.
struct LiveOffsets {
  enum Which : std::size_t { status, updated, hosts, ranks, threads, count };
  std::array<std::int64_t, count> at{};
};
/// Room for each of the texts, its closing zero not counted.
inline constexpr std::array<std::size_t, 3> kLiveRoom{16, 32, 1000};

struct ResultFile::Impl {
  std::string path;
  ResultLayout layout;
  int descriptor = -1;
  std::array<std::uint64_t, kFields> offsets{};
  LiveOffsets live;

  Impl() = default;
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Values [first, first + count) of a field.
  void write(FieldId field, std::uint64_t first, const void* values, std::size_t count) const;
  void read(FieldId field, std::uint64_t first, void* values, std::size_t count) const;
  void write_bytes(std::uint64_t offset, const void* bytes, std::size_t size) const;
  void write_live(const LiveState& state) const;
  [[nodiscard]] LiveState read_live() const;
  void add_failure(const Failure& failure) const;
  [[nodiscard]] std::vector<Failure> failures() const;

  [[nodiscard]] std::vector<std::int64_t> read_rows(std::size_t cell, std::int64_t first,
                                                    std::int64_t count) const;
  void write_rows(std::span<const std::int64_t> words) const;
  [[nodiscard]] CaseResult read_case(std::size_t case_index) const;
  void write_case(std::size_t case_index, const CaseResult& result) const;
  [[nodiscard]] RowShape shape() const { return {layout.delta.size(), layout.vertices()}; }

  /// Offset of (cell, seed), and of (cell, δ, seed), counted in values.
  [[nodiscard]] std::uint64_t run_index(std::uint64_t cell, std::int64_t seed) const {
    return cell * static_cast<std::uint64_t>(layout.replications) + static_cast<std::uint64_t>(seed);
  }
  [[nodiscard]] std::uint64_t stop_index(std::uint64_t cell, std::size_t delta, std::int64_t seed) const {
    return (cell * layout.delta.size() + delta) * static_cast<std::uint64_t>(layout.replications) +
           static_cast<std::uint64_t>(seed);
  }
};

/// Writes the empty file under `path` itself (the caller renames it). Throws InputError, naming `shown`.
void write_empty_file(const std::string& path, const std::string& shown, const ResultLayout& layout);

/// Opens `path` for reading and writing, or for reading.
[[nodiscard]] std::unique_ptr<ResultFile::Impl> open_file(const std::string& path, Access access);

/// Reads what the HDF5 library must tell: layout, offsets.
void read_structure(const std::string& path, ResultLayout& layout,
                    std::array<std::uint64_t, kFields>& offsets, LiveOffsets& live);

/// A new file beside `path` that takes its place when `publish` is called, and vanishes otherwise.
class DraftFile {
 public:
  explicit DraftFile(const std::string& path);
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;
  [[nodiscard]] const std::string& path() const { return draft_; }
  /// Everything on the disk, then the rename, then the folder on the disk.
  void publish();

 private:
  std::string path_, draft_;
  bool published_ = false;
};

[[nodiscard]] InputError io_error(const std::string& path, const std::string& what, int code);

}  // namespace tasfg
