/// tasfg: pure exploration with feedback graphs. See `tasfg --help`.
#include <cstdio>
#include <exception>
#include <string_view>

#include "commands.hpp"
#include <CLI/CLI.hpp>

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
  CLI::App app{
      "Pure exploration with feedback graphs: characteristic times with certificates, simulation, and sweeps "
      "over many cores and nodes.",
      "tasfg"};
  app.set_version_flag("--version", "tasfg " TASFG_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(38);
  int status = 0;
  tasfg::add_solve_command(app, status);
  tasfg::add_simulate_command(app, status);
  tasfg::add_plan_command(app, status);
  tasfg::add_sweep_command(app, status, argv);
  tasfg::add_status_command(app, status);
  tasfg::add_merge_command(app, status);
  tasfg::add_list_command(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    throw tasfg::InputError(tasfg::remark(error.what(), "see tasfg --help"));
  }
  return status;
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
