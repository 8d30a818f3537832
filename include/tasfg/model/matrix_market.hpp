/// Graphs in NIST's Matrix Market format (.mtx), as scipy.io.mmwrite and others write them: entry (i, j) is
/// the probability that vertex i shows vertex j, both counted from 1 there.
#pragma once

#include <string>
#include <string_view>

#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

/// Whether the text starts as such a file does.
[[nodiscard]] bool is_matrix_market(std::string_view text);

/// Parses a whole text: `coordinate` or `array`; real, integer or pattern (ones); general or symmetric.
/// `origin` (the file's name) opens the error messages.
[[nodiscard]] FeedbackGraph parse_matrix_market(std::string_view text, const std::string& origin);

}  // namespace tasfg
