#include "command_line.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

/// Numbers are looked at before CLI11 converts them: its message would not say what is right.
void expect(CLI::Option* option, const std::shared_ptr<const WantedNumber>& wanted) {
  option->check(CLI::Validator(
      [=](std::string& text) {
        const std::optional<double> value = to_number(text);
        if (!value) throw InputError(option->get_name(), bad_text(text, wanted->words));
        if (!(*value >= wanted->low && *value <= wanted->high) ||
            (wanted->whole && *value != std::floor(*value)))
          throw InputError(option->get_name(), bad_value(*value, wanted->words));
        return std::string();
      },
      ""));
}

/// Long names of a command's options, as --seeds.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string suggest_among(const std::string& given, const std::vector<std::string>& names) {
  return suggest(given, std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

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
Option* Option::whole(double low, double high, const std::string& also) {
  *wanted_ = {low, high, true,
              fmt::format("must be a whole number from {} to {}", to_text(low), to_text(high))};
  if (!also.empty()) wanted_->words += "; " + also;
  return this;
}
Option* Option::number(double low, double high, const std::string& words) {
  *wanted_ = {low, high, false,
              words.empty() ? fmt::format("must lie in [{}, {}]", to_text(low), to_text(high)) : words};
  return this;
}

struct Command::Parts {
  CLI::App* app;
  std::deque<Option> options;  // their addresses stay
  std::deque<Command> commands;
  std::function<std::string(const std::string&)> hint;
};

Command::Command(CLI::App* app) : parts_(new Parts{app, {}, {}, {}}) {}
Command::~Command() = default;

Command* Command::add_subcommand(const std::string& name, const std::string& summary) {
  return &parts_->commands.emplace_back(parts_->app->add_subcommand(name, summary));
}
template <typename Value>
Option* Command::add_option(const std::string& names, Value& value, const std::string& summary) {
  CLI::Option* option = parts_->app->add_option(names, value, summary);
  const auto wanted = std::make_shared<WantedNumber>();
  if constexpr (std::is_arithmetic_v<Value>) expect(option, wanted);
  return &parts_->options.emplace_back(option, wanted);
}
template Option* Command::add_option(const std::string& names, int& value, const std::string& summary);
template Option* Command::add_option(const std::string& names, double& value, const std::string& summary);
template Option* Command::add_option(const std::string& names, std::string& value,
                                     const std::string& summary);
template Option* Command::add_option(const std::string& names, std::vector<std::string>& value,
                                     const std::string& summary);
Option* Command::add_flag(const std::string& names, bool& value, const std::string& summary) {
  return &parts_->options.emplace_back(parts_->app->add_flag(names, value, summary), nullptr);
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

void Command::hint(std::function<std::string(const std::string& argument)> of) {
  parts_->hint = std::move(of);
}

void CommandLine::expect_command(const std::string& name) const {
  std::vector<std::string> names;
  for (const CLI::App* each : app_->get_subcommands({})) names.push_back(each->get_name());
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw InputError(remark(fmt::format("unknown command {}", in_quotes(name)), suggest_among(name, names)));
}

InputError CommandLine::unknown_argument(const CLI::App& chosen) const {
  const std::vector<std::string> rest = chosen.remaining();
  const auto option = std::find_if(rest.begin(), rest.end(), [](const std::string& each) {
    return each.size() > 1 && each.front() == '-';
  });
  const std::string& given = option != rest.end() ? *option : rest.front();
  const std::string name = given.substr(0, given.find('='));
  std::string advice;
  if (option != rest.end()) advice = suggest_among(name, option_names(chosen));
  if (!advice.starts_with("did you mean")) {
    advice = fmt::format("see tasfg {} --help", chosen.get_name());
    for (const Command& each : program_.parts_->commands)
      if (each.parts_->app == &chosen && each.parts_->hint)
        if (const std::string hint = each.parts_->hint(name); !hint.empty()) advice = hint;
  }
  if (option == rest.end())
    return InputError(remark(fmt::format("unexpected argument {}", in_quotes(given)), advice));
  return InputError(
      remark(fmt::format("unknown option {} of tasfg {}", quotable(name), chosen.get_name()), advice));
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
  // CLI11 takes the next argument for the value of "--name=", as a script leaves it whose variable is empty.
  for (int i = 1; i < argc; ++i)
    if (const std::string_view each = argv[i]; each.starts_with("--") && each.find('=') == each.size() - 1)
      throw InputError(remark(std::string(each) + " has no value", "see tasfg --help"));
  if (argc < 2) throw InputError(remark("no command", "see tasfg --help"));
  if (argv[1][0] != '-') expect_command(argv[1]);
  const CLI::App* chosen = app_.get();
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app_->exit(done);
  } catch (const CLI::ParseError& error) {
    if (!app_->get_subcommands().empty()) chosen = app_->get_subcommands().front();
    if (chosen == app_.get())
      throw InputError(remark(fmt::format("unknown option {}", quotable(argv[1])),
                              "a command comes first; see tasfg --help"));
    if (!chosen->remaining().empty()) throw unknown_argument(*chosen);
    const std::string help = fmt::format("see tasfg {} --help", chosen->get_name());
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
      const std::string text = error.what();
      throw InputError(remark(text.substr(0, text.find(':')) + " has no value", help));
    }
    throw InputError(remark(error.what(), help));
  }
  return std::nullopt;
}

}  // namespace tasfg
