/// SIGTERM, SIGINT and SIGUSR1: stop handing out work, commit, exit 75.
#pragma once

namespace tasfg {

/// Installs the handlers; call once, before threads start.
void catch_interruptions();

/// How many such signals have come: one asks to end soon, a second one at once.
[[nodiscard]] int interruptions();
/// The name of the last one.
[[nodiscard]] const char* interruption_name();

inline constexpr int kExitInterrupted = 75;

/// The last signal was SIGUSR1, by which schedulers announce the end of a job.
[[nodiscard]] bool time_is_short();

}  // namespace tasfg
