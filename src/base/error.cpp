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

}  // namespace

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
  if (!nearest.empty()) return fmt::format("(did you mean \"{}\"?)", nearest);
  return fmt::format("(known: {})", fmt::join(known, ", "));
}

std::string to_text(double value) {
  return fmt::format("{}", value);
}

double parse_number(std::string_view text, std::string_view where) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const char* begin = text.data();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++begin;  // from_chars takes no plus sign
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    throw InputError(fmt::format("{}: {} is out of a double's range", where, quotable(text)));
  if (error != std::errc{} || stop != end || !std::isfinite(value))
    throw InputError(fmt::format("{} = \"{}\" (must be a finite number)", where, quotable(text)));
  return value;
}

std::string quotable(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out;
  for (const char c : text.substr(0, kLongest))
    out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || static_cast<unsigned char>(c) >= 0x80) ? '?'
                                                                                                        : c;
  if (text.size() > kLongest) out += "...";
  return out;
}

}  // namespace tasfg
