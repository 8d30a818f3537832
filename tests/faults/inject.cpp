/// A library to preload (LD_PRELOAD) that lets one call of a process fail, so that tests can see what a
/// program does about it. Calls that change files are counted: write, pwrite, writev, pwritev, fsync,
/// fdatasync, ftruncate, posix_fallocate, rename, link, and open for writing, on paths that begin as
/// FAULT_PATH says. Settings, all from the environment:
///
///   FAULT_PATH  begin of the paths that count, absolute and without symbolic links
///   FAULT_AT    the call to fail, counted from 1 over all threads; 0: none, only count
///   FAULT_KIND  ENOSPC, EIO, EDQUOT; short: a write that takes half; delay: a call that waits first
///   FAULT_LASTS 1: every call from that one on fails, as on a disk that stays full
///   FAULT_MS    milliseconds of a delay (100)
///   FAULT_LOG   file to which "number call path" is appended: for the calls that failed, or for all where
///   none shall
///
/// Only calls through the dynamic linker are seen; HDF5's and this program's all are.
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

enum class Kind { none, error, partial, delay };

struct Settings {
  std::string_view path;
  long at = 0;
  Kind kind = Kind::none;
  int code = 0;
  bool lasts = false;
  long milliseconds = 100;
  const char* log = nullptr;
};

Settings read_settings() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value != nullptr ? value : "");
  };
  const auto number = [&](const char* name, long otherwise) {
    return variable(name).empty() ? otherwise : std::strtol(variable(name).data(), nullptr, 10);
  };
  Settings found;
  found.path = variable("FAULT_PATH");
  found.at = number("FAULT_AT", 0);
  found.lasts = number("FAULT_LASTS", 0) != 0;
  found.milliseconds = number("FAULT_MS", found.milliseconds);
  found.log = std::getenv("FAULT_LOG");
  const std::string_view kind = variable("FAULT_KIND");
  if (kind == "short") found.kind = Kind::partial;
  if (kind == "delay") found.kind = Kind::delay;
  constexpr struct {
    std::string_view name;
    int code;
  } kErrors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EDQUOT", EDQUOT}};
  for (const auto& each : kErrors)
    if (kind == each.name) {
      found.kind = Kind::error;
      found.code = each.code;
    }
  return found;
}

const Settings& settings() {
  static const Settings found = read_settings();
  return found;
}

std::atomic<long> calls{0};

/// The library's function that this one hides.
template <typename Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool concerns(std::string_view path) {
  return !settings().path.empty() && path.starts_with(settings().path);
}

/// What a call on `path` meets. Counts it. A short write of what cannot be halved is none.
Kind meet(const char* call, std::string_view path, std::size_t size = 0) {
  const int before = errno;
  const Settings& set = settings();
  const long number = ++calls;
  Kind kind = set.at > 0 && (number == set.at || (set.lasts && number > set.at)) ? set.kind : Kind::none;
  if (kind == Kind::partial && size < 2) kind = Kind::none;
  if (set.log != nullptr && (set.at == 0 || kind != Kind::none)) {
    char line[PATH_MAX + 64];
    const int length = std::snprintf(line, sizeof line, "%ld %s %.*s\n", number, call,
                                     static_cast<int>(path.size()), path.data());
    // By their numbers: these must not be counted.
    const long log = syscall(SYS_openat, AT_FDCWD, set.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log >= 0) {
      syscall(SYS_write, log, line, length);
      syscall(SYS_close, log);
    }
  }
  if (kind == Kind::delay) {
    const timespec time{set.milliseconds / 1000, set.milliseconds % 1000 * 1'000'000};
    nanosleep(&time, nullptr);
    kind = Kind::none;
  }
  errno = kind == Kind::error ? set.code : before;
  return kind;
}

/// The same for a call on an open file.
Kind meet(const char* call, int descriptor, std::size_t size = 0) {
  char name[64], path[PATH_MAX];
  const int before = errno;
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(name, path, sizeof path);
  errno = before;
  const std::string_view found(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return concerns(found) ? meet(call, found, size) : Kind::none;
}

/// And for a call on a name, which may be relative to the working directory.
Kind meet_name(const char* call, const char* name) {
  char path[2 * PATH_MAX];
  if (name[0] == '/') return concerns(name) ? meet(call, std::string_view(name)) : Kind::none;
  if (getcwd(path, PATH_MAX) == nullptr) return Kind::none;
  const std::size_t folder = std::strlen(path);
  std::snprintf(path + folder, sizeof path - folder, "/%s", name);
  return concerns(path) ? meet(call, std::string_view(path)) : Kind::none;
}

/// Half of what was to be written, in one piece.
iovec first_half(const iovec* parts, int count) {
  for (int i = 0; i < count; ++i)
    if (parts[i].iov_len > 0) return {parts[i].iov_base, (parts[i].iov_len + 1) / 2};
  return {};
}

std::size_t bytes(const iovec* parts, int count) {
  std::size_t sum = 0;
  for (int i = 0; i < count; ++i) sum += parts[i].iov_len;
  return sum;
}

bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
}

}  // namespace

// The functions themselves. Those with 64 in their names are other symbols of the same ones.
extern "C" {

ssize_t write(int descriptor, const void* data, size_t size) {
  static const auto real = next(&write, "write");
  const Kind kind = meet("write", descriptor, size);
  return kind == Kind::error ? -1 : real(descriptor, data, kind == Kind::partial ? size / 2 : size);
}

#define TASFG_PWRITE(name)                                                                                \
  ssize_t name(int descriptor, const void* data, size_t size, off_t offset) {                             \
    static const auto real = next(&name, #name);                                                          \
    const Kind kind = meet("pwrite", descriptor, size);                                                   \
    return kind == Kind::error ? -1                                                                       \
                               : real(descriptor, data, kind == Kind::partial ? size / 2 : size, offset); \
  }
TASFG_PWRITE(pwrite)
TASFG_PWRITE(pwrite64)

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static const auto real = next(&writev, "writev");
  const Kind kind = meet("writev", descriptor, bytes(parts, count));
  const iovec half = first_half(parts, count);
  return kind == Kind::error     ? -1
         : kind == Kind::partial ? real(descriptor, &half, 1)
                                 : real(descriptor, parts, count);
}

#define TASFG_PWRITEV(name)                                                   \
  ssize_t name(int descriptor, const iovec* parts, int count, off_t offset) { \
    static const auto real = next(&name, #name);                              \
    const Kind kind = meet("pwritev", descriptor, bytes(parts, count));       \
    const iovec half = first_half(parts, count);                              \
    return kind == Kind::error     ? -1                                       \
           : kind == Kind::partial ? real(descriptor, &half, 1, offset)       \
                                   : real(descriptor, parts, count, offset);  \
  }
TASFG_PWRITEV(pwritev)
TASFG_PWRITEV(pwritev64)

int fsync(int descriptor) {
  static const auto real = next(&fsync, "fsync");
  return meet("fsync", descriptor) == Kind::error ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  static const auto real = next(&fdatasync, "fdatasync");
  return meet("fdatasync", descriptor) == Kind::error ? -1 : real(descriptor);
}

#define TASFG_FTRUNCATE(name)                                                          \
  int name(int descriptor, off_t size) noexcept {                                      \
    static const auto real = next(&name, #name);                                       \
    return meet("ftruncate", descriptor) == Kind::error ? -1 : real(descriptor, size); \
  }
TASFG_FTRUNCATE(ftruncate)
TASFG_FTRUNCATE(ftruncate64)

#define TASFG_FALLOCATE(name)                                                                     \
  int name(int descriptor, off_t begin, off_t size) {                                             \
    static const auto real = next(&name, #name);                                                  \
    const int before = errno;                                                                     \
    if (meet("posix_fallocate", descriptor) != Kind::error) return real(descriptor, begin, size); \
    errno = before; /* it returns the error, and leaves errno alone */                            \
    return settings().code;                                                                       \
  }
TASFG_FALLOCATE(posix_fallocate)
TASFG_FALLOCATE(posix_fallocate64)

int rename(const char* from, const char* to) noexcept {
  static const auto real = next(&rename, "rename");
  return meet_name("rename", from) == Kind::error ? -1 : real(from, to);
}

int link(const char* from, const char* to) noexcept {
  static const auto real = next(&link, "link");
  return meet_name("link", from) == Kind::error ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static const auto real = next(&linkat, "linkat");
  return meet_name("link", from) == Kind::error ? -1 : real(from_folder, from, to_folder, to, flags);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  static const auto real = next(&renameat2, "renameat2");
  return meet_name("rename", from) == Kind::error ? -1 : real(from_folder, from, to_folder, to, flags);
}

#define TASFG_OPEN(name)                                                                           \
  int name(const char* path, int flags, ...) {                                                     \
    static const auto real = next(&name, #name);                                                   \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;           \
    va_end(rest);                                                                                  \
    return writes(flags) && meet_name("open", path) == Kind::error ? -1 : real(path, flags, mode); \
  }
TASFG_OPEN(open)
TASFG_OPEN(open64)

#define TASFG_OPENAT(name)                                                               \
  int name(int folder, const char* path, int flags, ...) {                               \
    static const auto real = next(&name, #name);                                         \
    va_list rest;                                                                        \
    va_start(rest, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                                        \
    const bool named = folder == AT_FDCWD || path[0] == '/';                             \
    const Kind kind = !writes(flags) ? Kind::none                                        \
                      : named        ? meet_name("openat", path)                         \
                                     : meet("openat", folder);                                  \
    return kind == Kind::error ? -1 : real(folder, path, flags, mode);                   \
  }
TASFG_OPENAT(openat)
TASFG_OPENAT(openat64)

}  // extern "C"
