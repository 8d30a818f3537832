#include "condition.hpp"

#include "tasfg/base/error.hpp"

namespace tasfg {

Condition::Condition(const std::string& text, const std::string& where) : where_(where) {
  struct Sign {
    std::string_view text;
    Holds holds;
  };
  // The longer ones first.
  constexpr Sign kSigns[] = {
      {"<=", [](double a, double b) { return a <= b; }}, {">=", [](double a, double b) { return a >= b; }},
      {"==", [](double a, double b) { return a == b; }}, {"!=", [](double a, double b) { return a != b; }},
      {"<", [](double a, double b) { return a < b; }},   {">", [](double a, double b) { return a > b; }}};
  std::vector<std::string> sides(1);
  for (std::size_t at = 0; at < text.size();) {
    const Sign* found = nullptr;
    for (const Sign& sign : kSigns)
      if (found == nullptr && text.compare(at, sign.text.size(), sign.text) == 0) found = &sign;
    if (found == nullptr) {
      sides.back() += text[at++];
      continue;
    }
    comparisons_.push_back(found->holds);
    sides.emplace_back();
    at += found->text.size();
  }
  if (comparisons_.empty())
    throw InputError(where, bad_text(text, "must compare, with one of <= >= < > == !="));
  for (std::string& side : sides) sides_.emplace_back(std::move(side), where);
}

std::vector<std::string> Condition::names() const {
  std::vector<std::string> all;
  for (const Expression& side : sides_) all.insert(all.end(), side.names().begin(), side.names().end());
  return all;
}

bool Condition::operator()(const std::map<std::string, double, std::less<>>& values) const {
  for (std::size_t i = 0; i < comparisons_.size(); ++i)
    if (!comparisons_[i](sides_[i](values), sides_[i + 1](values))) return false;
  return true;
}

}  // namespace tasfg
