#include "tasfg/io/result_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
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

namespace tasfg {
namespace {

const StoredField& field_of(FieldId id) {
  return fields()[static_cast<std::size_t>(id)];
}

}  // namespace

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

void ResultFile::Impl::write(FieldId id, std::uint64_t first, const void* values, std::size_t count) const {
  const std::size_t bytes = field_of(id).bytes();
  write_bytes(offsets[static_cast<std::size_t>(id)] + first * bytes, values, count * bytes);
}

void ResultFile::Impl::read(FieldId id, std::uint64_t first, void* values, std::size_t count) const {
  const std::size_t bytes = field_of(id).bytes();
  std::uint64_t offset = offsets[static_cast<std::size_t>(id)] + first * bytes;
  char* at = static_cast<char*>(values);
  std::size_t size = count * bytes;
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

void ResultFile::Impl::write_live(const LiveState& state) const {
  const std::string* texts[] = {&state.status, &state.updated, &state.hosts};
  for (std::size_t i = 0; i < 3; ++i) {
    std::string room = texts[i]->substr(0, kLiveRoom[i] - 1);
    room.resize(kLiveRoom[i], '\0');
    write_bytes(static_cast<std::uint64_t>(live.at[i]), room.data(), room.size());
  }
  write_bytes(static_cast<std::uint64_t>(live.at[LiveOffsets::ranks]), &state.ranks, sizeof state.ranks);
  write_bytes(static_cast<std::uint64_t>(live.at[LiveOffsets::threads]), &state.threads,
              sizeof state.threads);
}

LiveState ResultFile::Impl::read_live() const {
  const auto bytes = [&](std::size_t which, void* to, std::size_t size) {
    if (::pread(descriptor, to, size, static_cast<off_t>(live.at[which])) != static_cast<ssize_t>(size))
      throw InputError(fmt::format("{}: cannot be read (truncated?)", path));
  };
  LiveState state;
  std::string* texts[] = {&state.status, &state.updated, &state.hosts};
  for (std::size_t i = 0; i < 3; ++i) {
    std::string room(kLiveRoom[i], '\0');
    bytes(i, room.data(), room.size());
    *texts[i] = room.substr(0, room.find('\0'));
  }
  bytes(LiveOffsets::ranks, &state.ranks, sizeof state.ranks);
  bytes(LiveOffsets::threads, &state.threads, sizeof state.threads);
  return state;
}

// Rows.

std::vector<std::int64_t> ResultFile::Impl::read_rows(std::size_t cell, std::int64_t first,
                                                      std::int64_t count) const {
  const auto n = static_cast<std::size_t>(count);
  const RowShape row_shape = shape();
  std::vector<std::int64_t> words;
  words.reserve(n * row_shape.words());
  for (std::size_t i = 0; i < n; ++i)
    (void)append_row(words, row_shape, static_cast<std::int64_t>(cell), first + static_cast<std::int64_t>(i));
  const auto row = [&](std::size_t i) { return RunRow(words.data() + i * row_shape.words(), row_shape); };
  const std::uint64_t at = run_index(cell, first);
  std::vector<std::int8_t> bytes(n);
  read(FieldId::status, at, bytes.data(), n);
  for (std::size_t i = 0; i < n; ++i) row(i).set_status(static_cast<TaskStatus>(bytes[i]));
  std::vector<std::int32_t> shorts(n);
  read(FieldId::attempts, at, shorts.data(), n);
  for (std::size_t i = 0; i < n; ++i) row(i).attempts() = shorts[i];
  std::vector<std::int64_t> longs(n);
  read(FieldId::steps, at, longs.data(), n);
  for (std::size_t i = 0; i < n; ++i) row(i).steps() = longs[i];
  std::vector<double> doubles(n);
  read(FieldId::seconds, at, doubles.data(), n);
  for (std::size_t i = 0; i < n; ++i) row(i).set_seconds(doubles[i]);
  std::vector<std::int8_t> more(n);
  for (std::size_t d = 0; d < row_shape.deltas; ++d) {
    const std::uint64_t stop = stop_index(cell, d, first);
    read(FieldId::tau, stop, longs.data(), n);
    read(FieldId::recommended, stop, shorts.data(), n);
    read(FieldId::correct, stop, bytes.data(), n);
    read(FieldId::stopped, stop, more.data(), n);
    for (std::size_t i = 0; i < n; ++i)
      row(i).set_verdict(d, {longs[i], shorts[i], static_cast<std::int8_t>(bytes[i] == 1 ? 1 : 0), more[i]});
  }
  longs.resize(n * row_shape.vertices);
  read(FieldId::pulls, at * row_shape.vertices, longs.data(), longs.size());
  for (std::size_t i = 0; i < n; ++i)
    std::copy_n(longs.begin() + static_cast<std::ptrdiff_t>(i * row_shape.vertices), row_shape.vertices,
                row(i).pulls().begin());
  return words;
}

void ResultFile::Impl::write_rows(std::span<const std::int64_t> words) const {
  const RowShape row_shape = shape();
  const std::size_t stride = row_shape.words();
  TASFG_EXPECT(words.size() % stride == 0);
  std::vector<ConstRunRow> rows;
  for (std::size_t at = 0; at < words.size(); at += stride) rows.emplace_back(words.data() + at, row_shape);
  std::stable_sort(rows.begin(), rows.end(), [](ConstRunRow a, ConstRunRow b) {
    return a.cell() != b.cell() ? a.cell() < b.cell() : a.seed() < b.seed();
  });
  std::vector<std::int64_t> longs;
  std::vector<std::int32_t> shorts;
  std::vector<std::int8_t> bytes, more;
  std::vector<double> doubles;
  std::vector<std::uint32_t> sums;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    // Neighbours in the file are written together.
    for (end = begin + 1; end < rows.size() && rows[end].cell() == rows[begin].cell() &&
                          rows[end].seed() == rows[end - 1].seed() + 1;)
      ++end;
    const std::size_t n = end - begin;
    const auto cell = static_cast<std::uint64_t>(rows[begin].cell());
    const std::int64_t first = rows[begin].seed();
    const std::uint64_t at = run_index(cell, first);
    const auto gather = [&](auto& buffer, auto get) {
      buffer.resize(n);
      for (std::size_t i = 0; i < n; ++i) buffer[i] = get(rows[begin + i]);
    };
    for (std::size_t d = 0; d < row_shape.deltas; ++d) {
      const std::uint64_t stop = stop_index(cell, d, first);
      gather(longs, [d](ConstRunRow row) { return row.verdict(d).tau; });
      gather(shorts, [d](ConstRunRow row) { return row.verdict(d).recommended; });
      gather(bytes, [d](ConstRunRow row) { return row.verdict(d).correct; });
      gather(more, [d](ConstRunRow row) { return row.verdict(d).stopped; });
      write(FieldId::tau, stop, longs.data(), n);
      write(FieldId::recommended, stop, shorts.data(), n);
      write(FieldId::correct, stop, bytes.data(), n);
      write(FieldId::stopped, stop, more.data(), n);
    }
    gather(longs, [](ConstRunRow row) { return row.steps(); });
    write(FieldId::steps, at, longs.data(), n);
    gather(doubles, [](ConstRunRow row) { return row.seconds(); });
    write(FieldId::seconds, at, doubles.data(), n);
    gather(shorts, [](ConstRunRow row) { return static_cast<std::int32_t>(row.attempts()); });
    write(FieldId::attempts, at, shorts.data(), n);
    gather(sums, [&](ConstRunRow row) {
      return row.stamp() >= 0 ? static_cast<std::uint32_t>(row.stamp()) : checksum(row, row_shape.deltas);
    });
    write(FieldId::checksum, at, sums.data(), n);
    longs.clear();
    for (std::size_t i = 0; i < n; ++i) {
      const auto pulls = rows[begin + i].pulls();
      longs.insert(longs.end(), pulls.begin(), pulls.end());
    }
    write(FieldId::pulls, at * row_shape.vertices, longs.data(), longs.size());
    gather(bytes, [](ConstRunRow row) { return static_cast<std::int8_t>(row.status()); });
    write(FieldId::status, at, bytes.data(), n);  // last: it vouches for the rest
  }
}

// Cases.

namespace {

struct CaseNumber {
  FieldId id;
  double CaseResult::*member;
};
constexpr CaseNumber kCaseNumbers[] = {
    {FieldId::T_star, &CaseResult::T_star},           {FieldId::T_star_lower, &CaseResult::T_star_lower},
    {FieldId::T_heuristic, &CaseResult::T_heuristic}, {FieldId::T_uniform, &CaseResult::T_uniform},
    {FieldId::m_norm, &CaseResult::m_norm},           {FieldId::tv_heuristic, &CaseResult::tv_heuristic},
    {FieldId::case_seconds, &CaseResult::seconds}};
struct CaseCount {
  FieldId id;
  std::int32_t CaseResult::*member;
};
constexpr CaseCount kCaseCounts[] = {{FieldId::alpha, &CaseResult::alpha},
                                     {FieldId::alpha_upper, &CaseResult::alpha_upper},
                                     {FieldId::weak_domination, &CaseResult::weak_domination},
                                     {FieldId::weak_domination_lower, &CaseResult::weak_domination_lower},
                                     {FieldId::domination, &CaseResult::domination},
                                     {FieldId::self_loops, &CaseResult::self_loops},
                                     {FieldId::face_dimension, &CaseResult::face_dimension},
                                     {FieldId::iterations, &CaseResult::iterations}};
struct CaseVector {
  FieldId id;
  std::vector<double> CaseResult::*member;
};
constexpr CaseVector kCaseVectors[] = {{FieldId::omega, &CaseResult::omega},
                                       {FieldId::omega_heuristic, &CaseResult::omega_heuristic},
                                       {FieldId::m, &CaseResult::m}};

}  // namespace

CaseResult ResultFile::Impl::read_case(std::size_t c) const {
  CaseResult result;
  read(FieldId::case_status, c, &result.status, 1);
  for (const auto& [id, member] : kCaseNumbers) read(id, c, &(result.*member), 1);
  for (const auto& [id, member] : kCaseCounts) read(id, c, &(result.*member), 1);
  const auto K = static_cast<std::size_t>(layout.cases[c].K);
  for (const auto& [id, member] : kCaseVectors) {
    (result.*member).resize(K);
    read(id, c * layout.vertices(), (result.*member).data(), K);
  }
  return result;
}

void ResultFile::Impl::write_case(std::size_t c, const CaseResult& result) const {
  for (const auto& [id, member] : kCaseNumbers) write(id, c, &(result.*member), 1);
  for (const auto& [id, member] : kCaseCounts) write(id, c, &(result.*member), 1);
  for (const auto& [id, member] : kCaseVectors)
    write(id, c * layout.vertices(), (result.*member).data(), (result.*member).size());
  const std::uint32_t sum = result.checksum();
  write(FieldId::case_checksum, c, &sum, 1);
  write(FieldId::case_status, c, &result.status, 1);  // last: it vouches for the rest
}

// Failures.

void ResultFile::Impl::add_failure(const Failure& failure) const {
  std::vector<std::int32_t> cases(kFailures);
  read(FieldId::failure_case, 0, cases.data(), kFailures);
  const auto free = static_cast<std::size_t>(std::find(cases.begin(), cases.end(), -1) - cases.begin());
  if (free == kFailures) return;
  std::string text = failure.message.substr(0, kFailureText - 1);
  text.resize(kFailureText, '\0');
  write(FieldId::failure_message, free, text.data(), 1);
  write(FieldId::failure_algorithm, free, &failure.algorithm, 1);
  write(FieldId::failure_seed, free, &failure.seed, 1);
  write(FieldId::failure_case, free, &failure.case_index, 1);
}

std::vector<Failure> ResultFile::Impl::failures() const {
  std::vector<Failure> found;
  for (std::size_t i = 0; i < kFailures; ++i) {
    Failure failure;
    read(FieldId::failure_case, i, &failure.case_index, 1);
    if (failure.case_index < 0) continue;
    read(FieldId::failure_algorithm, i, &failure.algorithm, 1);
    read(FieldId::failure_seed, i, &failure.seed, 1);
    std::string text(kFailureText, '\0');
    read(FieldId::failure_message, i, text.data(), 1);
    failure.message = text.substr(0, text.find('\0'));
    found.push_back(std::move(failure));
  }
  return found;
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
  read_structure(path, impl->layout, impl->offsets, impl->live);
  impl->descriptor = ::open(path.c_str(), (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (impl->descriptor < 0)
    throw io_error(path, access == Access::write ? "cannot be written" : "cannot be read", errno);
  return impl;
}

ResultFile::ResultFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile& ResultFile::operator=(ResultFile&&) noexcept = default;

ResultFile ResultFile::create(const std::string& path, const ResultLayout& layout, const LiveState& live) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) throw InputError(fmt::format("{}: exists already", path));
  DraftFile draft(path);
  write_empty_file(draft.path(), path, layout);
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
RowShape ResultFile::shape() const {
  return impl_->shape();
}
LiveState ResultFile::live() const {
  return impl_->read_live();
}
std::vector<std::int8_t> ResultFile::case_status() const {
  std::vector<std::int8_t> statuses(layout().cases.size());
  impl_->read(FieldId::case_status, 0, statuses.data(), statuses.size());
  return statuses;
}
std::vector<std::int8_t> ResultFile::run_status(std::size_t cell) const {
  std::vector<std::int8_t> statuses(static_cast<std::size_t>(layout().replications));
  impl_->read(FieldId::status, impl_->run_index(cell, 0), statuses.data(), statuses.size());
  return statuses;
}
std::vector<std::int32_t> ResultFile::attempts(std::size_t cell) const {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(layout().replications));
  impl_->read(FieldId::attempts, impl_->run_index(cell, 0), counts.data(), counts.size());
  return counts;
}
CaseResult ResultFile::read_case(std::size_t case_index) const {
  return impl_->read_case(case_index);
}
std::vector<std::int64_t> ResultFile::read_rows(std::size_t cell, std::int64_t first,
                                                std::int64_t count) const {
  return impl_->read_rows(cell, first, count);
}
std::vector<Failure> ResultFile::failures() const {
  return impl_->failures();
}

std::size_t ResultFile::drop_torn() {
  std::size_t torn = 0;
  const std::int8_t pending = 0;
  for (std::size_t c = 0; c < layout().cases.size(); ++c) {
    const CaseResult result = impl_->read_case(c);
    std::uint32_t sum = 0;
    impl_->read(FieldId::case_checksum, c, &sum, 1);
    if (result.status == TaskStatus::pending || sum == result.checksum()) continue;
    impl_->write(FieldId::case_status, c, &pending, 1);
    ++torn;
  }
  constexpr std::int64_t kBlock = 4096;
  std::vector<std::uint32_t> sums(kBlock);
  for (std::size_t cell = 0; cell < layout().cells(); ++cell) {
    for (std::int64_t first = 0; first < layout().replications; first += kBlock) {
      const std::int64_t n = std::min(kBlock, layout().replications - first);
      const std::vector<std::int64_t> words = impl_->read_rows(cell, first, n);
      impl_->read(FieldId::checksum, impl_->run_index(cell, first), sums.data(), static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) {
        const ConstRunRow row(words.data() + static_cast<std::size_t>(i) * shape().words(), shape());
        if (row.status() == TaskStatus::pending ||
            checksum(row, shape().deltas) == sums[static_cast<std::size_t>(i)])
          continue;
        impl_->write(FieldId::status, impl_->run_index(cell, first + i), &pending, 1);
        ++torn;
      }
    }
  }
  return torn;
}

void ResultFile::write_rows(std::span<const std::int64_t> words) {
  impl_->write_rows(words);
}
void ResultFile::write_case(std::size_t case_index, const CaseResult& result) {
  impl_->write_case(case_index, result);
}
void ResultFile::write_attempts(std::size_t cell, std::int64_t first,
                                std::span<const std::int32_t> attempts) {
  impl_->write(FieldId::attempts, impl_->run_index(cell, first), attempts.data(), attempts.size());
}
void ResultFile::add_failure(const Failure& failure) {
  impl_->add_failure(failure);
}

std::size_t ResultFile::retry_failed() {
  std::size_t count = 0;
  const std::int8_t pending = 0;
  const std::int32_t zero = 0;
  const auto failed = static_cast<std::int8_t>(TaskStatus::failed);
  const std::vector<std::int8_t> cases = case_status();
  for (std::size_t c = 0; c < cases.size(); ++c) {
    if (cases[c] != failed) continue;
    impl_->write(FieldId::case_status, c, &pending, 1);
    ++count;
  }
  for (std::size_t cell = 0; cell < layout().cells(); ++cell) {
    const std::vector<std::int8_t> statuses = run_status(cell);
    for (std::size_t s = 0; s < statuses.size(); ++s) {
      if (statuses[s] != failed) continue;
      const std::uint64_t at = impl_->run_index(cell, static_cast<std::int64_t>(s));
      impl_->write(FieldId::attempts, at, &zero, 1);
      impl_->write(FieldId::status, at, &pending, 1);
      ++count;
    }
  }
  const std::vector<std::int32_t> none(kFailures, -1);
  impl_->write(FieldId::failure_case, 0, none.data(), kFailures);
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
