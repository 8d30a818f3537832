/// Signals that ask a sweep to end: stop handing out work, commit, exit 75.
#pragma once

namespace tasfg {

/// Installs the handlers; call once, as early as possible and before threads start.
///
/// SIGTERM, SIGINT, SIGUSR1 (by which schedulers announce the end of a job), SIGXCPU (a limit of CPU time is
/// near: the hard limit kills) and SIGHUP (the terminal is gone; not where `nohup` has it ignored) ask the
/// sweep to end. SIGPIPE and SIGXFSZ are ignored: the write that caused them fails with an error, which is
/// handled.
void catch_interruptions();

/// What the first signal writes to standard error at once, a line of a string literal. A process of several
/// cannot wait until its main thread comes to it: when a host is lost, that thread may hang in MPI, and
/// mpirun kills all a second after its SIGTERM.
void announce_interruptions(const char* line);

/// How many such signals have come: one asks to end soon, a second one at once.
[[nodiscard]] int interruptions();
/// The name of the last one.
[[nodiscard]] const char* interruption_name();

/// The last signal announced the end of the time that the job has.
[[nodiscard]] bool time_is_short();

}  // namespace tasfg
