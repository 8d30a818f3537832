/// Graphs that a study names by path instead of computing them: family "file".
#pragma once

#include <string>

#include "tasfg/model/graph_families.hpp"

namespace tasfg {

/// The graph of any family with its default means; `files` gives those of family "file".
[[nodiscard]] GraphAndMeans graph_of(const GraphFamily& family, const Parameters& given,
                                     const std::string& origin, const GraphSource& files);

}  // namespace tasfg
