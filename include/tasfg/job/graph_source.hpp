/// Graphs that a study names by path instead of computing them: family "file".
#pragma once

#include <functional>
#include <string>

#include "tasfg/model/graph_families.hpp"

namespace tasfg {

/// Gives the graph that a path names. The program's reads files (io/graph_file.hpp); another may take it from
/// wherever a study keeps its graphs. Called from several threads.
using GraphSource = std::function<FeedbackGraph(const std::string& path)>;

/// The graph of any family with its default means; `files` gives those of family "file".
[[nodiscard]] GraphAndMeans graph_of(const GraphFamily& family, const Parameters& given,
                                     const std::string& origin, const GraphSource& files);

}  // namespace tasfg
