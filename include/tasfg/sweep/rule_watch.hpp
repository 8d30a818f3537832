/// Notices a rule of a library that does not return.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace tasfg {

/// Watches threads that run rules which are not the program's. One whose rule makes no step for so long is
/// taken to hang: it gets SIGABRT, as if it had crashed there, so that the task is noted, tried again and,
/// the third time, given up (crash_log.hpp).
class RuleWatch {
 public:
  using Seconds = std::chrono::duration<double>;
  /// `give_up` is called with the thread; by default it sends the signal.
  explicit RuleWatch(Seconds patience, std::function<void(pthread_t)> give_up = {});
  ~RuleWatch();
  RuleWatch(const RuleWatch&) = delete;
  RuleWatch& operator=(const RuleWatch&) = delete;

  /// Watches the calling thread for as long as it lives.
  class Guard {
   public:
    explicit Guard(RuleWatch& watch);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    RuleWatch& watch_;
    pthread_t thread_;
  };

  /// $TASFG_RULE_PATIENCE in seconds, or a minute.
  static Seconds usual_patience();

 private:
  struct Watched {
    pthread_t thread;
    const std::atomic<std::int64_t>* steps;
    std::int64_t seen;
    std::chrono::steady_clock::time_point since;
  };
  void watch(const std::stop_token& stop);

  Seconds patience_;
  std::function<void(pthread_t)> give_up_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<Watched> watched_;
  std::jthread thread_;
};

}  // namespace tasfg
