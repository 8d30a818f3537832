#include "tasfg/base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace tasfg {
namespace {

/// Edit distance with adjacent swaps, so that "rnig" is one step from "ring".
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// What a message quotes may come from a damaged file: no line breaks, no control characters of terminals.
/// UTF-8 stays, except the control characters that it has besides (U+0080 to U+009F).
std::string one_line(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool upper_control =
        i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC2 && c >= 0x80 && c < 0xA0;
    if (c < 0x20 || c == 0x7F || upper_control) text[i] = '?';
  }
  return text;
}

/// The only place where messages are worded.
std::string worded(const std::string& where, const Complaint& complaint) {
  constexpr std::string_view kJoints[] = {" = ", ": ", " "};
  const std::string_view joint = where.empty() ? "" : kJoints[static_cast<std::size_t>(complaint.form)];
  const bool complete = complaint.must.empty();
  return one_line(fmt::format("{}{}{}{}{}{}", where, joint, complaint.found, complete ? "" : " (",
                              complaint.must, complete ? "" : ")"));
}

}  // namespace

Complaint bad_value(double value, std::string must) {
  return {Complaint::Form::value, to_text(value), std::move(must)};
}
Complaint bad_text(std::string_view text, std::string must) {
  return {Complaint::Form::value, in_quotes(text), std::move(must)};
}
Complaint remark(std::string found, std::string must) {
  return {Complaint::Form::remark, std::move(found), std::move(must)};
}
Complaint bad_state(std::string found, std::string must) {
  return {Complaint::Form::state, std::move(found), std::move(must)};
}

std::string within(std::string_view source, std::string_view key) {
  return fmt::format("{}{}{}", source, source.empty() || key.empty() ? "" : ": ", key);
}

Error::Error(std::string where, Complaint complaint)
    : std::runtime_error(worded(where, complaint)),
      where_(std::move(where)),
      complaint_(std::move(complaint)) {}

std::string suggest(std::string_view given, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 64;
  std::string_view nearest;
  std::size_t best = std::max<std::size_t>(2, given.size() / 3) + 1;
  if (given.size() <= kLongest) {
    for (const std::string_view name : known) {
      const std::size_t distance = edit_distance(given, name);
      if (distance < best) {
        best = distance;
        nearest = name;
      }
    }
  }
  if (!nearest.empty()) return fmt::format("did you mean \"{}\"?", nearest);
  return fmt::format("known: {}", fmt::join(known, ", "));
}

std::string to_text(double value) {
  return fmt::format("{}", value);
}

double parse_number(std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const char* begin = text.data();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++begin;  // from_chars takes no plus sign
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    throw InputError(remark(fmt::format("{} is out of a double's range", quotable(text))));
  if (error != std::errc{} || stop != end || !std::isfinite(value))
    throw InputError(bad_text(text, "must be a finite number"));
  return value;
}

double parse_number(std::string_view text, std::string_view where) {
  return placed(where, [text] { return parse_number(text); });
}

std::string printable(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return out;
}

std::string quotable(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return printable(text.substr(0, kLongest)) + (text.size() > kLongest ? "..." : "");
}

std::string in_quotes(std::string_view text) {
  return fmt::format("\"{}\"", quotable(text));
}

}  // namespace tasfg
