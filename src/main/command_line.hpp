/// What the subcommands ask of CLI11, so that one file alone includes its headers, which take seconds to
/// compile. Functions do what those of the same name do in CLI11.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tasfg/base/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tasfg {

inline constexpr int kMostThreads = 4096;  // of a process

/// What an option that takes a number accepts, and the words for it.
struct WantedNumber {
  double low = -1e300, high = 1e300;
  bool whole = false;
  std::string words = "must be a number";
};

class Option {
 public:
  Option(CLI::Option* option, std::shared_ptr<WantedNumber> wanted)
      : option_(option), wanted_(std::move(wanted)) {}
  Option* required();
  Option* group(const std::string& name);
  Option* needs(Option* other);
  Option* capture_default_str();
  Option* allow_extra_args(bool value);
  /// A whole number in [low, high]; `also` says more of it.
  Option* whole(double low, double high, const std::string& also = "");
  /// A number in [low, high], in these words if there are any.
  Option* number(double low, double high, const std::string& words = "");

 private:
  CLI::Option* option_;
  std::shared_ptr<WantedNumber> wanted_;
};

/// A subcommand, or the program.
class Command {
 public:
  explicit Command(CLI::App* app);
  ~Command();
  Command* add_subcommand(const std::string& name, const std::string& summary);
  /// Value: int, double, std::string or std::vector<std::string>. For a number, whole() or number() is to
  /// follow, so that a mistake is answered by what would be right.
  template <typename Value>
  Option* add_option(const std::string& names, Value& value, const std::string& summary);
  Option* add_flag(const std::string& names, bool& value, const std::string& summary);
  void footer(const std::string& text);
  void callback(std::function<void()> run);
  /// What to say of an argument that the command does not know, where it may be meant for something else;
  /// empty where nothing comes to mind.
  void hint(std::function<std::string(const std::string& argument)> of);

 private:
  friend class CommandLine;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

class CommandLine {
 public:
  CommandLine(const std::string& summary, const std::string& name, const std::string& version);
  ~CommandLine();
  Command& program() { return program_; }
  /// Runs the chosen command. Returns the exit status where --help or --version were all that was asked for.
  /// An InputError where the line cannot be understood.
  std::optional<int> parse(int argc, char** argv);

 private:
  void expect_command(const std::string& name) const;
  [[nodiscard]] InputError unknown_argument(const CLI::App& chosen) const;

  std::unique_ptr<CLI::App> app_;
  Command program_;
};

}  // namespace tasfg
