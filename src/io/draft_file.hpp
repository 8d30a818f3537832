/// Files that are made under another name first. Private to the io layer.
#pragma once

#include <string>

#include <sys/stat.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/writer_lock.hpp"

namespace tasfg {

/// "PATH: what: the system's word for `code`".
[[nodiscard]] SystemError io_error(const std::string& path, const std::string& what, int code);

/// The folder of a path, as the system calls want it.
[[nodiscard]] std::string folder_of(const std::string& path);

/// The file that a path leads to through symbolic links, whether it is there or not. A link stays one: what
/// is locked, made and replaced is the file behind it.
[[nodiscard]] std::string behind_links(const std::string& path);

/// "PATH.new-PID": what the process makes under another name before it becomes PATH.
[[nodiscard]] std::string draft_of(const std::string& path, long process);
/// Removes the draft of one process; nothing but a regular file.
void discard_draft(const std::string& path, long process);
/// Removes drafts that processes left which are gone. Whatever else has a similar name is somebody's file.
void discard_dead_drafts(const std::string& path);

/// Whether the process runs: it is there, and not dead and waiting for its parent to take notice.
[[nodiscard]] bool process_runs(long process);

/// A new file beside `path` that takes its place when `publish` is called, and vanishes otherwise.
///
/// Only the owner of the lock publishes. One that was stopped for so long that another process has taken its
/// lock may still believe to be the owner; but who takes a lock removes the draft of the former owner, and
/// without a draft the rename fails.
class DraftFile {
 public:
  DraftFile(const std::string& path, const WriterLock& lock);
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;
  [[nodiscard]] const std::string& path() const { return draft_; }
  /// Everything on the disk, then the new name, then the folder on the disk. `replaced` is the descriptor of
  /// the file that must still be at `path`; −1: none may be there.
  void publish(int replaced);

 private:
  void take_new_name();
  void take_name_of(int replaced);

  const WriterLock& lock_;
  std::string path_, draft_;
};

}  // namespace tasfg
