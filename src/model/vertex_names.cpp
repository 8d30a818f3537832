#include "tasfg/model/vertex_names.hpp"

#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {

std::string ModelOrigin::vertex(int v) const {
  return named(v) ? "vertex " + quotable(name(v)) : fmt::format("vertex {} (counted from 0)", v);
}
std::string ModelOrigin::vertices(int v, int u) const {
  return named(v) && named(u) ? fmt::format("vertices {} and {}", quotable(name(v)), quotable(name(u)))
                              : fmt::format("vertices {} and {} (counted from 0)", v, u);
}
std::string ModelOrigin::mean(int v) const {
  return named(v) ? fmt::format("means[{}]", quotable(name(v))) : fmt::format("means[{}]", v);
}
std::string ModelOrigin::edge(int from, int to) const {
  return named(from) && named(to) ? fmt::format("edge {} -> {}", quotable(name(from)), quotable(name(to)))
                                  : fmt::format("row {}, column {}", from + 1, to + 1);
}

}  // namespace tasfg
