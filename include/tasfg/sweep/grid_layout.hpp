/// A job's grid as the result file sees it, and back.
#pragma once

#include <string>
#include <vector>

#include "tasfg/io/result_file.hpp"
#include "tasfg/io/result_layout.hpp"
#include "tasfg/job/job.hpp"

namespace tasfg {

/// What the program is, for the result file.
struct Provenance {
  std::string version, commit, build;
};

[[nodiscard]] ResultLayout layout_of(const Grid& grid, const Provenance& provenance,
                                     const std::string& shard);

/// Reads a job file, or the job that stands in a result file; further overrides follow the stored ones.
[[nodiscard]] Grid read_study(const std::string& path, const std::vector<std::string>& overrides);
/// What reads the graph files of that job.
[[nodiscard]] GraphSource graph_source_of(const std::string& path);

/// Of the records of the grid's runs and cases.
[[nodiscard]] RecordShape shape_of(const Grid& grid);

/// Builds the graphs of a grid, which must outlive it.
[[nodiscard]] GraphOf graphs_of(const Grid& grid);

}  // namespace tasfg
