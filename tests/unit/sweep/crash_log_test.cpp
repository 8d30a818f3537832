#include "tasfg/sweep/crash_log.hpp"

#include <csignal>
#include <fstream>

#include "sweep/small_study.hpp"
#include <gtest/gtest.h>

namespace tasfg {
namespace {

using CrashLog = SmallStudy;

/// Dies of SIGSEGV in the middle of a task.
[[noreturn]] void crash(const std::string& output, const TaskName& task) {
  catch_crashes(output, 0xABC, nullptr);
  const TaskMark mark(task);
  pthread_kill(pthread_self(), SIGSEGV);
  std::_Exit(0);
}

TEST_F(CrashLog, NamesTheTaskThatCrashed) {
  const TaskName run = RunName{CellId(7), 12}, solution = CaseId(7);
  for (const TaskName& task : {run, solution, run})
    EXPECT_EXIT(crash(path("out.h5"), task), testing::KilledBySignal(SIGSEGV), "a task crashed its process");
  EXPECT_EQ(read_crashes(path("out.h5"), 0xABC), (CrashCounts{{run, 2}, {solution, 1}}));
  EXPECT_TRUE(read_crashes(path("out.h5"), 0xABD).empty()) << "of another grid";
  forget_crashes(path("out.h5"));
  EXPECT_TRUE(read_crashes(path("out.h5"), 0xABC).empty());
}

TEST_F(CrashLog, ASignalThatSomebodySentSaysNothingAboutTheTask) {
  EXPECT_EXIT(
      {
        catch_crashes(path("out.h5"), 0xABC, nullptr);
        const TaskMark mark(CaseId(1));
        ::kill(::getpid(), SIGSEGV);
        for (;;) ::pause();
      },
      testing::KilledBySignal(SIGSEGV), "");
  EXPECT_TRUE(read_crashes(path("out.h5"), 0xABC).empty());
}

}  // namespace
}  // namespace tasfg
