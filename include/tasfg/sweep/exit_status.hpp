/// Exit statuses of the program beside 0.
#pragma once

#include "tasfg/base/error.hpp"

namespace tasfg {

inline constexpr int kExitFailed = 1;        // the sweep ended, with failed tasks
inline constexpr int kExitError = 2;         // input that cannot be used, or a system that fails
inline constexpr int kExitInterrupted = 75;  // the same command can be run again and goes on

[[nodiscard]] inline int exit_status_of(const Error& error) {
  return dynamic_cast<const BusyError*>(&error) != nullptr ? kExitInterrupted : kExitError;
}

}  // namespace tasfg
