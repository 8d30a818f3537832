/// Arithmetic over named numbers, such as "0.25*(1-2*q)/(K-1)": how one parameter of a job follows from
/// others.
///
/// muParser parses; the arithmetic is ours, so that a value is the same bits on every CPU: + − × ÷ are
/// IEEE's, x^y multiplies repeatedly where y is whole and is exp(y log x) elsewhere, and exp and log are
/// those of base/elementary.hpp.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tasfg {

class Expression {
 public:
  /// Parses. `where` (file and key) opens the error messages.
  Expression(std::string text, std::string where);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  /// The names that the expression uses, each once, in alphabetical order; constants (pi, e) are none.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// The value where every name has the value given; anything but a finite number is an InputError.
  [[nodiscard]] double operator()(const std::map<std::string, double, std::less<>>& values) const;

 private:
  struct Parsed;  // muParser's object and the cells that it reads

  std::string text_;
  std::string where_;
  std::vector<std::string> names_;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace tasfg
