/// Graph files: CSV text, or a two-dimensional dataset of an HDF5 file.
#pragma once

#include <string>

#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

/// Reads `path`: HDF5 where the file carries HDF5's signature, CSV otherwise. For HDF5, `path` may end in
/// `:dataset`; without it the file must hold exactly one dataset at its root. The dataset
/// must hold plain numbers, in this very file, stored as they are or with gzip, shuffle or fletcher32. The
/// graph of a result file's case is `:/edges[3]`, or `:/edges` where there is one case.
[[nodiscard]] FeedbackGraph read_graph_file(const std::string& path);

}  // namespace tasfg
