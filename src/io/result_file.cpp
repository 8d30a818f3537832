#include "tasfg/io/result_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "result_impl.hpp"
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/sim/content_key.hpp"

namespace tasfg {

InputError io_error(const std::string& path, const std::string& what, int code) {
  return InputError(fmt::format("{}: {}: {}", path, what, std::strerror(code)));
}

std::string iso_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// Bytes.

ResultFile::Impl::~Impl() {
  if (descriptor >= 0) ::close(descriptor);
}

void ResultFile::Impl::write_bytes(std::uint64_t offset, const void* bytes, std::size_t size) const {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor, at, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw InputError(
          fmt::format("{}: cannot be written: {} (finished runs are safe; run the same command again when "
                      "this is mended)",
                      path, written == 0 ? "no space" : std::strerror(errno)));
    at += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

void ResultFile::Impl::read_bytes(std::uint64_t offset, void* bytes, std::size_t size) const {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = ::pread(descriptor, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error(path, "cannot be read", errno);
    if (got == 0) throw InputError(fmt::format("{}: ends too early (truncated?)", path));
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

void ResultFile::Impl::write(const StoredTable& table, BatchBytes& batch, std::string_view last) const {
  if (batch.empty()) return;
  TASFG_EXPECT(batch.columns.size() == table.columns.size());
  batch.sort();
  std::vector<unsigned char> part;
  const auto write_column = [&](std::size_t i, std::size_t begin, std::size_t end) {
    const Column& column = table.columns[i];
    const auto cell = static_cast<std::uint64_t>(batch.cells[begin]);
    const auto first = static_cast<std::uint64_t>(batch.seeds[begin]);
    const std::size_t run = column.after * column.value_bytes;
    const unsigned char* from = batch.columns[i].data() + begin * column.stride();
    if (column.before == 1) {
      write_bytes(table.place(column, cell, 0, first), from, (end - begin) * run);
      return;
    }
    part.resize((end - begin) * run);
    for (std::size_t b = 0; b < column.before; ++b) {
      for (std::size_t k = 0; k < end - begin; ++k)
        std::memcpy(part.data() + k * run, from + k * column.stride() + b * run, run);
      write_bytes(table.place(column, cell, b, first), part.data(), part.size());
    }
  };
  const auto vouches = static_cast<std::size_t>(&table.named(last) - table.columns.data());
  for (std::size_t begin = 0, end = 0; begin < batch.size(); begin = end) {
    for (end = begin + 1; end < batch.size() && batch.cells[end] == batch.cells[begin] &&
                          batch.seeds[end] == batch.seeds[end - 1] + 1;)
      ++end;  // neighbours in the file are written together
    TASFG_EXPECT(batch.seeds[begin] >= 0 && static_cast<std::uint64_t>(batch.seeds[end - 1]) < table.along);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (i != vouches) write_column(i, begin, end);
    write_column(vouches, begin, end);
  }
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

std::vector<Failure> ResultFile::Impl::failures() const {
  std::vector<Failure> found;
  const BatchBytes batch = read(failure_list, 0, 0, kFailures);
  for (std::size_t i = 0; i < kFailures; ++i) {
    Failure failure;
    get_row(table<Failure>(), failure_list.columns, batch, i, 0, failure);
    const auto below = [](std::int64_t index, std::size_t count) {
      return index < 0 || static_cast<std::size_t>(index) < count;
    };
    if (failure.case_index >= 0 && below(failure.case_index, layout.cases.size()) &&
        below(failure.algorithm, layout.algorithms.size()) &&
        below(failure.seed, static_cast<std::size_t>(layout.replications)))
      found.push_back(std::move(failure));
  }
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

FeedbackGraph ResultFile::Impl::graph(CaseId case_id) const {
  const CaseDescription& description = layout.cases[case_id.value()];
  std::int64_t first = 0;
  for (std::size_t c = 0; c < case_id.value(); ++c) first += layout.cases[c].edges;
  const BatchBytes batch = read(edges, 0, first, static_cast<std::size_t>(description.edges));
  const auto damaged = [&] {
    return InputError(fmt::format("{}: the edges of case {} ({}) do not fit its key (damaged?)", path,
                                  case_id.value(), quotable(description.label)));
  };
  const auto K = static_cast<std::size_t>(description.K);
  std::vector<double> matrix(K * K, 0.0);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EdgeRow edge;
    get_row(table<EdgeRow>(), edges.columns, batch, i, 0, edge);
    if (edge.case_index != case_id.number() || edge.from < 0 || edge.from >= description.K || edge.to < 0 ||
        edge.to >= description.K)
      throw damaged();
    matrix[static_cast<std::size_t>(edge.from) * K + static_cast<std::size_t>(edge.to)] = edge.probability;
  }
  const std::string origin = fmt::format("{}:/edges[{}]", path, case_id.value());
  FeedbackGraph graph(description.K, std::move(matrix), origin);
  const Instance instance(graph, description.means,
                          reward_of(description.reward, description.reward_parameters, origin), origin);
  if (content_key(instance).value != description.key) throw damaged();
  return graph;
}

// Files.

DraftFile::DraftFile(const std::string& path)
    : path_(path), draft_(fmt::format("{}.new-{}", path, ::getpid())) {
  // Processes that died left theirs; the caller holds the lock, so that none is in use.
  const std::filesystem::path here(path);
  const std::string prefix = here.filename().string() + ".new-";
  std::error_code error;
  const std::filesystem::path folder = here.has_parent_path() ? here.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(prefix)) std::filesystem::remove(entry.path(), error);
}

DraftFile::~DraftFile() {
  if (!published_) ::unlink(draft_.c_str());
}

void DraftFile::publish() {
  const int descriptor = ::open(draft_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) throw io_error(path_, "cannot be made", errno);
  const int synced = ::fsync(descriptor);
  const int why = errno;
  ::close(descriptor);
  if (synced != 0) throw io_error(path_, "cannot be made", why);
  if (::rename(draft_.c_str(), path_.c_str()) != 0) throw io_error(path_, "cannot be made", errno);
  published_ = true;
  const std::string folder =
      path_.find('/') == std::string::npos ? "." : path_.substr(0, path_.rfind('/') + 1);
  if (const int entry = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); entry >= 0) {
    (void)::fsync(entry);  // not every file system can; the rename stands either way
    ::close(entry);
  }
}

std::unique_ptr<ResultFile::Impl> open_file(const std::string& path, Access access) {
  auto impl = std::make_unique<ResultFile::Impl>();
  impl->path = path;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw io_error(path, "cannot be opened", errno);
  if (!S_ISREG(info.st_mode)) throw InputError(fmt::format("{}: is not a regular file", path));
  impl->descriptor = ::open(path.c_str(), (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (impl->descriptor < 0)
    throw io_error(path, access == Access::write ? "cannot be written" : "cannot be read", errno);
  read_structure(*impl);
  if (access == Access::write && impl->layout.format_minor > kFormatMinor)
    throw InputError(
        fmt::format("{}: has format version {}.{}, this program writes {}.{} (use a newer tasfg)", path,
                    kFormatVersion, impl->layout.format_minor, kFormatVersion, kFormatMinor));
  return impl;
}

ResultFile::ResultFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile& ResultFile::operator=(ResultFile&&) noexcept = default;

ResultFile ResultFile::create(const std::string& path, const ResultLayout& layout, const GraphOf& graph_of,
                              const LiveState& live) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) throw InputError(fmt::format("{}: exists already", path));
  DraftFile draft(path);
  write_empty_file(draft.path(), path, layout, graph_of);
  open_file(draft.path(), Access::write)->write_live(live);
  draft.publish();
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
const RunFormat& ResultFile::run_format() const {
  return impl_->run_format;
}
const CaseFormat& ResultFile::case_format() const {
  return impl_->case_format;
}
LiveState ResultFile::live() const {
  return impl_->read_live();
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

void ResultFile::write_runs(RunBatch& batch) {
  impl_->write_runs(batch);
}
void ResultFile::write_cases(CaseBatch& batch) {
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
