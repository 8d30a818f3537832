/// What is left of a task that takes its process down (a segmentation fault, an abort): a line in a file
/// beside the result file, written by the signal handler. The next process counts it: a task that crashed
/// three times is marked failed and the rest goes on. A SIGKILL leaves no such line: it says nothing about
/// the task.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tasfg/sweep/chunk.hpp"

namespace tasfg {

/// Installs the handlers. `digest` guards against lines of another grid. Where `restart` is not null, the
/// process starts itself anew with these arguments after a crash (the sweep continues from its file).
void catch_crashes(const std::string& result_path, std::uint64_t digest, char** restart);

/// Marks what the calling thread works on, for the handler. Gives the thread a stack of its own for it.
class TaskMark {
 public:
  explicit TaskMark(const TaskName& task);
  ~TaskMark();
  TaskMark(const TaskMark&) = delete;
  TaskMark& operator=(const TaskMark&) = delete;
};

/// How often each task has crashed its process so far.
using CrashCounts = std::map<TaskName, int>;
[[nodiscard]] CrashCounts read_crashes(const std::string& result_path, std::uint64_t digest);
void forget_crashes(const std::string& result_path);

/// A task that has crashed so often is not run again.
inline constexpr int kMostCrashes = 3;

}  // namespace tasfg
