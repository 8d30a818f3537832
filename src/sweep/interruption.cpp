#include "tasfg/sweep/interruption.hpp"

#include <atomic>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace tasfg {
namespace {

std::atomic<int> count{0};
std::atomic<int> last{0};
std::atomic<const char*> announcement{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

void on_signal(int signal) {
  last = signal;
  if (const char* line = announcement; ++count == 1 && line != nullptr)
    (void)!::write(STDERR_FILENO, line, std::strlen(line));
}

}  // namespace

void catch_interruptions() {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;  // a closed terminal or pipe must not end a sweep
  sigaction(SIGPIPE, &action, nullptr);
}

void announce_interruptions(const char* line) {
  announcement = line;
}

int interruptions() {
  return count;
}

bool time_is_short() {
  return last == SIGUSR1;
}

const char* interruption_name() {
  switch (last) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    default:
      return "a signal";
  }
}

}  // namespace tasfg
