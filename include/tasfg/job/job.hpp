/// A job file (TOML) read and checked: what a sweep computes, and nothing about how or where.
#pragma once

#include <string>
#include <vector>

#include "tasfg/job/grid.hpp"

namespace tasfg {

/// Reads, overrides, expands and checks; an InputError names file, key, value and what would be right.
/// `files` gives the graphs of `family = "file"`; their paths are relative to the job file's folder, or
/// else to the working directory. Each override is "key=value" with a TOML value or a bare word.
[[nodiscard]] Grid read_job(const std::string& path, const std::vector<std::string>& overrides,
                            const GraphSource& files);

/// The same from text; `origin` stands for the file's name in messages and locates graph files.
[[nodiscard]] Grid expand_job(const std::string& text, const std::string& origin,
                              const std::vector<std::string>& overrides, const GraphSource& files);

}  // namespace tasfg
