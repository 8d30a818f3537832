/// Graph files: a matrix (CSV, .npy, Matrix Market, or a dataset of an HDF5 file) or a list of edges (CSV).
#pragma once

#include <string>
#include <vector>

#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

/// Reads `path`. What it is, its first bytes tell: HDF5, .npy (model/npy.hpp), Matrix Market
/// (model/matrix_market.hpp), CSV otherwise (model/graph_csv.hpp). For HDF5, `path` may end in
/// `:dataset`; without it the file must hold exactly one dataset at its root. The dataset
/// must hold plain numbers, in this very file, stored as they are or with gzip, shuffle or fletcher32. The
/// graph of a result file's case is `:/edges[3]`, or `:/edges` where there is one case.
[[nodiscard]] FeedbackGraph read_graph_file(const std::string& path);

/// Reads the numbers of a text or .npy file, all of them in order.
[[nodiscard]] std::vector<double> read_numbers_file(const std::string& path);

}  // namespace tasfg
