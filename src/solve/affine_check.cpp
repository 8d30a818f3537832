#include "affine_check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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

class Structure {
 public:
  Structure(const Expression& expression, const VariableBox& box, const Forms& names)
      : expression_(expression), box_(box) {
    for (const std::string& name : expression.names()) names_.push_back(&names.find(name)->second);
  }

  AffineCheck check() {
    const Dependences depends = visit(expression_.root());
    if (!settled()) {
      result_.form.depends = depends;
      result_.form.corners = weighed(expression_.root());
    }
    result_.form.magnitude = magnitude_;
    return std::move(result_);
  }

 private:
  using Node = Expression::Node;
  using Corners = std::array<double, 4>;

  [[nodiscard]] bool settled() const { return result_.failed || result_.kink; }

  /// Values at the corners of the box.
  [[nodiscard]] Corners values(const Node& node) const {
    Corners result{};
    std::vector<double> at(names_.size());
    for (std::size_t corner = 0; corner < 4; ++corner) {
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = names_[i]->corners[corner];
      result[corner] = expression_.value(node, at);
    }
    return result;
  }
  /// The same, noting how large they get: what cancels in a sum leaves its rounding error behind.
  Corners weighed(const Node& node) { return noted(values(node)); }
  Corners noted(const Corners& found) {
    for (const double each : found) magnitude_ = std::max(magnitude_, std::abs(each));
    return found;
  }

  void fail(const Dependences& in, const std::string& why) {
    if (!result_.failed) result_.failed = NotAffine{in, fmt::format("{} {}", expression_.text(), why)};
  }
  [[nodiscard]] std::string variables(const Dependences& depends) const {
    if (depends[0] && depends[1]) return box_.names[0] + " and " + box_.names[1];
    return box_.names[depends[0] ? 0 : 1];
  }

  /// What a part depends on; notes what is not affine and what bends.
  Dependences visit(const Node& node) {
    if (node.kind == Node::Kind::name) {
      magnitude_ = std::max(magnitude_, names_[node.name]->magnitude);
      return names_[node.name]->depends;
    }
    std::vector<Dependences> parts;
    Dependences all{};
    for (const Node& part : node.parts) {
      parts.push_back(visit(part));
      all = either(all, parts.back());
    }
    switch (node.kind) {
      case Node::Kind::sum:
        for (const Node& part : node.parts)
          if (!settled()) weighed(part);
        break;
      case Node::Kind::quotient:
        if (!constant(parts[1]))
          fail(parts[1], fmt::format("divides by what depends on {}", variables(parts[1])));
        [[fallthrough]];
      case Node::Kind::product:
        if (const Dependences twice = both(parts[0], parts[1]); !constant(twice))
          fail(twice, fmt::format("multiplies terms that both depend on {}", variables(twice)));
        break;
      case Node::Kind::power:
        if (!constant(all) && !(constant(parts[1]) && !settled() && weighed(node.parts[1])[0] == 1.0))
          fail(all, fmt::format("raises what depends on {} to a power", variables(all)));
        break;
      case Node::Kind::call:
        if (!constant(all)) call(node, parts, all);
        break;
      default:
        break;
    }
    return all;
  }

  void call(const Node& node, const std::vector<Dependences>& parts, const Dependences& all) {
    if (node.function == "min" || node.function == "max") {
      for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          bend(node, either(parts[i], parts[j]), &node.parts[i], &node.parts[j]);
    } else if (node.function == "abs") {
      bend(node, all, node.parts.data(), nullptr);
    } else {
      fail(all, fmt::format("takes {} of what depends on {}", node.function, variables(all)));
    }
  }

  /// A function that bends where `of`, less `other` if there is one, changes its sign.
  void bend(const Node& node, const Dependences& depends, const Node* of, const Node* other) {
    if (settled() || constant(depends)) return;
    Corners difference = values(*of);
    if (other != nullptr) {
      const Corners less = values(*other);
      for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= less[i];
    }
    noted(difference);
    const AffineForm form{depends, difference, magnitude_};
    AffineCheck found =
        check_level(form, 0.0, box_, fmt::format("{}: its {}", expression_.text(), node.function));
    if (found.failed) result_.failed = std::move(found.failed);
    if (found.kink) result_.kink = found.kink;
  }

  const Expression& expression_;
  const VariableBox& box_;
  std::vector<const AffineForm*> names_;  // in the order of the expression's
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

AffineCheck check_affine(const Expression& expression, const VariableBox& box,
                         const std::map<std::string, AffineForm, std::less<>>& names) {
  return Structure(expression, box, names).check();
}

}  // namespace tasfg
