/// What a sweep tells people while it runs: one live line on a terminal, a line now and then elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tasfg {

struct ProgressState {
  std::int64_t done = 0, total = 0, failed = 0;
  double steps = 0.0;         // draws in this process' lifetime
  double seconds_left = 0.0;  // expected, of one thread
  int busy = 0, threads = 0;
};

class Progress {
 public:
  enum class Mode { automatic, quiet };
  explicit Progress(Mode mode);
  /// Shows the state where it is time to; `now` in seconds since the start.
  void update(double now, const ProgressState& state);
  /// True where `update` would show something.
  [[nodiscard]] bool due(double now) const { return now >= next_; }
  /// A line of its own, above the live line.
  void say(const std::string& text);
  /// Ends the live line.
  void finish();

 private:
  bool quiet_, terminal_, shown_ = false;
  double next_, interval_;
  double last_time_ = 0.0, last_steps_ = 0.0, rate_ = 0.0;
};

/// A line for people on standard error. Where nobody reads it any more, nothing happens.
void say(const std::string& text);

/// "2 h 05 min", "3 min 20 s", "12 s".
[[nodiscard]] std::string duration_text(double seconds);
/// Seconds of "90", "90s", "10m", "2h", "10:00", "1:30:00", "2-00:00:00". InputError, naming `where`, for
/// others.
[[nodiscard]] double parse_duration(const std::string& text, std::string_view where);
/// "1.23 M".
[[nodiscard]] std::string count_text(double value);

}  // namespace tasfg
