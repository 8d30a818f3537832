/// SIGTERM, SIGINT and SIGUSR1: stop handing out work, commit, exit 75.
#pragma once

namespace tasfg {

/// Installs the handlers; call once, before threads start.
void catch_interruptions();

/// What the first signal writes to standard error at once, a line of a string literal. A process of several
/// cannot wait until its main thread comes to it: when a host is lost, that thread may hang in MPI, and
/// mpirun kills all a second after its SIGTERM.
void announce_interruptions(const char* line);

/// How many such signals have come: one asks to end soon, a second one at once.
[[nodiscard]] int interruptions();
/// The name of the last one.
[[nodiscard]] const char* interruption_name();

// Exit statuses of a sweep.
inline constexpr int kExitInterrupted = 75;
inline constexpr int kExitError = 2;

/// The last signal was SIGUSR1, by which schedulers announce the end of a job.
[[nodiscard]] bool time_is_short();

}  // namespace tasfg
