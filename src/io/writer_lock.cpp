#include "tasfg/io/writer_lock.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"

namespace tasfg {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The kernel instance and process namespace in which a process number means something.
std::string machine() {
  char link[64] = "";
  const ssize_t size = ::readlink("/proc/self/ns/pid", link, sizeof link - 1);
  return fmt::format("{}-{}", first_line("/proc/sys/kernel/random/boot_id"),
                     size > 0 ? std::string_view(link, static_cast<std::size_t>(size)) : "");
}

/// When process `pid` started, in clock ticks since boot: with the number, this names one process for good.
/// Empty where it is gone, or dead and only waits for its parent to take notice.
std::string started(long pid) {
  const std::string stat = first_line(fmt::format("/proc/{}/stat", pid));
  const auto after_name = stat.rfind(')');
  if (after_name == std::string::npos) return {};
  std::istringstream rest(stat.substr(after_name + 1));
  std::string state, word;
  rest >> state;
  if (state == "Z" || state == "X") return {};
  constexpr int kField = 19;  // the 22nd of all, as proc(5) counts
  for (int i = 0; i < kField && rest >> word; ++i) {
  }
  return rest ? word : std::string();
}

struct Owner {
  std::string machine, process, start, host, since, count;
  [[nodiscard]] bool here() const { return machine == tasfg::machine(); }
  [[nodiscard]] bool runs() const {
    return !start.empty() && started(std::strtol(process.c_str(), nullptr, 10)) == start;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("host {}, process {}, since {}", host, process, since);
  }
};

/// Fields are separated by tabs; the counter comes last.
bool read_owner(const std::string& path, Owner& owner) {
  std::ifstream file(path);
  if (!file) return false;
  std::string line;
  std::getline(file, line);
  std::istringstream in(line);
  for (std::string* field :
       {&owner.machine, &owner.process, &owner.start, &owner.host, &owner.since, &owner.count})
    std::getline(in, *field, '\t');
  return true;
}

std::string lock_path(const std::string& path) {
  return path + ".lock";
}

/// Makes the lock file with its text in it, in one step; false where there is one already.
bool make_lock(const std::string& path, const std::string& text) {
  const std::string draft = fmt::format("{}.{}", path, ::getpid());
  const auto fail = [&](int why) {
    ::unlink(draft.c_str());
    return InputError(fmt::format("{}: cannot be made: {}", path, std::strerror(why)));
  };
  const int descriptor = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) throw fail(errno);
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  const int why = errno;
  if (::close(descriptor) != 0 || written != static_cast<ssize_t>(text.size()))
    throw fail(written < 0 ? why : ENOSPC);
  const bool linked = ::link(draft.c_str(), path.c_str()) == 0;
  if (!linked && errno != EEXIST) {
    // No hard links here: an empty file made exclusively, then filled by the rename.
    const int marker = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (marker < 0 && errno == EEXIST) {
      ::unlink(draft.c_str());
      return false;
    }
    if (marker < 0) throw fail(errno);
    ::close(marker);
    if (::rename(draft.c_str(), path.c_str()) != 0) throw fail(errno);
    return true;
  }
  ::unlink(draft.c_str());
  return linked;
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

WriterLock::WriterLock(const std::string& path, void (*announce)(const std::string& text))
    : path_(lock_path(path)) {
  owner_ =
      fmt::format("{}\t{}\t{}\t{}\t{}", machine(), ::getpid(), started(::getpid()), host_name(), iso_time());
  for (int attempt = 0;; ++attempt) {
    if (make_lock(path_, line())) return;
    Owner owner;
    if (!read_owner(path_, owner)) continue;  // released meanwhile
    const auto held = [&] {
      return BusyError(path, bad_state(fmt::format("is being written by another sweep ({})", owner.text()),
                                       "wait for it, or stop it"));
    };
    if (owner.here()) {
      // This very process holds it where it started itself anew.
      if (owner.runs() && owner.process != std::to_string(::getpid())) throw held();
    } else {
      if (announce != nullptr)
        announce(fmt::format("{}: watching for {} s whether its writer still lives ({})", path_,
                             kPatience.count(), owner.text()));
      for (auto waited = std::chrono::seconds(0); waited < kPatience; waited += std::chrono::seconds(1)) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        Owner now;
        if (!read_owner(path_, now)) break;
        if (now.count != owner.count || now.process != owner.process) throw held();
      }
    }
    // Nobody lives there. Of several that come to this conclusion one renames the file, and one makes the
    // next; should two come out of it as owners, the first beat of the slower shows it.
    const std::string aside = fmt::format("{}.{}-{}", path_, ::getpid(), attempt);
    if (::rename(path_.c_str(), aside.c_str()) == 0) ::unlink(aside.c_str());
  }
}

WriterLock::~WriterLock() {
  Owner now;
  if (read_owner(path_, now) && now.here() && now.process == std::to_string(::getpid()))
    ::unlink(path_.c_str());
}

bool WriterLock::beat() {
  Owner now;
  if (!read_owner(path_, now) || !now.here() || now.process != std::to_string(::getpid())) return false;
  ++count_;
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const std::string text = line();
  const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);  // the bytes are there already
  ::close(descriptor);
  return written == static_cast<ssize_t>(text.size());
}

std::string WriterLock::line() const {
  return fmt::format("{}\t{:012}\n", owner_, count_);
}

std::string writer_of(const std::string& path) {
  Owner owner;
  struct stat info {};
  if (::stat(lock_path(path).c_str(), &info) != 0 || !read_owner(lock_path(path), owner)) return {};
  if (owner.here()) return owner.runs() ? owner.text() : std::string();
  const auto age = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(info.st_mtime);
  return age < WriterLock::kPatience ? owner.text() : std::string();
}

}  // namespace tasfg
