/// Graphs as text: a matrix of K rows of K probabilities, or a list of edges. Row v holds what choosing
/// vertex v shows: entry (v, u) is the probability that v shows u.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tasfg/model/feedback_graph.hpp"

namespace tasfg {

/// The largest file that is read as a graph.
inline constexpr std::size_t kLargestGraphFile = std::size_t{1} << 30;
/// What a matrix must be, for messages and help.
inline constexpr std::string_view kMatrixOrientation =
    "K rows of K probabilities; row: chosen vertex, column: shown vertex";

/// Parses a whole text. Values are separated by commas, semicolons, blanks or tabs; lines that are empty or
/// start with '#' are skipped, and so are a first line of names and a first column of names. With the first
/// line `from,to,probability` the rest are edges, vertices counted from 0. `origin` (the file's name) opens
/// the error messages.
[[nodiscard]] FeedbackGraph parse_graph_csv(std::string_view text, const std::string& origin);

/// Numbers separated by commas, semicolons, blanks or ends of lines, and nothing else but comments.
[[nodiscard]] std::vector<double> parse_vector(std::string_view text, const std::string& origin);

/// A probability, or an InputError without a place.
void expect_probability(double value);

/// A file's bytes. Anything but a regular file of at most so many bytes is an InputError: pipes and devices
/// may keep a reader waiting, or never end.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t most_bytes);

/// Reads and parses the file.
[[nodiscard]] FeedbackGraph read_graph_csv(const std::string& path);

}  // namespace tasfg
