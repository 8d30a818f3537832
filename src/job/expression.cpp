#include "expression.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <muParser.h>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

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
double extreme(const double* x, int count, Before before) {
  if (count < 1) throw mu::ParserError("min and max need an argument");
  double best = x[0];
  for (int i = 1; i < count; ++i)
    if (before(x[i], best) || std::isnan(x[i])) best = x[i];
  return best;
}

void define_arithmetic(mu::Parser& parser) {
  // muParser's own functions call the C library, whose last bit differs between CPUs, and its own operators
  // are rewritten by its optimiser (a*x + b becomes one instruction).
  parser.ClearFun();
  parser.ClearConst();
  parser.ClearInfixOprt();
  parser.ClearPostfixOprt();
  parser.EnableBuiltInOprt(false);
  parser.EnableOptimizer(false);
  parser.DefineOprt(
      "+", [](double a, double b) { return a + b; }, mu::prADD_SUB);
  parser.DefineOprt(
      "-", [](double a, double b) { return a - b; }, mu::prADD_SUB);
  parser.DefineOprt(
      "*", [](double a, double b) { return a * b; }, mu::prMUL_DIV);
  parser.DefineOprt(
      "/", [](double a, double b) { return a / b; }, mu::prMUL_DIV);
  parser.DefineOprt("^", &power, mu::prPOW, mu::oaRIGHT);
  parser.DefineInfixOprt("-", [](double a) { return -a; });
  parser.DefineInfixOprt("+", [](double a) { return a; });
  parser.DefineFun(
      "min", +[](const double* x, int count) { return extreme(x, count, std::less<>()); });
  parser.DefineFun(
      "max", +[](const double* x, int count) { return extreme(x, count, std::greater<>()); });
  parser.DefineFun(
      "abs", +[](double a) { return std::abs(a); });
  parser.DefineFun(
      "sqrt", +[](double a) { return std::sqrt(a); });
  parser.DefineFun(
      "floor", +[](double a) { return std::floor(a); });
  parser.DefineFun(
      "ceil", +[](double a) { return std::ceil(a); });
  parser.DefineFun(
      "exp", +[](double a) { return tasfg::exp(a); });
  parser.DefineFun(
      "log", +[](double a) { return tasfg::log(a); });
  parser.DefineConst("pi", 0x1.921fb54442d18p+1);
  parser.DefineConst("e", 0x1.5bf0a8b145769p+1);
}

/// muParser has strings, conditions and assignments too; an expression here has none of them.
void check_characters(const std::string& text, const std::string& where) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_. +-*/^(),";
  if (text.find_first_not_of(' ') == std::string::npos)
    throw InputError(where, bad_text(text, "must be a number or an expression"));
  if (text.size() > kLongest)
    throw InputError(where, bad_text(text, fmt::format("an expression of {} characters; must have at most {}",
                                                       text.size(), kLongest)));
  const auto bad = text.find_first_not_of(kAllowed);
  if (bad != std::string::npos)
    throw InputError(
        where, bad_text(text, "an expression holds numbers, names, + - * / ^, brackets and commas; not " +
                                  in_quotes(std::string_view(text).substr(bad, 1))));
}

[[noreturn]] void fail(const std::string& text, const std::string& where, const mu::ParserError& error) {
  std::string message = error.GetCode() == mu::ecINTERNAL_ERROR ? "cannot be parsed" : error.GetMsg();
  while (!message.empty() && (message.back() == '.' || message.back() == ' ')) message.pop_back();
  throw InputError(where, bad_text(text, "muParser: " + message));
}

}  // namespace

struct Expression::Parsed {
  mu::Parser parser;
  std::vector<double> cells;  // one per name; muParser keeps pointers to them
};

Expression::Expression(std::string text, std::string where)
    : text_(std::move(text)), where_(std::move(where)), parsed_(std::make_unique<Parsed>()) {
  check_characters(text_, where_);
  try {
    mu::Parser& parser = parsed_->parser;
    define_arithmetic(parser);
    parser.SetExpr(text_);
    for (const auto& [name, cell] : parser.GetUsedVar()) names_.push_back(name);
    parsed_->cells.assign(names_.size(), 1.0);
    for (std::size_t i = 0; i < names_.size(); ++i) parser.DefineVar(names_[i], &parsed_->cells[i]);
    static_cast<void>(parser.Eval());  // compiles; the value does not matter yet
    if (parser.GetNumResults() != 1)
      throw InputError(where_,
                       bad_text(text_, fmt::format("{} expressions; must be one", parser.GetNumResults())));
  } catch (const mu::ParserError& error) {
    fail(text_, where_, error);
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

double Expression::operator()(const std::map<std::string, double, std::less<>>& values) const {
  double value = 0.0;
  std::string at;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto found = values.find(names_[i]);
    TASFG_EXPECT(found != values.end());
    parsed_->cells[i] = found->second;
    at += fmt::format("{}{}={}", i == 0 ? " at " : " ", names_[i], to_text(found->second));
  }
  try {
    value = parsed_->parser.Eval();
  } catch (const mu::ParserError& error) {
    fail(text_, where_, error);
  }
  if (!std::isfinite(value))
    throw InputError(where_,
                     bad_text(text_, fmt::format("is {}{}; must be a finite number",
                                                 std::isnan(value) ? "not a number" : "infinite", at)));
  return value;
}

}  // namespace tasfg
