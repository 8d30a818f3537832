/// A user's mistake, and helpers that word it. The text names the file, the key, the value and what
/// would be right; the program prints it as one line and exits with status 2.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tasfg {

/// Bad input: a job file, graph file, result file, option or environment that cannot be used.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `(did you mean "ring"?)` when a known name is near `given`, else `(known: a, b, c)`.
[[nodiscard]] std::string suggest(std::string_view given, std::span<const std::string_view> known);

/// The shortest decimal text that reads back as the same double.
[[nodiscard]] std::string to_text(double value);

/// Reads all of `text` as a finite number; anything else (trailing junk, "nan", "inf") is an InputError
/// that starts with `where`.
[[nodiscard]] double parse_number(std::string_view text, std::string_view where);

/// Bytes that are safe to quote in a message: control characters become '?', long text is cut.
[[nodiscard]] std::string quotable(std::string_view text);

}  // namespace tasfg
