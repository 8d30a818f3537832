#include "tasfg/model/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"

namespace tasfg {
namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";

/// The words of lines that are neither empty nor comments.
class Reader {
 public:
  Reader(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::string place() const { return fmt::format("{}: line {}", origin_, line_); }
  /// False at the end of the file.
  bool next() {
    do {
      if (text_.empty()) return false;
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      split(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
    } while (words_.empty() || (words_.front().front() == '%' && line_ > 1));
    return true;
  }
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  /// The line at hand as so many numbers.
  const std::vector<double>& numbers(std::size_t count, const char* must) {
    numbers_.clear();
    for (const std::string_view word : words_)
      if (const std::optional<double> value = to_number(word)) numbers_.push_back(*value);
    if (numbers_.size() != words_.size() || numbers_.size() != count)
      throw InputError(place(), bad_state(fmt::format("holds {} words", words_.size()), must));
    return numbers_;
  }

 private:
  void split(std::string_view line) {
    words_.clear();
    for (std::size_t begin = line.find_first_not_of(" \t\r"); begin < line.size();) {
      const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
      words_.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(" \t\r", end);
    }
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t line_ = 0;
  std::vector<std::string_view> words_;
  std::vector<double> numbers_;
};

std::size_t whole(double value, std::size_t low, std::size_t high, const std::string& where) {
  if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) ||
      value != std::floor(value))
    throw InputError(where, bad_value(value, fmt::format("must be a whole number from {} to {}", low, high)));
  return static_cast<std::size_t>(value);
}

}  // namespace

bool is_matrix_market(std::string_view text) {
  return text.starts_with(kBanner);
}

FeedbackGraph parse_matrix_market(std::string_view text, const std::string& origin) {
  Reader reader(text, origin);
  (void)reader.next();
  const std::vector<std::string_view> banner = reader.words();
  const auto is = [&](std::size_t i, std::string_view word) {
    return i < banner.size() && banner[i] == word;
  };
  const bool coordinate = is(2, "coordinate"), pattern = is(3, "pattern"), symmetric = is(4, "symmetric");
  if (!is(1, "matrix") || !(coordinate || is(2, "array")) ||
      !(is(3, "real") || is(3, "integer") || pattern) || !(is(4, "general") || symmetric) ||
      (pattern && !coordinate))
    throw InputError(origin,
                     remark("its first line names another kind of matrix",
                            "must be coordinate or array; real, integer or pattern; general or symmetric"));
  if (!reader.next()) throw InputError(origin, remark("ends before the line of its size"));
  const std::vector<double> size = reader.numbers(
      coordinate ? 3 : 2, coordinate ? "must be rows, columns, entries" : "must be rows, columns");
  if (size[0] != size[1])
    throw InputError(origin,
                     remark(fmt::format("{} x {} values", size[0], size[1]), "the matrix must be square"));
  const std::size_t K = whole(size[0], 2, coordinate ? kLargestGraph : kLargestMatrix, within(origin, "K"));
  std::vector<DirectedEdge> edges;
  std::vector<std::size_t> line_of;
  const auto set = [&](std::size_t i, std::size_t j, double value) {
    placed(reader.place(), [&] { expect_probability(value); });
    const int v = static_cast<int>(i), u = static_cast<int>(j);
    edges.push_back({v, u, value});
    line_of.push_back(reader.line());
    if (!symmetric || v == u) return;
    edges.push_back({u, v, value});
    line_of.push_back(reader.line());
  };
  std::size_t found = 0;
  const std::size_t expected = coordinate  ? whole(size[2], 0, K * K, within(origin, "entries"))
                               : symmetric ? K * (K + 1) / 2
                                           : K * K;
  std::size_t i = 0, j = 0;  // of an array, which runs down the columns
  for (; found < expected && reader.next(); ++found) {
    if (coordinate) {
      const std::vector<double>& entry =
          reader.numbers(pattern ? 2 : 3, pattern ? "must be row, column" : "must be row, column, value");
      set(whole(entry[0], 1, K, reader.place()) - 1, whole(entry[1], 1, K, reader.place()) - 1,
          pattern ? 1.0 : entry[2]);
    } else {
      set(i, j, reader.numbers(1, "must be one value").front());
      if (++i == K) i = symmetric ? ++j : (++j, 0);
    }
  }
  if (found != expected || reader.next())
    throw InputError(origin, remark(fmt::format("does not hold the {} entries that it announces", expected)));
  if (const std::optional<std::size_t> repeated = first_repeated(edges))
    throw InputError(fmt::format("{}: line {}", origin, line_of[*repeated]),
                     bad_state("repeats an entry", "each entry once"));
  return {static_cast<int>(K), std::move(edges), origin};
}

}  // namespace tasfg
