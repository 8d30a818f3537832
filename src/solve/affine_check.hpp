/// Whether an expression is affine in each of one or two variables over a box, and where it bends.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "base/expression.hpp"

namespace tasfg {

/// Whether something depends on each of the two variables.
using Dependences = std::array<bool, 2>;

/// A number over a box: constant, or affine in each variable that it depends on, and so given by its values
/// at the corners. (Corner i is at the upper end of variable k where bit k of i is set.)
struct AffineForm {
  Dependences depends{};
  std::array<double, 4> corners{};
  double magnitude =
      0.0;  // of the largest part on the way to its value: its rounding error is some ulps of it
};

/// Where a form bends: a value of one variable, between its ends.
struct Kink {
  std::size_t variable = 0;
  double at = 0.0;
};

/// What keeps an expression from being affine.
struct NotAffine {
  Dependences in{};  // the variables that it is not affine in
  std::string why;   // "p*p multiplies two terms that depend on p"
};

struct AffineCheck {
  AffineForm form;           // where there is neither
  std::optional<Kink> kink;  // split the box there and ask again
  std::optional<NotAffine> failed;
};

/// Variables of a box.
struct VariableBox {
  std::array<double, 2> low{}, high{};
  std::array<std::string, 2> names;
};

/// `names` gives a form for every name that the expression uses.
[[nodiscard]] AffineCheck check_affine(const Expression& expression, const VariableBox& box,
                                       const std::map<std::string, AffineForm, std::less<>>& names);

/// Where a form that depends on one variable takes the value `level` inside the box, if it does; `failed`
/// where it takes it along a line that no cut of one variable follows.
[[nodiscard]] AffineCheck check_level(const AffineForm& form, double level, const VariableBox& box,
                                      const std::string& what);

}  // namespace tasfg
