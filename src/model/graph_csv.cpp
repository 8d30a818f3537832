#include "tasfg/model/graph_csv.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kLargestK = 4096;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

double parse_probability(std::string_view text) {
  const double value = parse_number(text);
  if (!(value >= 0.0 && value <= 1.0)) throw InputError(bad_value(value, "a probability must lie in [0, 1]"));
  return value;
}

}  // namespace

FeedbackGraph parse_graph_csv(std::string_view text, const std::string& origin) {
  if (text.find('\0') != std::string_view::npos)
    throw InputError(origin, remark("holds binary data", "must be text: K rows of K probabilities"));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  std::vector<double> values;
  std::size_t columns = 0, rows = 0, line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    ++rows;
    std::size_t column = 0;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t comma = std::min(line.find(',', begin), line.size());
      ++column;
      try {
        values.push_back(parse_probability(trimmed(line.substr(begin, comma - begin))));
      } catch (const InputError& error) {  // worded here alone: most numbers are good
        throw InputError(fmt::format("{}: line {}, column {}", origin, line_number, column),
                         error.complaint());
      }
      begin = comma + 1;
    }
    if (rows == 1) columns = column;
    if (columns > kLargestK)
      throw InputError(
          origin, remark(fmt::format("{} columns", columns), fmt::format("K must be at most {}", kLargestK)));
    if (column != columns)
      throw InputError(
          within(origin, fmt::format("line {}", line_number)),
          bad_state(fmt::format("holds {} values", column), fmt::format("the first row holds {}", columns)));
    if (rows > columns) break;  // not square; no need to read on
  }
  if (rows == 0) throw InputError(origin, remark("holds no numbers", "must be K rows of K probabilities"));
  if (rows != columns)
    throw InputError(origin, remark(fmt::format("{}{} rows of {} values", rows > columns ? "more than " : "",
                                                std::min(rows, columns), columns),
                                    "the matrix must be square"));
  return {static_cast<int>(columns), std::move(values), origin};
}

std::string read_text_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(path, remark("no such file"));
  if (std::filesystem::is_directory(status))
    throw InputError(path, remark("is a directory", "must be a file"));
  if (std::filesystem::is_regular_file(status)) {
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > kLargestFile)
      throw InputError(
          path, remark(fmt::format("{} bytes", size), fmt::format("must be at most {}", kLargestFile)));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path, remark("cannot be opened", std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw InputError(path, remark("cannot be read", std::strerror(errno)));
  return std::move(text).str();
}

FeedbackGraph read_graph_csv(const std::string& path) {
  return parse_graph_csv(read_text_file(path), path);
}

}  // namespace tasfg
