/// tasfg: pure exploration with feedback graphs. See `tasfg --help`.
#include <cstdio>
#include <exception>
#include <string_view>

#include "commands.hpp"

#include "tasfg/base/error.hpp"
#include "tasfg/sweep/link.hpp"
#include "tasfg/sweep/progress.hpp"

namespace {

constexpr int kUnusable = 2;  // input that cannot be used, or a system that fails

void complain(std::string_view text) {
  // Of several processes that a launcher started, all fail alike on bad options: one says why.
  if (tasfg::first_of_launch()) tasfg::say(std::string(text));
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
  tasfg::add_plan_command(app, status);
  tasfg::add_sweep_command(app, status, argv);
  tasfg::add_status_command(app, status);
  tasfg::add_merge_command(app, status);
  tasfg::add_list_command(app, status);
  try {
    if (const auto asked = line.parse(argc, argv)) return *asked;  // --help, --version
    return status;
  } catch (const tasfg::UsageError& error) {
    throw tasfg::InputError(tasfg::remark(error.what(), "see tasfg --help"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) != 0)
      throw tasfg::SystemError("standard output", tasfg::remark("cannot be written"));
    return status;
  } catch (const tasfg::Error& error) {
    complain(error.what());
    return kUnusable;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return kUnusable;
  } catch (const std::exception& error) {
    tasfg::say(error.what());
    return 1;
  }
}
