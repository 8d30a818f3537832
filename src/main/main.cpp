/// tasfg: pure exploration with feedback graphs. See `tasfg --help`.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "commands.hpp"
#include "complaint.hpp"
#include <fcntl.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/exit_status.hpp"
#include "tasfg/sweep/interruption.hpp"

namespace {

/// A standard stream that is closed leaves its number to the next file that is opened, and what is meant for
/// the stream goes into that file: a message into the results. Such a stream is opened the wrong way round,
/// so that its use fails as before.
void open_standard_streams() {
  for (const int stream : {0, 1, 2})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF &&
        ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) != stream)
      std::_Exit(tasfg::kExitError);
}

int run(int argc, char** argv) {
  tasfg::CommandLine line(
      "Pure exploration with feedback graphs: characteristic times with certificates, simulation, and sweeps "
      "over many cores and nodes.",
      "tasfg", "tasfg " TASFG_VERSION);
  tasfg::Command& app = line.program();
  int status = 0;
  tasfg::add_solve_command(app, status);
  tasfg::add_simulate_command(app, status);
  tasfg::add_curve_command(app, status);
  tasfg::add_error_command(app, status);
  tasfg::add_plan_command(app, status);
  tasfg::add_sweep_command(app, status, argv);
  tasfg::add_status_command(app, status);
  tasfg::add_watch_command(app, status);
  tasfg::add_merge_command(app, status);
  tasfg::add_verify_command(app, status);
  tasfg::add_list_command(app, status);
  if (const auto asked = line.parse(argc, argv)) return *asked;  // --help, --version
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of its size is an error of the write, not a death
  if (argc > 1 && (argv[1] == std::string_view("sweep") || argv[1] == std::string_view("merge")))
    tasfg::catch_interruptions();
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) != 0)
      throw tasfg::SystemError("standard output", tasfg::bad_state("cannot be written"));
    return status;
  } catch (const std::exception&) {
    return tasfg::complain();
  }
}
