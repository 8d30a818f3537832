/// Graphs as text: K rows of K probabilities, separated by commas (blanks and tabs around them are
/// fine; lines that are empty or start with '#' are skipped).
#pragma once

#include <string>
#include <string_view>

#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

/// Parses a whole CSV text. `origin` (the file's name) opens the error messages.
[[nodiscard]] FeedbackGraph parse_graph_csv(std::string_view text, const std::string& origin);

/// A file's bytes; a missing file, a directory or an unreadable file is an InputError.
[[nodiscard]] std::string read_text_file(const std::string& path);

/// Reads and parses the file.
[[nodiscard]] FeedbackGraph read_graph_csv(const std::string& path);

}  // namespace tasfg
