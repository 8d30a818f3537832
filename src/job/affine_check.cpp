#include "affine_check.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "expression.hpp"
#include <fmt/format.h>

#include "tasfg/base/elementary.hpp"

namespace tasfg {
namespace {

using Forms = std::map<std::string, AffineForm, std::less<>>;

bool constant(const Dependences& depends) {
  return !depends[0] && !depends[1];
}
Dependences either(const Dependences& x, const Dependences& y) {
  return {x[0] || y[0], x[1] || y[1]};
}
Dependences both(const Dependences& x, const Dependences& y) {
  return {x[0] && y[0], x[1] && y[1]};
}

/// A part of the text and the variables that it depends on.
struct Part {
  std::size_t begin = 0, end = 0;
  Dependences depends{};
};

class Structure {
 public:
  Structure(const std::string& text, const std::string& where, const VariableBox& box, const Forms& names)
      : text_(text), where_(where), box_(box), names_(names) {}

  AffineCheck check() {
    const Part whole = sum();
    // Expression has accepted the text; what is not understood to its end here must not be taken for affine.
    if (peek() != '\0') fail({true, true}, "is not understood");
    if (!result_.failed && !result_.kink) {
      result_.form.depends = whole.depends;
      result_.form.corners = values(text_);
    }
    result_.form.magnitude = magnitude_;
    return std::move(result_);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] std::string text_of(const Part& part) const {
    return text_.substr(part.begin, part.end - part.begin);
  }

  /// Values of a text at the corners of the box.
  std::array<double, 4> values(const std::string& text) {
    const Expression expression(text, where_);
    std::array<double, 4> result{};
    for (std::size_t corner = 0; corner < 4; ++corner) {
      std::map<std::string, double, std::less<>> at;
      for (const std::string& name : expression.names())
        at.emplace(name, names_.find(name)->second.corners[corner]);
      result[corner] = expression(at);
      magnitude_ = std::max(magnitude_, std::abs(result[corner]));
    }
    return result;
  }

  void fail(const Dependences& in, const std::string& why) {
    if (!result_.failed) result_.failed = NotAffine{in, fmt::format("{} {}", text_, why)};
  }
  [[nodiscard]] std::string variables(const Dependences& depends) const {
    if (depends[0] && depends[1]) return box_.names[0] + " and " + box_.names[1];
    return box_.names[depends[0] ? 0 : 1];
  }

  Part sum() {
    Part left = product();
    while (peek() == '+' || peek() == '-') {
      ++at_;
      const Part right = product();
      weigh(left);
      weigh(right);
      left = {left.begin, right.end, either(left.depends, right.depends)};
    }
    return left;
  }

  /// Notes how large a part gets: what cancels in a sum leaves its rounding error behind.
  void weigh(const Part& part) {
    if (!result_.failed && !result_.kink) static_cast<void>(values(text_of(part)));
  }

  Part product() {
    Part left = sign();
    while (peek() == '*' || peek() == '/') {
      const bool divides = text_[at_] == '/';
      ++at_;
      const Part right = sign();
      if (divides && !constant(right.depends))
        fail(right.depends, fmt::format("divides by what depends on {}", variables(right.depends)));
      if (const Dependences twice = both(left.depends, right.depends); !constant(twice))
        fail(twice, fmt::format("multiplies terms that both depend on {}", variables(twice)));
      left = {left.begin, right.end, either(left.depends, right.depends)};
    }
    return left;
  }

  /// Signs bind less than ^: -x^2 is -(x^2).
  Part sign() {
    skip_blanks();
    const std::size_t begin = at_;
    if (take('-') || take('+')) {
      const Part inner = sign();
      return {begin, inner.end, inner.depends};
    }
    return power();
  }

  Part power() {
    const Part base = primary();
    if (!take('^')) return base;
    const Part exponent = sign();
    const Dependences depends = either(base.depends, exponent.depends);
    const Part all{base.begin, exponent.end, depends};
    if (constant(depends)) return all;
    if (constant(exponent.depends) && !result_.failed && !result_.kink && values(text_of(exponent))[0] == 1.0)
      return all;
    fail(depends, fmt::format("raises what depends on {} to a power", variables(depends)));
    return all;
  }

  Part primary() {
    skip_blanks();
    const std::size_t begin = at_;
    if (take('(')) {
      const Part inner = sum();
      take(')');
      return {begin, at_, inner.depends};
    }
    const auto letter = [this](std::size_t i) {
      return i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) != 0 || text_[i] == '_');
    };
    if (letter(at_) && std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) {
      while (letter(at_)) ++at_;
      const std::string name = text_.substr(begin, at_ - begin);
      if (peek() == '(') return call(name, begin);
      const auto found = names_.find(name);
      if (found == names_.end()) return {begin, begin + name.size(), {}};  // pi, e
      magnitude_ = std::max(magnitude_, found->second.magnitude);
      return {begin, begin + name.size(), found->second.depends};
    }
    // A number: digits, a point, an exponent with its sign.
    while (letter(at_) || (at_ < text_.size() && text_[at_] == '.') ||
           (at_ > begin && at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-') &&
            (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
      ++at_;
    if (at_ == begin) {
      fail({true, true}, "is not understood");
      at_ = text_.size();
    }
    return {begin, at_, {}};
  }

  Part call(const std::string& name, std::size_t begin) {
    take('(');
    std::vector<Part> arguments = {sum()};
    while (take(',')) arguments.push_back(sum());
    take(')');
    Part all{begin, at_, {}};
    for (const Part& each : arguments) all.depends = either(all.depends, each.depends);
    if (constant(all.depends)) return all;
    if (name == "min" || name == "max") {
      for (std::size_t i = 0; i < arguments.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          bend(fmt::format("({})-({})", text_of(arguments[i]), text_of(arguments[j])),
               either(arguments[i].depends, arguments[j].depends), name);
    } else if (name == "abs") {
      bend(text_of(arguments[0]), all.depends, name);
    } else {
      fail(all.depends, fmt::format("takes {} of what depends on {}", name, variables(all.depends)));
    }
    return all;
  }

  /// A function that bends where `difference` changes its sign.
  void bend(const std::string& difference, const Dependences& depends, const std::string& function) {
    if (result_.failed || result_.kink || constant(depends)) return;
    const AffineForm form{depends, values(difference), magnitude_};
    AffineCheck found = check_level(form, 0.0, box_, fmt::format("{}: its {}", text_, function));
    if (found.failed) result_.failed = std::move(found.failed);
    if (found.kink) result_.kink = found.kink;
  }

  const std::string& text_;
  const std::string& where_;
  const VariableBox& box_;
  const Forms& names_;
  std::size_t at_ = 0;
  double magnitude_ = 0.0;
  AffineCheck result_;
};

}  // namespace

AffineCheck check_level(const AffineForm& form, double level, const VariableBox& box,
                        const std::string& what) {
  AffineCheck result;
  result.form = form;
  if (constant(form.depends)) return result;
  const double nothing = 8.0 * kEpsilon * std::max(form.magnitude, std::abs(level));
  const auto [least, most] = std::minmax_element(form.corners.begin(), form.corners.end());
  if (*least >= level - nothing || *most <= level + nothing) return result;
  if (form.depends[0] && form.depends[1]) {
    result.failed = NotAffine{{false, true}, what + " bends along a line between the parameters"};
    return result;
  }
  const std::size_t k = form.depends[0] ? 0 : 1;
  const double low = form.corners[0] - level;
  const double high = form.corners[std::size_t{1} << k] - level;
  const double at = box.low[k] + (box.high[k] - box.low[k]) * (low / (low - high));
  if (at > box.low[k] && at < box.high[k]) result.kink = Kink{k, at};
  return result;
}

AffineCheck check_affine(const std::string& text, const std::string& where, const VariableBox& box,
                         const std::map<std::string, AffineForm, std::less<>>& names) {
  return Structure(text, where, box, names).check();
}

}  // namespace tasfg
