/// How a sweep ends before all is done (a signal, the walltime, a lost rank): nothing new starts and what
/// runs may end by itself; then it is cancelled; then nobody waits for it any longer.
#pragma once

#include <string>

namespace tasfg {

enum class Phase { running, draining, cancelled, given_up };

/// A job that is out of time may go on when it is queued again.
enum class Cause { other, out_of_time };

/// Why not to wait as long as usual.
enum class Haste { none, cancel_now, nobody_answers };

/// The phases of an end and their times; the caller has the clock and acts.
class EarlyEnd {
 public:
  /// From running to draining; false where the end has begun before, which changes nothing.
  bool begin(double now, std::string why, Cause cause);
  /// Moves on to the next phase where it is time to, and tells whether it did.
  [[nodiscard]] bool advance(double now, Haste haste);
  void add_reason(const std::string& text) { why_ += text; }

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool running() const { return phase_ == Phase::running; }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] Cause cause() const { return cause_; }

 private:
  Phase phase_ = Phase::running;
  double began_ = 0.0;
  std::string why_;
  Cause cause_ = Cause::other;
};

}  // namespace tasfg
