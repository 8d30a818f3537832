/// The program's subcommands. Each adds its options to the parser and sets what runs when it is chosen;
/// `status` receives the exit status.
#pragma once

#include "command_line.hpp"

namespace tasfg {

void add_solve_command(Command& app, int& status);
void add_simulate_command(Command& app, int& status);
void add_curve_command(Command& app, int& status);
void add_error_command(Command& app, int& status);
void add_list_command(Command& app, int& status);
void add_plan_command(Command& app, int& status);
void add_sweep_command(Command& app, int& status, char** arguments);
void add_status_command(Command& app, int& status);
void add_watch_command(Command& app, int& status);
void add_merge_command(Command& app, int& status);
void add_verify_command(Command& app, int& status);

}  // namespace tasfg
