#include "tasfg/sweep/interruption.hpp"

#include <atomic>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace tasfg {
namespace {

struct Name {
  int signal;
  const char* text;
};
constexpr Name kInterruptions[] = {
    {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}, {SIGXCPU, "SIGXCPU"}, {SIGHUP, "SIGHUP"}};

std::atomic<int> signals_seen{0};
std::atomic<int> last_signal{0};
std::atomic<const char*> announcement{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

void on_signal(int signal) {
  last_signal = signal;
  if (const char* line = announcement; ++signals_seen == 1 && line != nullptr)
    (void)!::write(STDERR_FILENO, line, std::strlen(line));
}

}  // namespace

void catch_interruptions() {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const Name& each : kInterruptions) {
    struct sigaction before {};
    sigaction(each.signal, nullptr, &before);
    if (each.signal == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(each.signal, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
}

void announce_interruptions(const char* line) {
  announcement = line;
}

int interruptions() {
  return signals_seen;
}

bool time_is_short() {
  return last_signal == SIGUSR1 || last_signal == SIGXCPU;
}

const char* interruption_name() {
  for (const Name& each : kInterruptions)
    if (each.signal == last_signal) return each.text;
  return "a signal";
}

}  // namespace tasfg
