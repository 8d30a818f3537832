#include "tasfg/io/writer_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "draft_file.hpp"
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"

namespace tasfg {
namespace {

using namespace std::chrono_literals;

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
/// Empty where it is gone.
std::string started(long pid) {
  if (!process_runs(pid)) return {};
  const std::string stat = first_line(fmt::format("/proc/{}/stat", pid));
  std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string word;
  constexpr int kField = 20;  // the 22nd of all, as proc(5) counts
  for (int i = 0; i < kField && rest >> word; ++i) {
  }
  return rest ? word : std::string();
}

/// A lock file that is open; nothing where there is none. Whatever else stands in its place (a link, a
/// folder, a pipe, a file of somebody who lets nobody read it) is an error: waiting would not change it.
class LockFile {
 public:
  LockFile(const std::string& path, int flags) {
    descriptor_ = ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor_ < 0 && errno != ENOENT) throw unreadable(path, errno);
    struct stat info {};
    if (descriptor_ < 0) return;
    const bool known = ::fstat(descriptor_, &info) == 0;
    if (known && S_ISREG(info.st_mode)) return;
    const int why = known ? EINVAL : errno;
    ::close(descriptor_);
    throw unreadable(path, why);
  }
  ~LockFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  [[nodiscard]] bool there() const { return descriptor_ >= 0; }
  [[nodiscard]] std::string text() const {
    char bytes[4096];
    const ssize_t size = there() ? ::pread(descriptor_, bytes, sizeof bytes, 0) : 0;
    return {bytes, static_cast<std::size_t>(std::max<ssize_t>(0, size))};
  }
  /// The text is as long as the one that is there.
  void replace(const std::string& text) const { (void)::pwrite(descriptor_, text.data(), text.size(), 0); }

 private:
  static SystemError unreadable(const std::string& path, int why) {
    struct stat info {};
    const bool other = ::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
    constexpr const char* kMend = "remove it where no sweep writes the result file";
    if (other) return {path, remark("is no lock file of tasfg", kMend)};
    SystemError error = io_error(path, "cannot be read", why);
    return {path, remark(error.complaint().found, kMend)};
  }

  int descriptor_ = -1;
};

/// Fields are separated by tabs; the counter comes last.
struct Owner {
  std::string machine, process, start, host, since, count;

  explicit Owner(const std::string& text) {
    std::istringstream in(text.substr(0, text.find('\n')));
    for (std::string* field : {&machine, &process, &start, &host, &since, &count})
      std::getline(in, *field, '\t');
  }
  [[nodiscard]] long pid() const { return std::strtol(process.c_str(), nullptr, 10); }
  [[nodiscard]] bool here() const { return machine == tasfg::machine(); }
  [[nodiscard]] bool runs() const { return !start.empty() && started(pid()) == start; }
  [[nodiscard]] std::string text() const {
    return fmt::format("host {}, process {}, since {}", quotable(host), quotable(process), quotable(since));
  }
};

std::string lock_path(const std::string& file) {
  return file + ".lock";
}

/// False where there is a lock already.
bool make_lock(const std::string& path, const std::string& text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0 && errno == EEXIST) return false;
  if (descriptor < 0) throw io_error(path, "cannot be made", errno);
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  int why = written < 0 ? errno : ENOSPC;
  const bool complete = written == static_cast<ssize_t>(text.size());
  const bool closed = ::close(descriptor) == 0;
  if (complete && closed) return true;
  if (complete) why = errno;
  ::unlink(path.c_str());
  throw io_error(path, "cannot be made", why);
}

/// The lock's text; nothing where there is none. A lock that has just been made gets its text in a moment.
std::optional<std::string> read_lock(const std::string& path) {
  constexpr int kLooks = 20;
  for (int look = 0;; ++look) {
    const LockFile lock(path, O_RDONLY);
    if (!lock.there()) return {};
    if (std::string text = lock.text(); text.ends_with('\n') || look == kLooks) return text;
    std::this_thread::sleep_for(50ms);
  }
}

BusyError held(const std::string& file, const Owner& owner) {
  return {file, remark(fmt::format("is being written by another sweep ({}); wait for it, or stop it",
                                   owner.text()))};
}

/// Waits until the lock has stood still for so long that its owner must be gone.
void watch(const std::string& file, const std::string& text, bool (*stopped)()) {
  for (auto waited = 0s; waited < WriterLock::kPatience; waited += 1s) {
    std::this_thread::sleep_for(1s);
    if (stopped != nullptr && stopped())
      throw BusyError(file,
                      remark("told to stop while its writer was watched", "run the same command again"));
    const std::optional<std::string> now = read_lock(lock_path(file));
    if (!now) return;
    if (*now != text) throw held(file, Owner(*now));
  }
}

/// Takes the lock away from an owner that is gone. Of several that come to that conclusion each may find the
/// lock of another who was quicker, and gives it back.
void take_away(const std::string& path, const std::string& text) {
  const std::string aside = draft_of(path, ::getpid());
  if (::rename(path.c_str(), aside.c_str()) != 0) return;
  if (LockFile(aside, O_RDONLY).text() != text) (void)::link(aside.c_str(), path.c_str());
  ::unlink(aside.c_str());
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

WriterLock::WriterLock(const std::string& path, void (*announce)(const std::string& text), bool (*stopped)())
    : file_(behind_links(path)), path_(lock_path(file_)), stopped_(stopped) {
  owner_ =
      fmt::format("{}\t{}\t{}\t{}\t{}", machine(), ::getpid(), started(::getpid()), host_name(), iso_time());
  discard_dead_drafts(path_);
  acquire(announce);
  // Signals are for the other threads.
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  beating_ = std::thread([this] { keep_beating(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WriterLock::~WriterLock() {
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  beating_.join();
  if (owned()) ::unlink(path_.c_str());
}

void WriterLock::acquire(void (*announce)(const std::string& text)) {
  constexpr int kTries = 1000;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (make_lock(path_, line())) return;
    const std::optional<std::string> text = read_lock(path_);
    if (!text) {  // released meanwhile
      std::this_thread::sleep_for(1ms);
      continue;
    }
    const Owner owner(*text);
    if (owner.here()) {
      // This very process holds it where it started itself anew.
      if (owner.runs() && owner.pid() != ::getpid()) throw held(file_, owner);
    } else {
      if (announce != nullptr)
        announce(fmt::format("{}: watching for {} s whether its writer still lives ({})", path_,
                             kPatience.count(), owner.text()));
      watch(file_, *text, stopped_);
    }
    take_away(path_, *text);
    if (owner.pid() > 0) discard_draft(file_, owner.pid());  // should it come back, it has nothing to publish
  }
  throw BusyError(file_, remark("others lock it again and again", "run the same command again"));
}

bool WriterLock::owned() const {
  for (int look = 0; look < 2 && !lost_; ++look) {
    if (look > 0) std::this_thread::sleep_for(50ms);  // take_away may be giving it back
    try {
      if (LockFile(path_, O_RDONLY).text().starts_with(owner_)) return true;
    } catch (const SystemError&) {  // what cannot be read is not ours
    }
  }
  lost_ = true;
  return false;
}

void WriterLock::expect_owned() const {
  if (stopped_ != nullptr && stopped_())
    throw BusyError(file_, remark("was left as it was, since the program was told to stop",
                                  "run the same command again to go on"));
  if (!owned())
    throw BusyError(file_, remark("another process has taken its lock", "it was left to that process"));
}

void WriterLock::beat() {
  try {
    const LockFile lock(path_, O_RDWR);
    if (!lock.text().starts_with(owner_)) return;
    ++count_;
    lock.replace(line());         // into the file that was looked at, should another lock stand there by now
  } catch (const SystemError&) {  // NOLINT(bugprone-empty-catch): `owned` tells
  }
}

void WriterLock::keep_beating() {
  (void)pthread_setname_np(pthread_self(), kThreadName);
  std::unique_lock guard(mutex_);
  while (!ending_.wait_for(guard, kBeat, [this] { return ends_; })) beat();
}

std::string WriterLock::line() const {
  return fmt::format("{}\t{:012}\n", owner_, count_);
}

std::string writer_of(const std::string& path) {
  const std::string lock = lock_path(behind_links(path));
  std::string who = "an unknown process whose lock cannot be read";
  try {
    const LockFile file(lock, O_RDONLY);
    if (!file.there()) return {};
    const Owner owner(file.text());
    if (owner.here()) return owner.runs() ? owner.text() : std::string();
    who = owner.text();
  } catch (const SystemError&) {  // NOLINT(bugprone-empty-catch): named as unknown
  }
  struct stat info {};
  if (::lstat(lock.c_str(), &info) != 0) return {};
  const auto age = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(info.st_mtime);
  // A time in the future, as of a clock that was wrong, says nothing.
  return std::chrono::abs(age) < WriterLock::kPatience ? who : std::string();
}

}  // namespace tasfg
