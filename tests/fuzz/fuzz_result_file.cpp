// libFuzzer target over result files: the bytes become a file under TMPDIR, which is opened, read from end to
// end, verified, grown and merged. An InputError, or a damage that verify lists, is the right answer to a bad
// file; what is copied out of it must be sound.
//
// TASFG_FUZZ_VALID_RESULT names a file that must be accepted and found sound (see fuzz_graph_hdf5.cpp).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/result_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tasfg;

void read_everything(const ResultFile& file) {
  const ResultLayout& layout = file.layout();
  (void)file.live();
  (void)file.failures();
  for (CaseId c; c.value() < layout.cases.size(); ++c) (void)file.read_case(c);
  for (const TaskStatus each : file.case_values(&CaseSolution::status))
    if (static_cast<int>(each) < 0 || static_cast<int>(each) >= kTaskStatuses) std::abort();
  for (CellId cell; cell.value() < layout.cells(); ++cell) {
    for (const TaskStatus each : file.run_values(&RunRecord::status, cell))
      if (static_cast<int>(each) < 0 || static_cast<int>(each) >= kTaskStatuses) std::abort();
    if (layout.replications > 0) (void)file.read_run({cell, layout.replications - 1});
  }
}

/// Copies hold sound runs alone.
void expect_sound_runs(ResultFile& file) {
  if (file.drop_torn() != 0) std::abort();
}

/// Whether the file is accepted and found sound.
bool use(const std::string& path) {
  const std::string merged = path + ".merged";
  bool sound = false;
  try {
    {
      const ResultFile file = ResultFile::open(path, Access::read);
      read_everything(file);
      constexpr std::size_t kListed = 5;
      const Verification found = file.verify(kListed);
      if (found.list.size() != std::min(found.damages, kListed)) std::abort();
      for (const std::string& each : found.list)
        if (each.find('\n') != std::string::npos) std::abort();
      sound = found.damages == 0;
    }
    ResultFile joined = ResultFile::merge(merged, {path}, WriterLock(merged, nullptr)).file;
    expect_sound_runs(joined);
    ResultLayout wanted = joined.layout();
    wanted.replications += 1;
    ResultFile grown =
        ResultFile::extend(
            path, wanted, [&](CaseId c) { return joined.graph(c); }, {}, WriterLock(path, nullptr))
            .file;
    expect_sound_runs(grown);
    (void)grown.retry_failed();
  } catch (const Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();  // one line
    sound = false;
  }
  ::unlink(merged.c_str());
  return sound;
}

bool use_bytes(const char* data, std::size_t size) {
  static const std::string path =
      fs::temp_directory_path() / ("tasfg-fuzz-" + std::to_string(getpid()) + ".h5");
  // A new file each time: HDF5 knows open files by their inode.
  ::unlink(path.c_str());
  std::ofstream file(path, std::ios::binary);
  if (!file.write(data, static_cast<std::streamsize>(size)).flush()) {
    std::perror(path.c_str());
    std::_Exit(1);
  }
  file.close();
  const bool sound = use(path);
  ::unlink(path.c_str());
  return sound;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (const char* valid = std::getenv("TASFG_FUZZ_VALID_RESULT"); valid != nullptr) {
    std::ifstream in(valid, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    if (!use_bytes(bytes.data(), bytes.size())) {
      std::fprintf(stderr, "%s: refused, though valid\n", valid);
      std::_Exit(1);
    }
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  use_bytes(reinterpret_cast<const char*>(data), size);
  return 0;
}
