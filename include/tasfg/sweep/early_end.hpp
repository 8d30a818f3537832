/// How a sweep ends before all is done (a signal, the walltime, a lost rank): nothing new starts and what
/// runs may end by itself; then it is cancelled; then nobody waits for it any longer.
#pragma once

#include <string>

namespace tasfg {

enum class Phase { running, draining, cancelled, given_up };

/// The phases of an end and their times; the caller has the clock and acts.
class EarlyEnd {
 public:
  /// From running to draining; false where the end has begun before, which changes nothing.
  /// `out_of_time`: the job may go on when it is queued again.
  bool begin(double now, std::string why, bool out_of_time);
  /// Moves on to the next phase where it is time to, and tells whether it did. Nobody waits for ranks of
  /// which none answers; `hurry` cuts the draining short.
  [[nodiscard]] bool advance(double now, bool nobody_answers, bool hurry);
  void add_reason(const std::string& text) { why_ += text; }

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool running() const { return phase_ == Phase::running; }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }

 private:
  Phase phase_ = Phase::running;
  double began_ = 0.0;
  std::string why_;
  bool out_of_time_ = false;
};

}  // namespace tasfg
