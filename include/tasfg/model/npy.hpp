/// Arrays as numpy.save writes them (NEP 1): one or two dimensions of numbers or truth values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tasfg {

struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;  // by rows
};

/// Whether the bytes start as such a file does.
[[nodiscard]] bool is_npy(std::string_view bytes);

/// Parses a whole file. `origin` (the file's name) opens the error messages.
[[nodiscard]] NpyArray parse_npy(std::string_view bytes, const std::string& origin);

}  // namespace tasfg
