/// Arithmetic over named numbers, such as "0.25*(1-2*q)/(K-1)": how one parameter follows from others.
///
/// A value is the same bits on every CPU: + − × ÷ are IEEE's, x^y multiplies repeatedly where y is whole and
/// is exp(y log x) elsewhere, and exp and log are those of base/elementary.hpp.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tasfg {

class Expression {
 public:
  /// What it is made of, for those who ask how it depends on its names.
  struct Node {
    enum class Kind { number, name, sign, sum, product, quotient, power, call };
    using Operation = double (*)(std::span<const double>);

    Kind kind = Kind::number;
    double number = 0.0;            // of a number
    std::size_t name = 0;           // of a name: its place in names()
    std::string function;           // of a call
    Operation operation = nullptr;  // on the values of the parts
    std::vector<Node> parts;
  };

  /// Parses. `where` (file and key) opens the error messages.
  Expression(std::string text, std::string where);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  /// The names that the expression uses, each once, in alphabetical order; constants (pi, e) are none.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const Node& root() const { return root_; }

  /// The value where every name has the value given; anything but a finite number is an InputError.
  [[nodiscard]] double operator()(const std::map<std::string, double, std::less<>>& values) const;
  /// The same of a part; `values` stand in the order of names().
  [[nodiscard]] double value(const Node& part, std::span<const double> values) const;

 private:
  std::string text_;
  std::string where_;
  std::vector<std::string> names_;
  Node root_;
};

}  // namespace tasfg
