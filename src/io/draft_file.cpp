#include "draft_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tasfg {

SystemError io_error(const std::string& path, const std::string& what, int code) {
  return {path, remark(fmt::format("{}: {}", what, std::strerror(code)))};
}

std::string folder_of(const std::string& path) {
  return path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/') + 1);
}

std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as the kernel follows
  std::filesystem::path at(path);
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(at, error); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / next;  // where `next` is absolute, it alone
  }
  return at.string();
}

std::string draft_of(const std::string& path, long process) {
  return fmt::format("{}.new-{}", path, process);
}

void discard_draft(const std::string& path, long process) {
  const std::string draft = draft_of(path, process);
  struct stat info {};
  if (::lstat(draft.c_str(), &info) == 0 && S_ISREG(info.st_mode)) ::unlink(draft.c_str());
}

bool process_runs(long process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const auto name = line.rfind(") ");
  return name != std::string::npos && name + 2 < line.size() && line[name + 2] != 'Z' &&
         line[name + 2] != 'X';
}

void discard_dead_drafts(const std::string& path) {
  const std::string prefix = std::filesystem::path(path).filename().string() + ".new-";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(path), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    long process = 0;
    const char* end = name.data() + name.size();
    const auto [stop, bad] = std::from_chars(name.data() + prefix.size(), end, process);
    if (bad != std::errc{} || stop != end || process <= 0 || name != prefix + std::to_string(process))
      continue;
    if (process == ::getpid() || !process_runs(process)) discard_draft(path, process);
  }
}

DraftFile::DraftFile(const std::string& path, const WriterLock& lock)
    : lock_(lock), path_(behind_links(path)), draft_(draft_of(path_, ::getpid())) {
  lock_.expect_owned();
  discard_dead_drafts(path_);
}

DraftFile::~DraftFile() {
  ::unlink(draft_.c_str());  // where it was published, there is none
}

void DraftFile::publish(int replaced) {
  const int descriptor = ::open(draft_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const int opened = errno;
  lock_.expect_owned();  // also what is to blame where the draft is gone
  if (descriptor < 0) throw io_error(path_, "cannot be made", opened);
  const int synced = ::fsync(descriptor);
  const int why = errno;
  ::close(descriptor);
  if (synced != 0) throw io_error(path_, "cannot be made", why);
  lock_.expect_owned();  // bringing it to the disk may have taken long
  if (replaced < 0)
    take_new_name();
  else
    take_name_of(replaced);
  if (const int entry = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); entry >= 0) {
    (void)::fsync(entry);  // not every file system can; the name stands either way
    ::close(entry);
  }
}

/// In ways that replace nothing, as far as the file system knows one.
void DraftFile::take_new_name() {
  const char* from = draft_.c_str();
  const char* to = path_.c_str();
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return;
  int why = errno;
  if (why == EINVAL || why == ENOSYS) {  // NFS, for one
    if (::link(from, to) == 0) return;
    why = errno;
  }
  struct stat info {};
  if ((why == EPERM || why == EOPNOTSUPP) && ::lstat(to, &info) != 0) {  // no hard links either
    if (::rename(from, to) == 0) return;
    why = errno;
  }
  lock_.expect_owned();
  throw io_error(path_, "cannot be made", why);
}

void DraftFile::take_name_of(int replaced) {
  struct stat was {
  }, is{};
  if (::fstat(replaced, &was) != 0 || ::stat(path_.c_str(), &is) != 0 || was.st_dev != is.st_dev ||
      was.st_ino != is.st_ino)
    throw SystemError(path_, remark("was replaced by another file meanwhile", "it was left as it is"));
  if (::rename(draft_.c_str(), path_.c_str()) == 0) return;
  const int why = errno;
  lock_.expect_owned();
  throw io_error(path_, "cannot be made", why);
}

}  // namespace tasfg
