/// Jobs of a few lines, expanded, for the tests of this folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tasfg/job/job.hpp"
#include "tasfg/model/graph_csv.hpp"

namespace tasfg {

inline const std::string kRingBlock = "[[graph]]\nfamily = \"ring\"\n";
inline const std::string kRing = "algorithms = []\n" + kRingBlock;

inline Grid expand(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return expand_job(text, "jobs/test.toml", overrides, &read_graph_csv);
}

inline std::vector<std::string> labels(const Grid& grid) {
  std::vector<std::string> all;
  for (const Case& entry : grid.cases) all.push_back(entry.label);
  return all;
}

inline std::vector<double> parameter(const Grid& grid, std::string_view name) {
  std::vector<double> values;
  for (const Case& entry : grid.cases)
    values.push_back(std::get<double>(entry.parameters.find(name)->second));
  return values;
}

/// A folder of one test's own.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tasfg-job-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tasfg
