/// Where a model came from, and what its vertices are called there: what error messages say.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tasfg {

/// A file, a family, an option; vertices by number (matrices, families) or by names of their own (a labelled
/// graph).
struct ModelOrigin {
  ModelOrigin(std::string from) : text(std::move(from)) {}  // NOLINT: a text is an origin without names
  ModelOrigin(const char* from) : text(from) {}             // NOLINT
  ModelOrigin(std::string from, std::vector<std::string> called)
      : text(std::move(from)), names(std::move(called)) {}

  std::string text;
  std::vector<std::string> names;  // one for each vertex, or none
  std::string advice;              // what to look for where a vertex is never shown

  [[nodiscard]] bool named(int v) const { return static_cast<std::size_t>(v) < names.size(); }
  [[nodiscard]] const std::string& name(int v) const { return names[static_cast<std::size_t>(v)]; }
  /// "vertex 3 (counted from 0)", or "vertex lima".
  [[nodiscard]] std::string vertex(int v) const;
  /// "vertices 3 and 4 (counted from 0)", or "vertices lima and quito".
  [[nodiscard]] std::string vertices(int v, int u) const;
  /// "means[3]", or "means[lima]".
  [[nodiscard]] std::string mean(int v) const;
  /// "row 4, column 5", or "edge lima -> quito".
  [[nodiscard]] std::string edge(int from, int to) const;
};

}  // namespace tasfg
