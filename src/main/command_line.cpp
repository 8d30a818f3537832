#include "command_line.hpp"

#include <deque>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace tasfg {

Option* Option::required() {
  option_->required();
  return this;
}
Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}
Option* Option::needs(Option* other) {
  option_->needs(other->option_);
  return this;
}
Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}
Option* Option::allow_extra_args(bool value) {
  option_->allow_extra_args(value);
  return this;
}
Option* Option::range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return this;
}

struct Command::Parts {
  CLI::App* app;
  std::deque<Option> options;  // their addresses stay
  std::deque<Command> commands;
};

Command::Command(CLI::App* app) : parts_(new Parts{app, {}, {}}) {}
Command::~Command() = default;

Command* Command::add_subcommand(const std::string& name, const std::string& summary) {
  return &parts_->commands.emplace_back(parts_->app->add_subcommand(name, summary));
}
template <typename Value>
Option* Command::add_option(const std::string& names, Value& value, const std::string& summary) {
  return &parts_->options.emplace_back(parts_->app->add_option(names, value, summary));
}
template Option* Command::add_option(const std::string& names, int& value, const std::string& summary);
template Option* Command::add_option(const std::string& names, double& value, const std::string& summary);
template Option* Command::add_option(const std::string& names, std::string& value,
                                     const std::string& summary);
template Option* Command::add_option(const std::string& names, std::vector<std::string>& value,
                                     const std::string& summary);
Option* Command::add_flag(const std::string& names, bool& value, const std::string& summary) {
  return &parts_->options.emplace_back(parts_->app->add_flag(names, value, summary));
}
void Command::footer(const std::string& text) {
  parts_->app->footer(text);
}
void Command::callback(std::function<void()> run) {
  parts_->app->callback(std::move(run));
}

CommandLine::CommandLine(const std::string& summary, const std::string& name, const std::string& version)
    : app_(std::make_unique<CLI::App>(summary, name)), program_(app_.get()) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(38);
}
CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app_->exit(done);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return std::nullopt;
}

}  // namespace tasfg
