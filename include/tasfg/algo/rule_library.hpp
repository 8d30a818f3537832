/// Shared libraries of sampling rules (include/tasfg/rule.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/algo/rules/external.hpp"

namespace tasfg {

/// The rules of all libraries given, each by its name.
class RuleLibraries {
 public:
  /// Loads a library, for as long as the process lives; its rules join. An InputError says what is wrong
  /// with it: not there, not a library, no rules, another version, a name that is taken.
  void load(const std::string& path, const std::string& origin);

  [[nodiscard]] std::span<const std::shared_ptr<const ExternalDefinition>> rules() const { return rules_; }
  /// Built-in names first, then those of the libraries.
  [[nodiscard]] std::vector<std::string_view> names() const;
  /// The built-in algorithm of that name, or a library's; an InputError with the nearest name.
  [[nodiscard]] Algorithm algorithm(std::string_view name, const std::string& origin) const;

 private:
  std::vector<std::shared_ptr<const ExternalDefinition>> rules_;
};

}  // namespace tasfg
