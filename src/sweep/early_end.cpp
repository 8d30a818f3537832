#include "tasfg/sweep/early_end.hpp"

namespace tasfg {
namespace {

constexpr double kGrace = 4.0;     // seconds for what runs to end by itself
constexpr double kLastWait = 3.0;  // and then for the ranks to give up what they run

}  // namespace

bool EarlyEnd::begin(double now, std::string why, Cause cause) {
  if (!running()) return false;
  phase_ = Phase::draining;
  began_ = now;
  why_ = std::move(why);
  cause_ = cause;
  return true;
}

bool EarlyEnd::advance(double now, Haste haste) {
  const double since = now - began_;
  if (phase_ == Phase::draining && (haste != Haste::none || since > kGrace))
    phase_ = Phase::cancelled;
  else if (phase_ == Phase::cancelled && (haste == Haste::nobody_answers || since > kGrace + kLastWait))
    phase_ = Phase::given_up;
  else
    return false;
  return true;
}

}  // namespace tasfg
