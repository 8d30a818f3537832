#include "tasfg/model/graph_csv.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr std::size_t kLargestK = 4096;
constexpr std::size_t kLargestFile = std::size_t{1} << 30;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

struct OpenFile {
  int descriptor;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

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

std::string read_text_file(const std::string& path, std::size_t most_bytes) {
  // A pipe without a writer would keep open() waiting; O_NONBLOCK changes nothing about regular files.
  const OpenFile file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
      throw InputError(path, remark("no such file"));
    throw InputError(path, remark("cannot be opened", std::strerror(errno)));
  }
  struct stat info {};
  if (::fstat(file.descriptor, &info) != 0)
    throw SystemError(path, remark("cannot be read", std::strerror(errno)));
  if (!S_ISREG(info.st_mode))
    throw InputError(
        path, remark(S_ISDIR(info.st_mode) ? "is a directory" : "is a pipe or a device", "must be a file"));
  if (static_cast<std::size_t>(info.st_size) > most_bytes)
    throw InputError(
        path, remark(fmt::format("{} bytes", info.st_size), fmt::format("must be at most {}", most_bytes)));
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(path, remark("cannot be read", std::strerror(errno)));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

FeedbackGraph read_graph_csv(const std::string& path) {
  return parse_graph_csv(read_text_file(path, kLargestFile), path);
}

}  // namespace tasfg
