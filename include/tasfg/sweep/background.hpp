/// Something slow that is done now and then beside the caller's work.
#pragma once

#include <functional>
#include <future>

namespace tasfg {

/// Repeats `action` every `interval` seconds in a thread of its own, once at a time. What it throws is thrown
/// again at the caller, by the next call of `poll` or `finish`.
class Background {
 public:
  Background(std::function<void()> action, double interval)
      : action_(std::move(action)), interval_(interval) {}
  /// Waits for what is under way; its error is lost then, so call `finish` first.
  ~Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Looks whether the last one has ended, and starts the next where it is time to.
  void poll(double now);
  /// Waits for the last one.
  void finish();

 private:
  std::function<void()> action_;
  double interval_, last_ = 0.0;
  std::future<void> under_way_;
};

}  // namespace tasfg
