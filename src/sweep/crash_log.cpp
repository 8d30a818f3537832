#include "tasfg/sweep/crash_log.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tasfg {
namespace {

constexpr std::array kCrashSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kStack = 64 * 1024;
constexpr int kMostRestarts = 50;

// Read by a signal handler: plain storage, filled before the handler is installed.
char log_path[4096] = "";
char log_tail[32] = "";
char** restart_arguments = nullptr;
// What the thread works on: a cell and a seed, or a case and kSolution.
constexpr std::int64_t kSolution = -1;
thread_local volatile std::int64_t current_cell_or_case = 0;
thread_local volatile std::int64_t current_seed = kSolution;
thread_local volatile bool at_work = false;

std::string path_of(const std::string& result_path) {
  return result_path + ".crashes";
}

/// Appends a number; snprintf is not safe in a handler.
std::size_t put(char* to, std::int64_t value) {
  std::size_t n = 0;
  if (value < 0) {
    to[n++] = '-';
    value = -value;
  }
  char digits[24];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (count > 0) to[n++] = digits[--count];
  return n;
}

void on_crash(int signal, siginfo_t* info, void*) {
  // A signal that somebody sent to the process says nothing about the task that it happens to interrupt,
  // unless it was sent to this very thread.
  const bool sent = info->si_code == SI_USER || info->si_code == SI_QUEUE;
  if (at_work && !sent) {
    char line[128];
    std::size_t n = put(line, current_cell_or_case);
    line[n++] = ' ';
    n += put(line + n, current_seed);
    line[n++] = ' ';
    n += put(line + n, signal);
    line[n++] = ' ';
    for (const char* c = log_tail; *c != '\0'; ++c) line[n++] = *c;
    const int file = ::open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
      (void)!::write(file, line, n);
      ::close(file);
    }
    constexpr char kText[] = "tasfg: a task crashed its process; it is noted beside the result file\n";
    (void)!::write(STDERR_FILENO, kText, sizeof kText - 1);
    if (restart_arguments != nullptr) {
      // The new process must not inherit the blocked signal.
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, nullptr);
      ::execv("/proc/self/exe", restart_arguments);
    }
  }
  // The default action, with its core dump.
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  ::raise(signal);
}

/// The stack on which this thread's handler runs: a stack that overflowed has no room for it.
class HandlerStack {
 public:
  HandlerStack() : memory_(new char[kStack]) {
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = kStack;
    sigaltstack(&stack, nullptr);
  }
  ~HandlerStack() {
    stack_t stack{};
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace

void catch_crashes(const std::string& result_path, std::uint64_t digest, char** restart) {
  const std::string path = path_of(result_path);
  if (path.size() >= sizeof log_path) return;
  std::memcpy(log_path, path.c_str(), path.size() + 1);
  const std::string tail = fmt::format("{:016x}\n", digest);
  std::memcpy(log_tail, tail.c_str(), tail.size() + 1);
  // A machine on which everything crashes is not helped by starting again for ever.
  const char* before = std::getenv("TASFG_RESTARTS");
  const long restarts = before != nullptr ? std::strtol(before, nullptr, 10) : 0;
  if (restart != nullptr && restarts < kMostRestarts) {
    setenv("TASFG_RESTARTS", std::to_string(restarts + 1).c_str(), 1);
    restart_arguments = restart;
  }
  struct sigaction action {};
  action.sa_sigaction = &on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : kCrashSignals) sigaction(signal, &action, nullptr);
}

TaskMark::TaskMark(const TaskName& task) {
  thread_local const HandlerStack stack;
  const auto* run = std::get_if<RunName>(&task);
  current_cell_or_case = run != nullptr ? run->cell.number() : std::get<CaseId>(task).number();
  current_seed = run != nullptr ? run->seed : kSolution;
  at_work = true;
}

TaskMark::~TaskMark() {
  at_work = false;
}

CrashCounts read_crashes(const std::string& result_path, std::uint64_t digest) {
  CrashCounts crashes;
  std::ifstream file(path_of(result_path));
  const std::string wanted = fmt::format("{:016x}", digest);
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::int64_t cell_or_case = 0, seed = 0;
    int signal = 0;
    std::string of;
    if (in >> cell_or_case >> seed >> signal >> of && of == wanted)
      ++crashes[seed == kSolution ? TaskName(CaseId(cell_or_case))
                                  : TaskName(RunName{CellId(cell_or_case), seed})];
  }
  return crashes;
}

void forget_crashes(const std::string& result_path) {
  ::unlink(path_of(result_path).c_str());
}

}  // namespace tasfg
