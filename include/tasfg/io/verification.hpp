/// What a check of a whole result file finds (ResultFile::verify).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tasfg {

struct Verification {
  std::size_t runs = 0, solutions = 0, graphs = 0;  // that were checked; pending ones make no claim
  std::size_t pending = 0, not_needed = 0;          // runs
  std::size_t damages = 0;
  std::vector<std::string> list;  // of the first of them, a line each, without the file's name
};

}  // namespace tasfg
