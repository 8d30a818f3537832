/// A mistake of the user or a fault of the system, in parts, and helpers that word it. The program prints the
/// text as one line and exits with status 2, or 75 for a BusyError.
///
/// The text names the place (file or option, and key), what was found there and what would be right:
///
///   jobs/ring.toml: graph[0].p = 1.3 (must lie in [0, 1])
///   jobs/ring.toml: unknown key graph[0].famly (did you mean "family"?)
///   jobs/ring.toml: graph[0].K is empty (must hold at least one value)
///
/// A check that does not know where its value came from throws without a place; whoever knows adds it
/// (`placed`).
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tasfg {

/// What is wrong and what would be right, without the place.
struct Complaint {
  enum class Form {
    value,   // place = found (must)
    remark,  // place: found (must)
    state,   // place found (must)
  };
  Form form;
  std::string found;
  std::string must;  // may be empty
};

/// " = 1.3 (must lie in [0, 1])".
[[nodiscard]] Complaint bad_value(double value, std::string must);
[[nodiscard]] Complaint bad_value(std::integral auto value, std::string must) {
  return {Complaint::Form::value, std::to_string(value), std::move(must)};
}
/// The same for text, in quotes: " = "abc" (must be a number)".
[[nodiscard]] Complaint bad_text(std::string_view text, std::string must);
/// ": unknown key famly (did you mean "family"?)".
[[nodiscard]] Complaint remark(std::string found, std::string must = {});
/// " is empty (must hold at least one value)".
[[nodiscard]] Complaint bad_state(std::string found, std::string must = {});

/// "jobs/ring.toml: graph[0].p", or the part that is not empty.
[[nodiscard]] std::string within(std::string_view source, std::string_view key);

class Error : public std::runtime_error {
 public:
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const Complaint& complaint() const { return complaint_; }

 protected:
  Error(std::string where, Complaint complaint);

 private:
  std::string where_;
  Complaint complaint_;
};

/// Bad input: a job file, graph file, result file, option or environment that cannot be used.
class InputError : public Error {
 public:
  InputError(std::string where, Complaint complaint) : Error(std::move(where), std::move(complaint)) {}
  explicit InputError(Complaint complaint) : Error({}, std::move(complaint)) {}
  /// A mistake at no single place: the whole sentence.
  explicit InputError(std::string sentence) : Error({}, remark(std::move(sentence))) {}
};

/// A fault of the system: a full disk, a file that is gone, a process that cannot be reached.
class SystemError : public Error {
 public:
  SystemError(std::string where, Complaint complaint) : Error(std::move(where), std::move(complaint)) {}
  explicit SystemError(std::string sentence) : Error({}, remark(std::move(sentence))) {}
};

/// Something that another process uses now and may leave later: a result file that another sweep is writing.
/// The program exits with status 75, and the same command can be run again.
class BusyError : public Error {
 public:
  BusyError(std::string where, Complaint complaint) : Error(std::move(where), std::move(complaint)) {}
};

/// Returns body(); an error that it throws is thrown on with `where` in front of its own place.
template <typename Body>
decltype(auto) placed(std::string_view where, Body body) {
  try {
    return body();
  } catch (const InputError& error) {
    throw InputError(within(where, error.where()), error.complaint());
  } catch (const SystemError& error) {
    throw SystemError(within(where, error.where()), error.complaint());
  } catch (const BusyError& error) {
    throw BusyError(within(where, error.where()), error.complaint());
  }
}

/// `did you mean "ring"?` when a known name is near `given` (more than half alike, or but for upper and lower
/// case), else `known: a, b, c`.
[[nodiscard]] std::string suggest(std::string_view given, std::span<const std::string_view> known);

/// The shortest decimal text that reads back as the same double.
[[nodiscard]] std::string to_text(double value);

/// The number that all of `text` is, if it is finite ("nan", "inf" and trailing junk are none).
[[nodiscard]] std::optional<double> to_number(std::string_view text);
/// The same; an InputError that says `must`, what would be right there, for anything else.
[[nodiscard]] double parse_number(std::string_view text, std::string must);

/// Text of unknown origin for a terminal: control characters and what is not ASCII become '?'.
[[nodiscard]] std::string printable(std::string_view text);
/// The same, cut where it is long, to be quoted in a message.
[[nodiscard]] std::string quotable(std::string_view text);
/// The same in quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace tasfg
