/// The job that stands in a result file, to be expanded from the file alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tasfg/io/result_file.hpp"
#include "tasfg/model/graph_families.hpp"

namespace tasfg {

struct StoredJob {
  std::string text, origin;
  std::vector<std::string> overrides;
  GraphSource reader;  // gives the graphs of `family = "file"` out of /edges
};

/// `otherwise` reads graph files that the job of the result file did not have; where it is none, they are
/// InputErrors.
[[nodiscard]] StoredJob stored_job(const std::shared_ptr<const ResultFile>& file,
                                   GraphSource otherwise = nullptr);

/// The same by the file's name; nothing where that is no HDF5 file.
[[nodiscard]] std::optional<StoredJob> find_stored_job(const std::string& path, GraphSource otherwise);

}  // namespace tasfg
