#include "tasfg/sweep/rule_watch.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>

#include "tasfg/algo/rules/external.hpp"
#include "tasfg/sweep/progress.hpp"

namespace tasfg {

RuleWatch::RuleWatch(Seconds patience, std::function<void(pthread_t)> give_up)
    : patience_(patience), give_up_(std::move(give_up)) {
  if (!give_up_)
    give_up_ = [patience](pthread_t thread) {
      say(fmt::format("a rule of a library has not returned for {:.0f} s: its process is ended",
                      patience.count()));
      pthread_kill(thread, SIGABRT);
    };
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

RuleWatch::~RuleWatch() = default;

void RuleWatch::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, std::min(patience_ / 4, Seconds(1.0)), [] { return false; });
    const auto now = std::chrono::steady_clock::now();
    for (Watched& each : watched_) {
      const std::int64_t steps = each.steps->load(std::memory_order_relaxed);
      if (steps != each.seen) {
        each.seen = steps;
        each.since = now;
      } else if (now - each.since > patience_) {
        each.since = now;
        give_up_(each.thread);
      }
    }
  }
}

RuleWatch::Guard::Guard(RuleWatch& watch) : watch_(watch), thread_(pthread_self()) {
  const std::atomic<std::int64_t>& steps = external_steps();
  const std::scoped_lock lock(watch_.mutex_);
  watch_.watched_.push_back({thread_, &steps, steps.load(), std::chrono::steady_clock::now()});
}
RuleWatch::Guard::~Guard() {
  const std::scoped_lock lock(watch_.mutex_);
  std::erase_if(watch_.watched_,
                [this](const Watched& each) { return pthread_equal(each.thread, thread_) != 0; });
}

RuleWatch::Seconds RuleWatch::usual_patience() {
  constexpr double kMinute = 60.0;
  const char* text = std::getenv("TASFG_RULE_PATIENCE");
  const double given = text != nullptr ? std::strtod(text, nullptr) : kMinute;
  return Seconds(given > 0.0 ? given : kMinute);
}

}  // namespace tasfg
