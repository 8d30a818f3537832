#include "tasfg/model/graph_csv.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

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

/// Lines that hold something, one after the other, with their numbers.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // byte order mark
  }
  bool next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = trimmed(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      if (!line_.empty() && line_.front() != '#') return true;
    }
    return false;
  }
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] std::string place(const std::string& origin) const {
    return fmt::format("{}: line {}", origin, number_);
  }

 private:
  std::string_view text_, line_;
  std::size_t number_ = 0;
};

/// What separates the values of a line: ';' goes before ',', which may then be a decimal comma.
char separator_of(std::string_view line) {
  return line.find(';') != std::string_view::npos   ? ';'
         : line.find(',') != std::string_view::npos ? ','
                                                    : ' ';
}

void split(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  if (separator != ' ') {
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(separator, begin), line.size());
      fields.push_back(trimmed(line.substr(begin, end - begin)));
      begin = end + 1;
    }
    return;
  }
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = std::min(line.find_first_not_of(" \t", end), line.size());
  }
}

std::string_view unquoted(std::string_view field) {
  if (field.size() >= 2 && field.front() == field.back() && (field.front() == '"' || field.front() == '\''))
    return field.substr(1, field.size() - 2);
  return field;
}

/// What cannot be meant for a number.
bool is_name(std::string_view field) {
  constexpr std::string_view kNumeric = "0123456789.+-";
  return field.empty() ||
         (kNumeric.find(field.front()) == std::string_view::npos && field != "nan" && field != "inf");
}

/// A line of names; or one that leaves the place above an index empty, as pandas writes it, whatever follows.
bool is_header(const std::vector<std::string_view>& fields) {
  return std::all_of(fields.begin(), fields.end(), is_name) ||
         (fields.size() > 1 && unquoted(fields.front()).empty());
}

/// A value, with its place where it is none.
double value_of(std::string_view field, const std::string& origin, const Lines& lines, std::size_t column) {
  const std::optional<double> value = to_number(field);
  if (value && *value >= 0.0 && *value <= 1.0) return *value;
  const std::string where = fmt::format("{}, column {}", lines.place(origin), column);
  if (!value && field.find(',') != std::string_view::npos)
    throw InputError(where, bad_text(field, "a decimal comma; must be a point"));
  if (!value) throw InputError(where, bad_text(field, "must be a probability, a number in [0, 1]"));
  placed(where, [&] { expect_probability(*value); });
  return *value;
}

/// Edges, after the line `from,to,probability`.
FeedbackGraph parse_edges(Lines& lines, char separator, const std::string& origin) {
  std::vector<DirectedEdge> edges;
  std::vector<std::size_t> line_of;
  std::vector<std::string_view> fields;
  int K = 0;
  while (lines.next()) {
    split(lines.line(), separator, fields);
    const std::string place = lines.place(origin);
    if (fields.size() != 3)
      throw InputError(
          place, bad_state(fmt::format("holds {} values", fields.size()), "must be from, to, probability"));
    int ends[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const std::optional<double> vertex = to_number(fields[i]);
      if (!vertex || !(*vertex >= 0 && *vertex < static_cast<double>(kLargestGraph)) ||
          *vertex != std::floor(*vertex))
        throw InputError(fmt::format("{}, {}", place, i == 0 ? "from" : "to"),
                         bad_text(fields[i], fmt::format("must be a vertex, a whole number from 0 to {}",
                                                         kLargestGraph - 1)));
      ends[i] = static_cast<int>(*vertex);
    }
    edges.push_back({ends[0], ends[1], value_of(fields[2], origin, lines, 3)});
    line_of.push_back(lines.number());
    K = std::max({K, ends[0] + 1, ends[1] + 1});
  }
  if (edges.empty())
    throw InputError(origin, remark("holds no edges", "must be lines of from,to,probability"));
  if (const std::optional<std::size_t> i = first_repeated(edges))
    throw InputError(fmt::format("{}: line {}", origin, line_of[*i]),
                     bad_state(fmt::format("repeats the edge from {} to {}", edges[*i].from, edges[*i].to),
                               "each edge once"));
  return {K, std::move(edges), origin};
}

/// A matrix, from the line that `lines` stands at.
class MatrixReader {
 public:
  MatrixReader(Lines& lines, const std::string& origin)
      : lines_(lines), origin_(origin), separator_(separator_of(lines.line())) {}

  FeedbackGraph read() {
    std::vector<std::string_view> fields;
    split(lines_.line(), separator_, fields);
    bool more = true;
    if (is_header(fields)) {
      if (is_edge_list(fields)) return parse_edges(lines_, separator_, origin_);
      header_ = fields.size();
      corner_ = unquoted(fields.front()).empty();
      more = lines_.next();
    }
    for (; more; more = lines_.next()) {
      split(lines_.line(), separator_, fields);
      add(fields);
      if (rows_ > columns_) break;  // not square; no need to read on
    }
    return finished();
  }

 private:
  static bool is_edge_list(const std::vector<std::string_view>& fields) {
    constexpr std::string_view kNames[] = {"from", "to", "probability"};
    return fields.size() == 3 && std::equal(fields.begin(), fields.end(), std::begin(kNames),
                                            [](auto field, auto name) { return unquoted(field) == name; });
  }

  void add(std::vector<std::string_view>& fields) {
    if (++rows_ == 1)
      index_ = is_name(fields.front()) || corner_ || (header_ > 0 && header_ + 1 == fields.size());
    const std::size_t first = index_ ? 1 : 0;
    const std::size_t count = fields.size() - first;
    if (rows_ == 1) columns_ = count;
    if (columns_ > kLargestMatrix)
      throw InputError(origin_,
                       remark(fmt::format("{} columns", columns_),
                              fmt::format("K must be at most {}; a larger graph can be read from its "
                                          "edges, lines of from,to,probability",
                                          kLargestMatrix)));
    if (count != columns_)
      throw InputError(lines_.place(origin_), bad_state(fmt::format("holds {} values", count),
                                                        fmt::format("the first row holds {}", columns_)));
    for (std::size_t i = first; i < fields.size(); ++i)
      values_.push_back(value_of(fields[i], origin_, lines_, i + 1));
  }

  FeedbackGraph finished() {
    if (rows_ == 0)
      throw InputError(origin_, remark("holds no numbers", fmt::format("must be {}", kMatrixOrientation)));
    if (rows_ != columns_)
      throw InputError(origin_,
                       remark(fmt::format("{}{} rows of {} values", rows_ > columns_ ? "more than " : "",
                                          std::min(rows_, columns_), columns_),
                              "the matrix must be square; a header or an index column must hold names"));
    return {static_cast<int>(columns_), std::move(values_), origin_};
  }

  Lines& lines_;
  const std::string& origin_;
  char separator_;
  std::size_t header_ = 0;  // how many names the first line holds
  bool corner_ = false, index_ = false;
  std::vector<double> values_;
  std::size_t columns_ = 0, rows_ = 0;
};

}  // namespace

void expect_probability(double value) {
  if (!(value >= 0.0 && value <= 1.0)) throw InputError(bad_value(value, "a probability must lie in [0, 1]"));
}

FeedbackGraph parse_graph_csv(std::string_view text, const std::string& origin) {
  if (text.find('\0') != std::string_view::npos)
    throw InputError(origin,
                     remark("holds binary data", fmt::format("must be text: {}", kMatrixOrientation)));
  Lines lines(text);
  if (!lines.next())
    throw InputError(origin, remark("holds no numbers", fmt::format("must be {}", kMatrixOrientation)));
  return MatrixReader(lines, origin).read();
}

std::vector<double> parse_vector(std::string_view text, const std::string& origin) {
  Lines lines(text);
  std::vector<double> values;
  std::vector<std::string_view> fields;
  while (lines.next()) {
    split(lines.line(), separator_of(lines.line()), fields);
    for (const std::string_view field : fields)
      values.push_back(placed(lines.place(origin), [&] {
        return parse_number(field, "must be numbers, separated by commas, blanks or ends of lines");
      }));
  }
  return values;
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
  return parse_graph_csv(read_text_file(path, kLargestGraphFile), path);
}

}  // namespace tasfg
