/// Graphs as text: K rows of K probabilities, separated by commas (blanks and tabs around them are
/// fine; lines that are empty or start with '#' are skipped).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

/// Parses a whole CSV text. `origin` (the file's name) opens the error messages.
[[nodiscard]] FeedbackGraph parse_graph_csv(std::string_view text, const std::string& origin);

/// A file's bytes. Anything but a regular file of at most so many bytes is an InputError: pipes and devices
/// may keep a reader waiting, or never end.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t most_bytes);

/// Reads and parses the file.
[[nodiscard]] FeedbackGraph read_graph_csv(const std::string& path);

}  // namespace tasfg
