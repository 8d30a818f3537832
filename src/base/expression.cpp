#include "expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"

namespace tasfg {
namespace {

using Node = Expression::Node;
using Kind = Node::Kind;
using Numbers = std::span<const double>;

constexpr std::size_t kLongest = 1000;

/// x^n for whole n, by squaring.
double whole_power(double x, std::uint64_t n) {
  double result = 1.0;
  for (double square = x; n != 0; n >>= 1) {
    if ((n & 1U) != 0) result *= square;
    square *= square;
  }
  return result;
}

double power(double x, double y) {
  constexpr double kLargestWhole = 0x1p53;
  if (y == std::floor(y) && std::abs(y) <= kLargestWhole) {
    const double magnitude = whole_power(x, static_cast<std::uint64_t>(std::abs(y)));
    return y < 0.0 ? 1.0 / magnitude : magnitude;
  }
  if (x == 0.0) return y > 0.0 ? 0.0 : kInfinity;
  return exp(y * log(x));
}

/// The least (or largest) of the arguments; a NaN among them is the result, lest it vanish.
template <typename Before>
double extreme(Numbers x, Before before) {
  double best = x[0];
  for (const double each : x.subspan(1))
    if (before(each, best) || std::isnan(each)) best = each;
  return best;
}

struct Function {
  std::string_view name;
  std::size_t most;  // arguments; the least is one
  Node::Operation operation;
};
constexpr std::size_t kMany = kLongest;
constexpr Function kFunctions[] = {
    {"abs", 1, [](Numbers x) { return std::abs(x[0]); }},
    {"ceil", 1, [](Numbers x) { return std::ceil(x[0]); }},
    {"exp", 1, [](Numbers x) { return tasfg::exp(x[0]); }},
    {"floor", 1, [](Numbers x) { return std::floor(x[0]); }},
    {"log", 1, [](Numbers x) { return tasfg::log(x[0]); }},
    {"max", kMany, [](Numbers x) { return extreme(x, std::greater<>()); }},
    {"min", kMany, [](Numbers x) { return extreme(x, std::less<>()); }},
    {"sqrt", 1, [](Numbers x) { return std::sqrt(x[0]); }},
};

struct Constant {
  std::string_view name;
  double value;
};
constexpr Constant kConstants[] = {{"e", 0x1.5bf0a8b145769p+1}, {"pi", 0x1.921fb54442d18p+1}};

Node joined(Kind kind, Node::Operation operation, Node left, Node right) {
  Node node{kind, 0.0, 0, {}, operation, {}};
  node.parts.push_back(std::move(left));
  node.parts.push_back(std::move(right));
  return node;
}

double raw_value(const Node& node, Numbers names) {
  if (node.kind == Kind::number) return node.number;
  if (node.kind == Kind::name) return names[node.name];
  std::vector<double> parts;
  parts.reserve(node.parts.size());
  for (const Node& part : node.parts) parts.push_back(raw_value(part, names));
  return node.operation(parts);
}

/// Recursive descent:
///
///     sum     = product {("+" | "-") product}
///     product = signed {("*" | "/") signed}
///     signed  = {"+" | "-"} power                     −x^2 is −(x^2)
///     power   = primary ["^" signed]                  x^y^z is x^(y^z)
///     primary = number | name | function "(" sum {"," sum} ")" | "(" sum ")"
class Parser {
 public:
  Parser(std::string_view text, const std::string& where) : text_(text), where_(where) { check_characters(); }

  Node run() {
    Node root = sum();
    if (peek() == ',') fail("a comma outside the brackets of a function; must be one expression");
    expect_end();
    return root;
  }

  std::vector<std::string> names;  // in the order in which they come

 private:
  [[noreturn]] void fail(std::string why) const { throw InputError(where_, bad_text(text_, std::move(why))); }

  void check_characters() const {
    constexpr std::string_view kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_. +-*/^(),";
    if (text_.find_first_not_of(' ') == std::string_view::npos) fail("must be a number or an expression");
    if (text_.size() > kLongest)
      fail(fmt::format("an expression of {} characters; must have at most {}", text_.size(), kLongest));
    const auto bad = text_.find_first_not_of(kAllowed);
    if (bad != std::string_view::npos)
      fail("an expression holds numbers, names, + - * / ^, brackets and commas; not " +
           in_quotes(text_.substr(bad, 1)));
  }

  /// The next character but blanks; 0 at the end.
  char peek() {
    at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect_end() {
    if (const char c = peek(); c != '\0')
      fail(c == ')' ? "a bracket is closed that was not opened" : unexpected());
  }
  void expect_closed() {
    if (take(')')) return;
    fail(peek() == '\0' ? "a bracket is not closed" : unexpected());
  }
  [[nodiscard]] std::string unexpected() const {
    const std::string_view word = word_at(at_);
    return fmt::format("{} at character {} does not follow from what stands before it",
                       in_quotes(word.empty() ? text_.substr(at_, 1) : word), at_ + 1);
  }
  [[nodiscard]] std::string_view word_at(std::size_t begin) const {
    constexpr std::string_view kWord = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    return text_.substr(begin, std::min(text_.find_first_not_of(kWord, begin), text_.size()) - begin);
  }

  Node sum() {
    Node left = product();
    for (;;) {
      if (take('+'))
        left = joined(
            Kind::sum, [](Numbers x) { return x[0] + x[1]; }, std::move(left), product());
      else if (take('-'))
        left = joined(
            Kind::sum, [](Numbers x) { return x[0] - x[1]; }, std::move(left), product());
      else
        return left;
    }
  }

  Node product() {
    Node left = signed_power();
    for (;;) {
      if (take('*'))
        left = joined(
            Kind::product, [](Numbers x) { return x[0] * x[1]; }, std::move(left), signed_power());
      else if (take('/'))
        left = joined(
            Kind::quotient, [](Numbers x) { return x[0] / x[1]; }, std::move(left), signed_power());
      else
        return left;
    }
  }

  Node signed_power() {
    if (take('+')) return signed_power();
    if (!take('-')) return power_of_primary();
    Node node{Kind::sign, 0.0, 0, {}, [](Numbers x) { return -x[0]; }, {}};
    node.parts.push_back(signed_power());
    return node;
  }

  Node power_of_primary() {
    Node base = primary();
    if (!take('^')) return base;
    return joined(
        Kind::power, [](Numbers x) { return power(x[0], x[1]); }, std::move(base), signed_power());
  }

  Node primary() {
    if (take('(')) {
      Node inner = sum();
      expect_closed();
      return inner;
    }
    const char c = peek();
    if (c == '\0') fail("a number or a name is missing at the end");
    if ((c >= '0' && c <= '9') || c == '.') return number();
    const std::string_view word = word_at(at_);
    if (word.empty()) fail(unexpected());
    at_ += word.size();
    return named(word);
  }

  Node number() {
    Node node;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), node.number);
    if (error == std::errc::invalid_argument) fail(unexpected());
    if (error != std::errc{}) fail("holds a number that no double can be");
    at_ = static_cast<std::size_t>(end - text_.data());
    return node;
  }

  Node named(std::string_view word) {
    const Function* function = find_row<Function>(kFunctions, word);
    if (take('(')) {
      if (function == nullptr)
        fail(fmt::format("there is no function {}; known: {}", word,
                         fmt::join(names_of<Function>(kFunctions), ", ")));
      return call(*function);
    }
    if (function != nullptr) fail(fmt::format("{0} is a function; must be written {0}(x)", word));
    if (const Constant* constant = find_row<Constant>(kConstants, word))
      return {Kind::number, constant->value, 0, {}, nullptr, {}};
    const auto found = std::find(names.begin(), names.end(), word);
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) names.emplace_back(word);
    return {Kind::name, 0.0, place, {}, nullptr, {}};
  }

  Node call(const Function& function) {
    Node node{Kind::call, 0.0, 0, std::string(function.name), function.operation, {}};
    if (peek() != ')') {
      do node.parts.push_back(sum());
      while (take(','));
    }
    expect_closed();
    if (node.parts.empty() || node.parts.size() > function.most)
      fail(fmt::format("{} takes {}, not {}", function.name,
                       function.most == 1 ? "one number" : "one number or more", node.parts.size()));
    return node;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

void rename(Node& node, const std::vector<std::size_t>& places) {
  if (node.kind == Kind::name) node.name = places[node.name];
  for (Node& part : node.parts) rename(part, places);
}

}  // namespace

Expression::Expression(std::string text, std::string where)
    : text_(std::move(text)), where_(std::move(where)) {
  Parser parser(text_, where_);
  root_ = parser.run();
  names_ = parser.names;
  std::sort(names_.begin(), names_.end());
  std::vector<std::size_t> places;
  for (const std::string& name : parser.names)
    places.push_back(
        static_cast<std::size_t>(std::lower_bound(names_.begin(), names_.end(), name) - names_.begin()));
  rename(root_, places);
}

double Expression::value(const Node& part, std::span<const double> values) const {
  TASFG_EXPECT(values.size() == names_.size());
  const double value = raw_value(part, values);
  if (std::isfinite(value)) return value;
  std::string at;
  for (std::size_t i = 0; i < names_.size(); ++i)
    at += fmt::format("{}{}={}", i == 0 ? " at " : " ", names_[i], to_text(values[i]));
  throw InputError(where_, bad_text(text_, fmt::format("is {}{}; must be a finite number",
                                                       std::isnan(value) ? "not a number" : "infinite", at)));
}

double Expression::operator()(const std::map<std::string, double, std::less<>>& values) const {
  std::vector<double> ordered;
  ordered.reserve(names_.size());
  for (const std::string& name : names_) {
    const auto found = values.find(name);
    TASFG_EXPECT(found != values.end());
    ordered.push_back(found->second);
  }
  return value(root_, ordered);
}

}  // namespace tasfg
