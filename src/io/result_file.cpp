#include "tasfg/io/result_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "draft_file.hpp"
#include "result_impl.hpp"
#include "row_packing.hpp"
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/content_key.hpp"

namespace tasfg {

std::string iso_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// Bytes.

ResultFile::Impl::~Impl() {
  if (descriptor >= 0) ::close(descriptor);
}

void ResultFile::Impl::write_bytes(std::uint64_t offset, const void* bytes, std::size_t size) const {
  iovec place{const_cast<void*>(bytes), size};
  write_bytes(offset, std::span(&place, 1));
}

void ResultFile::Impl::write_bytes(std::uint64_t offset, std::span<iovec> places) const {
  constexpr std::size_t kMost = 1024;  // that one call takes
  while (!places.empty()) {
    if (places.front().iov_len == 0) {
      places = places.subspan(1);
      continue;
    }
    const ssize_t written =
        ::pwritev(descriptor, places.data(), static_cast<int>(std::min(places.size(), kMost)),
                  static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw SystemError(
          path, remark(fmt::format("cannot be written: {}", written == 0 ? "no space" : std::strerror(errno)),
                       "finished runs are safe; run the same command again when this is mended"));
    offset += static_cast<std::uint64_t>(written);
    for (auto left = static_cast<std::size_t>(written); left > 0;) {
      iovec& first = places.front();
      const std::size_t part = std::min(left, first.iov_len);
      first.iov_base = static_cast<char*>(first.iov_base) + part;
      first.iov_len -= part;
      left -= part;
      if (first.iov_len == 0) places = places.subspan(1);
    }
  }
}

void ResultFile::Impl::read_bytes(std::uint64_t offset, void* bytes, std::size_t size) const {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = ::pread(descriptor, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error(path, "cannot be read", errno);
    if (got == 0) throw InputError(path, remark("ends too early", "truncated?"));
    at += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

const Column& StoredTable::named(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
  TASFG_EXPECT(found != columns.end());
  return *found;
}

std::int64_t StoredTable::block() const {
  constexpr std::size_t kMost = 4096, kBytes = std::size_t{16} << 20;
  std::size_t record = 1;
  for (const Column& column : columns) record += column.stride();
  return static_cast<std::int64_t>(std::clamp<std::size_t>(kBytes / record, 1, kMost));
}

// Records.

BatchBytes ResultFile::Impl::read(const StoredTable& table, std::uint64_t cell, std::int64_t first,
                                  std::size_t count) const {
  BatchBytes batch;
  batch.cells.assign(count, static_cast<std::int64_t>(cell));
  for (std::size_t i = 0; i < count; ++i) batch.seeds.push_back(first + static_cast<std::int64_t>(i));
  std::vector<unsigned char> part;
  for (const Column& column : table.columns) {
    std::vector<unsigned char>& bytes = batch.columns.emplace_back(count * column.stride());
    const std::size_t run = column.after * column.value_bytes;  // contiguous values of one record
    for (std::size_t b = 0; b < column.before; ++b) {
      const std::uint64_t place = table.place(column, cell, b, static_cast<std::uint64_t>(first));
      if (column.before == 1) {
        read_bytes(place, bytes.data(), bytes.size());
        break;
      }
      part.resize(count * run);
      read_bytes(place, part.data(), part.size());
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(bytes.data() + i * column.stride() + b * run, part.data() + i * run, run);
    }
  }
  return batch;
}

void ResultFile::Impl::write(const StoredTable& table, std::span<const PackedRows* const> packs,
                             std::string_view last) const {
  std::vector<iovec> places;
  const auto vouches = static_cast<std::size_t>(&table.named(last) - table.columns.data());
  for (const RowGroup& group : groups_of(packs)) {
    const auto cell = group.first().cell.value();
    const auto first = static_cast<std::uint64_t>(group.first().seed);
    TASFG_EXPECT(group.first().seed >= 0 && first + static_cast<std::uint64_t>(group.size()) <= table.along);
    const auto write_column = [&](std::size_t i) {
      const Column& column = table.columns[i];
      const std::size_t run = column.after * column.value_bytes;
      std::size_t before = bytes_of_record(std::span(table.columns).first(i));
      for (std::size_t b = 0; b < column.before; ++b, before += run) {
        group.find(before, run, places);
        write_bytes(table.place(column, cell, b, first), places);
      }
    };
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (i != vouches) write_column(i);
    write_column(vouches);
  }
}

void ResultFile::Impl::write(const StoredTable& table, const BatchBytes& batch, std::string_view last) const {
  const BatchBytes* const one = &batch;
  const PackedRows rows = packed(table.columns, std::span(&one, 1));
  const PackedRows* const all = &rows;
  write(table, std::span(&all, 1), last);
}

RunBatch ResultFile::Impl::read_runs(CellId cell, std::int64_t first, std::int64_t count) const {
  return {read(runs, cell.value(), first, static_cast<std::size_t>(count))};
}

CaseBatch ResultFile::Impl::read_cases(CaseId first, std::size_t count) const {
  return {read(cases, 0, first.number(), count)};
}

void ResultFile::Impl::set_status(const StoredTable& table, RunName name, TaskStatus status) const {
  write_bytes(table.place(table.named("status"), name.cell.value(), 0, static_cast<std::uint64_t>(name.seed)),
              &status, sizeof status);
}

LiveState ResultFile::Impl::read_live() const {
  LiveState state;
  get_row(table<LiveState>(), live_state.columns, read(live_state, 0, 0, 1), 0, 0, state);
  return state;
}

void ResultFile::Impl::write_live(const LiveState& state) const {
  BatchBytes batch;
  put_row(table<LiveState>(), live_state.columns, state, 0, batch, 0, 0);
  write(live_state, batch, "status");
}

std::vector<ResultFile::Impl::FailureEntry> ResultFile::Impl::failure_entries() const {
  std::vector<FailureEntry> found;
  const BatchBytes batch = read(failure_list, 0, 0, kFailures);
  const auto below = [](std::int64_t index, std::size_t count) {
    return index >= -1 && (index < 0 || static_cast<std::size_t>(index) < count);
  };
  for (std::size_t i = 0; i < kFailures; ++i) {
    FailureEntry entry{i, {}, false};
    Failure& failure = entry.failure;
    get_row(table<Failure>(), failure_list.columns, batch, i, 0, failure);
    if (failure.case_index == -1) continue;
    entry.possible = failure.case_index >= 0 && below(failure.case_index, layout.cases.size()) &&
                     below(failure.algorithm, layout.algorithms.size()) &&
                     below(failure.seed, static_cast<std::size_t>(layout.replications));
    found.push_back(std::move(entry));
  }
  return found;
}

std::vector<Failure> ResultFile::Impl::failures() const {
  std::vector<Failure> found;
  for (FailureEntry& entry : failure_entries())
    if (entry.possible) found.push_back(std::move(entry.failure));
  return found;
}

void ResultFile::Impl::add_failure(const Failure& failure) const {
  std::vector<std::int32_t> cases_there(kFailures);
  const Column& column = failure_list.named("case");
  read_bytes(column.offset, cases_there.data(), kFailures * sizeof(std::int32_t));
  const auto free = std::find(cases_there.begin(), cases_there.end(), -1) - cases_there.begin();
  if (free == static_cast<std::ptrdiff_t>(kFailures)) return;
  BatchBytes batch;
  put_row(table<Failure>(), failure_list.columns, failure, 0, batch, 0, free);
  write(failure_list, batch, "case");
}

std::vector<ResultFile::Impl::SittingEntry> ResultFile::Impl::sitting_entries() const {
  std::vector<SittingEntry> found;
  if (sitting_list.columns.empty()) return found;  // a file of format 2.0
  const BatchBytes batch = read(sitting_list, 0, 0, kSittings);
  for (std::size_t i = 0; i < kSittings; ++i) {
    SittingEntry& entry = found.emplace_back();
    get_row(table<Sitting>(), sitting_list.columns, batch, i, 0, entry.sitting);
    if (entry.sitting.started.empty()) {
      found.pop_back();
      break;
    }
    entry.sound = entry.sitting.checksum == row_checksum(sitting_list.columns, batch, i, 0);
  }
  return found;
}

std::int32_t ResultFile::Impl::number_of(const Sitting& wanted) const {
  TASFG_EXPECT(!sitting_list.columns.empty());
  BatchBytes batch;
  put_row(table<Sitting>(), sitting_list.columns, wanted, 0, batch, 0, 0);
  Sitting fitted;  // as the file would give it back: long texts are cut
  get_row(table<Sitting>(), sitting_list.columns, batch, 0, 0, fitted);
  fitted.checksum = row_checksum(sitting_list.columns, batch, 0, 0);
  const std::vector<SittingEntry> there = sitting_entries();
  const auto last_where = [&](const auto& alike) {
    const auto last = std::find_if(there.rbegin(), there.rend(), [&](const SittingEntry& entry) {
      return entry.sound && alike(entry.sitting);
    });
    return static_cast<std::int32_t>(there.rend() - last) - 1;
  };
  if (const std::int32_t same = last_where([&](const Sitting& each) { return each == fitted; }); same >= 0)
    return same;
  if (there.size() == kSittings)
    return last_where([&](const Sitting& each) { return each.same_program(fitted); });
  BatchBytes row;
  put_row(table<Sitting>(), sitting_list.columns, fitted, 0, row, 0, static_cast<std::int64_t>(there.size()));
  write(sitting_list, row, "started");
  return static_cast<std::int32_t>(there.size());
}

std::vector<std::int32_t> ResultFile::Impl::take_sittings(const Impl& from) const {
  std::vector<std::int32_t> numbers;
  for (const SittingEntry& each : from.sitting_entries())
    numbers.push_back(each.sound ? number_of(each.sitting) : -1);
  return numbers;
}

FeedbackGraph ResultFile::Impl::graph(CaseId case_id) const {
  const CaseDescription& description = layout.cases[case_id.value()];
  std::int64_t first = 0;
  for (std::size_t c = 0; c < case_id.value(); ++c) first += layout.cases[c].edges;
  const BatchBytes batch = read(edges, 0, first, static_cast<std::size_t>(description.edges));
  const auto damaged = [&] {
    return InputError(path, remark(fmt::format("the edges of case {} ({}) do not fit its key",
                                               case_id.value(), quotable(description.label)),
                                   "damaged?"));
  };
  std::vector<DirectedEdge> listed;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EdgeRow edge;
    get_row(table<EdgeRow>(), edges.columns, batch, i, 0, edge);
    if (edge.case_index != case_id.number() || edge.from < 0 || edge.from >= description.K || edge.to < 0 ||
        edge.to >= description.K)
      throw damaged();
    listed.push_back({edge.from, edge.to, edge.probability});
  }
  const std::string origin = fmt::format("{}:/edges[{}]", path, case_id.value());
  FeedbackGraph graph(description.K, std::move(listed), origin);
  const Instance instance(graph, description.means,
                          reward_of(description.reward, description.reward_parameters, origin), origin);
  if (content_key(instance).value != description.key) throw damaged();
  return graph;
}

// Files.

Complaint newer_format(std::int64_t minor, std::string_view does) {
  return remark(fmt::format("has format version {}.{}, this program {} {}.{}", kFormatVersion, minor, does,
                            kFormatVersion, kFormatMinor),
                "use a newer tasfg");
}

std::string ResultFile::Impl::why_not_at_path() const {
  struct stat opened {
  }, there{};
  if (::stat(path.c_str(), &there) != 0) return "was removed";
  if (::fstat(descriptor, &opened) != 0 || opened.st_dev != there.st_dev || opened.st_ino != there.st_ino)
    return "was replaced by another file";
  return static_cast<std::uint64_t>(there.st_size) < length ? "was cut short" : "";
}

std::unique_ptr<ResultFile::Impl> open_file(const std::string& path, Access access) {
  auto impl = std::make_unique<ResultFile::Impl>();
  impl->path = path;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw io_error(path, "cannot be opened", errno);
  if (!S_ISREG(info.st_mode)) throw InputError(path, remark("is not a regular file"));
  impl->descriptor = ::open(path.c_str(), (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (impl->descriptor < 0)
    throw io_error(path, access == Access::write ? "cannot be written" : "cannot be read", errno);
  if (::fstat(impl->descriptor, &info) != 0) throw io_error(path, "cannot be opened", errno);
  impl->length = static_cast<std::uint64_t>(info.st_size);
  read_structure(*impl);
  impl->precision = parse_precision(impl->layout.precision, path);
  if (const std::string why = impl->why_not_at_path(); !why.empty())
    throw SystemError(path, remark(fmt::format("{} while it was opened", why)));
  if (access == Access::write && impl->layout.format_minor > kFormatMinor)
    throw InputError(path, newer_format(impl->layout.format_minor, "writes"));
  return impl;
}

ResultFile::ResultFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile& ResultFile::operator=(ResultFile&&) noexcept = default;

ResultFile ResultFile::create(const std::string& path, const ResultLayout& layout, const GraphOf& graph_of,
                              const LiveState& live, const WriterLock& lock) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) throw InputError(path, remark("exists already"));
  DraftFile draft(path, lock);
  write_empty_file(draft.path(), path, layout, graph_of);
  open_file(draft.path(), Access::write)->write_live(live);
  draft.publish(-1);
  return open(path, Access::write);
}

ResultFile ResultFile::open(const std::string& path, Access access) {
  return ResultFile(open_file(path, access));
}

const std::string& ResultFile::path() const {
  return impl_->path;
}
const ResultLayout& ResultFile::layout() const {
  return impl_->layout;
}
const Precision& ResultFile::precision() const {
  return impl_->precision;
}
const RunFormat& ResultFile::run_format() const {
  return impl_->run_format;
}
const CaseFormat& ResultFile::case_format() const {
  return impl_->case_format;
}
LiveState ResultFile::live() const {
  return impl_->read_live();
}
std::string ResultFile::why_not_at_path() const {
  return impl_->why_not_at_path();
}

namespace {

template <typename T>
std::vector<T> values_of(const ResultFile::Impl& file, const StoredTable& table, const Column& column,
                         CellId cell) {
  std::vector<T> values(table.along);
  file.read_bytes(table.place(column, cell.value(), 0, 0), values.data(), values.size() * sizeof(T));
  if constexpr (std::is_same_v<T, TaskStatus>)
    for (T& each : values)
      if (static_cast<std::uint8_t>(each) >= kTaskStatuses) each = TaskStatus::pending;
  return values;
}

}  // namespace

std::vector<TaskStatus> ResultFile::Impl::statuses(CellId cell) const {
  return values_of<TaskStatus>(*this, runs, runs.named("status"), cell);
}

template <typename T>
std::vector<T> ResultFile::run_values(T RunRecord::*member, CellId cell) const {
  return values_of<T>(*impl_, impl_->runs, impl_->runs.columns[impl_->run_format.position(member)], cell);
}
template <typename T>
std::vector<T> ResultFile::case_values(T CaseSolution::*member) const {
  return values_of<T>(*impl_, impl_->cases, impl_->cases.columns[impl_->case_format.position(member)],
                      CellId());
}
template std::vector<TaskStatus> ResultFile::run_values(TaskStatus RunRecord::*, CellId) const;
template std::vector<std::int32_t> ResultFile::run_values(std::int32_t RunRecord::*, CellId) const;
template std::vector<std::int64_t> ResultFile::run_values(std::int64_t RunRecord::*, CellId) const;
template std::vector<double> ResultFile::run_values(double RunRecord::*, CellId) const;
template std::vector<TaskStatus> ResultFile::case_values(TaskStatus CaseSolution::*) const;
template std::vector<double> ResultFile::case_values(double CaseSolution::*) const;

CaseSolution ResultFile::read_case(CaseId case_id) const {
  return impl_->case_format.record(impl_->read_cases(case_id, 1), 0, layout().K(case_id));
}
RunBatch ResultFile::read_runs(CellId cell, std::int64_t first, std::int64_t count) const {
  return impl_->read_runs(cell, first, count);
}
RunRecord ResultFile::read_run(RunName name) const {
  return impl_->run_format.record(read_runs(name.cell, name.seed, 1), 0,
                                  layout().K(layout().grid().case_of(name.cell)));
}
std::vector<Failure> ResultFile::failures() const {
  return impl_->failures();
}
std::vector<Sitting> ResultFile::sittings() const {
  std::vector<Sitting> found;
  for (Impl::SittingEntry& each : impl_->sitting_entries())
    found.push_back(each.sound ? std::move(each.sitting) : Sitting{});
  return found;
}
FeedbackGraph ResultFile::graph(CaseId case_id) const {
  return impl_->graph(case_id);
}

std::size_t ResultFile::drop_torn() {
  std::size_t torn = 0;
  const auto check = [&](const auto& format, const StoredTable& table, const auto& batch, const auto& K_of) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (format.sound(batch, i, K_of(batch.name(i)))) continue;
      impl_->set_status(table, batch.name(i), TaskStatus::pending);
      ++torn;
    }
  };
  const CellGrid grid = layout().grid();
  const auto cases = static_cast<std::int64_t>(grid.cases);
  for (std::int64_t first = 0, block = impl_->cases.block(); first < cases; first += block)
    check(impl_->case_format, impl_->cases,
          impl_->read_cases(CaseId(first), static_cast<std::size_t>(std::min(block, cases - first))),
          [&](RunName name) { return layout().K(CaseId(name.seed)); });
  const std::int64_t block = impl_->runs.block();
  for (CellId cell; cell.value() < grid.cells(); ++cell)
    for (std::int64_t first = 0; first < layout().replications; first += block)
      check(impl_->run_format, impl_->runs,
            impl_->read_runs(cell, first, std::min(block, layout().replications - first)),
            [&](RunName name) { return layout().K(grid.case_of(name.cell)); });
  return torn;
}

void ResultFile::begin_sitting(Sitting sitting) {
  impl_->sitting = std::move(sitting);
  impl_->number.reset();
}

/// Has the records name the sitting that is on.
template <typename Record>
void ResultFile::Impl::sign(const RecordFormat<Record>& format, auto& rows) {
  if (!sitting || rows.empty() || sitting_list.columns.empty()) return;
  const std::scoped_lock lock(signing);
  if (!number) number = number_of(*sitting);
  std::ranges::fill(format.values(rows, &Record::sitting), *number);
}

void ResultFile::write_runs(std::span<PackedRows> packs) {
  std::vector<const PackedRows*> all;
  for (PackedRows& rows : packs) {
    impl_->sign(impl_->run_format, rows);
    all.push_back(&rows);
  }
  impl_->write(impl_->runs, all, "status");
}
void ResultFile::write_runs(std::span<const RunBatch> batches) {
  PackedRows rows = impl_->run_format.pack(batches);
  write_runs(std::span(&rows, 1));
}
void ResultFile::write_cases(CaseBatch& batch) {
  impl_->sign(impl_->case_format, batch);
  impl_->write_cases(batch);
}
void ResultFile::write_attempts(CellId cell, std::int64_t first, std::span<const std::int32_t> attempts) {
  const Column& column = impl_->runs.columns[impl_->run_format.position(&RunRecord::attempts)];
  impl_->write_bytes(impl_->runs.place(column, cell.value(), 0, static_cast<std::uint64_t>(first)),
                     attempts.data(), attempts.size_bytes());
}
void ResultFile::add_failure(const Failure& failure) {
  impl_->add_failure(failure);
}

std::size_t ResultFile::retry_failed() {
  std::size_t count = 0;
  const std::int32_t zero = 0;
  const std::vector<TaskStatus> cases = case_values(&CaseSolution::status);
  for (CaseId c; c.value() < cases.size(); ++c) {
    if (cases[c.value()] != TaskStatus::failed) continue;
    impl_->set_status(impl_->cases, name_of(c), TaskStatus::pending);
    ++count;
  }
  for (CellId cell; cell.value() < layout().cells(); ++cell) {
    const std::vector<TaskStatus> statuses = run_values(&RunRecord::status, cell);
    for (std::size_t s = 0; s < statuses.size(); ++s) {
      if (statuses[s] != TaskStatus::failed) continue;
      const auto seed = static_cast<std::int64_t>(s);
      write_attempts(cell, seed, std::span(&zero, 1));
      impl_->set_status(impl_->runs, {cell, seed}, TaskStatus::pending);
      ++count;
    }
  }
  const std::vector<std::int32_t> none(kFailures, -1);
  impl_->write_bytes(impl_->failure_list.named("case").offset, none.data(), kFailures * sizeof(std::int32_t));
  return count;
}

void ResultFile::write_live(const LiveState& live) {
  impl_->write_live(live);
}
void ResultFile::sync() {
  if (::fdatasync(impl_->descriptor) != 0 && errno != EINVAL && errno != ENOSYS)
    throw io_error(impl_->path, "cannot be written to the disk", errno);
}

}  // namespace tasfg
