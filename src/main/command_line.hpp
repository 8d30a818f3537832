/// What the subcommands ask of CLI11, so that one file alone includes its headers, which take seconds to
/// compile. Functions do what those of the same name do in CLI11.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tasfg {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option* required();
  Option* group(const std::string& name);
  Option* needs(Option* other);
  Option* capture_default_str();
  Option* allow_extra_args(bool value);
  /// A number in [low, high].
  Option* range(int low, int high);

 private:
  CLI::Option* option_;
};

/// A subcommand, or the program.
class Command {
 public:
  explicit Command(CLI::App* app);
  ~Command();
  Command* add_subcommand(const std::string& name, const std::string& summary);
  /// Value: int, double, std::string or std::vector<std::string>.
  template <typename Value>
  Option* add_option(const std::string& names, Value& value, const std::string& summary);
  Option* add_flag(const std::string& names, bool& value, const std::string& summary);
  void footer(const std::string& text);
  void callback(std::function<void()> run);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A command line that cannot be understood.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CommandLine {
 public:
  CommandLine(const std::string& summary, const std::string& name, const std::string& version);
  ~CommandLine();
  Command& program() { return program_; }
  /// Runs the chosen command. Returns the exit status where --help or --version were all that was asked for.
  std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Command program_;
};

}  // namespace tasfg
