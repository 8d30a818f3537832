#include "tasfg/io/stored_job.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "hdf5_handle.hpp"
#include <fmt/format.h>

#include "tasfg/base/error.hpp"

namespace tasfg {
namespace {

constexpr std::string_view kPath = "path=";

/// Whether two names can be of one graph file: a job names it relative to its own folder or to the working
/// directory, whichever there is.
bool may_be_same(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a.ends_with(b) && (a.size() == b.size() || a[a.size() - b.size() - 1] == '/');
}

/// The case whose graph was read from `path`.
std::optional<CaseId> case_of(const ResultLayout& layout, std::string_view path) {
  std::optional<CaseId> similar;
  for (CaseId c; c.value() < layout.cases.size(); ++c) {
    const CaseDescription& each = layout.cases[c.value()];
    if (each.graph != "file" || !each.parameters.starts_with(kPath)) continue;
    const std::string_view held = std::string_view(each.parameters).substr(kPath.size());
    if (held == path) return c;
    if (!similar && may_be_same(held, path)) similar = c;
  }
  return similar;
}

}  // namespace

StoredJob stored_job(const std::shared_ptr<const ResultFile>& file, GraphSource otherwise) {
  const ResultLayout& layout = file->layout();
  StoredJob job{layout.job, layout.job_origin, {}, {}};
  std::istringstream overrides(layout.job_overrides);
  for (std::string each; std::getline(overrides, each);) job.overrides.push_back(each);
  job.reader = [file, otherwise = std::move(otherwise)](const std::string& path) {
    if (const std::optional<CaseId> found = case_of(file->layout(), path)) return file->graph(*found);
    if (otherwise) return otherwise(path);
    throw InputError(fmt::format("{}: holds no graph of the file {}", file->path(), quotable(path)));
  };
  return job;
}

std::optional<StoredJob> find_stored_job(const std::string& path, GraphSource otherwise) {
  const QuietHdf5 quiet;
  std::error_code error;  // a name that is too long, say: who reads the job tells
  if (!std::filesystem::is_regular_file(path, error) || H5Fis_hdf5(path.c_str()) <= 0) return {};
  return stored_job(std::make_shared<const ResultFile>(ResultFile::open(path, Access::read)),
                    std::move(otherwise));
}

}  // namespace tasfg
