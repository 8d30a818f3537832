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

}  // namespace tasfg
