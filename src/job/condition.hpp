/// Comparisons of expressions, such as "p + q <= 1" or "0 < r < p": which points of a grid a block keeps.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/expression.hpp"

namespace tasfg {

class Condition {
 public:
  /// Parses. `where` (file and key) opens the error messages.
  Condition(const std::string& text, const std::string& where);

  [[nodiscard]] const std::string& where() const { return where_; }
  /// The names that the sides use; some may stand twice.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Whether every comparison holds.
  [[nodiscard]] bool operator()(const std::map<std::string, double, std::less<>>& values) const;

 private:
  using Holds = bool (*)(double, double);
  std::string where_;
  std::vector<Expression> sides_;
  std::vector<Holds> comparisons_;  // one less
};

}  // namespace tasfg
