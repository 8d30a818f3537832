// libFuzzer target over the graph-file reader, HDF5 files in particular: the bytes become a file under
// TMPDIR, read once without and once with a dataset's name. An InputError is the right answer to a bad file.
//
// TASFG_FUZZ_VALID names a file that must be accepted: without it, a target whose files HDF5 cannot open for
// some reason of the machine would find nothing and look well.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "tasfg/base/error.hpp"
#include "tasfg/io/graph_file.hpp"
#include "tasfg/model/graph_csv.hpp"

namespace {

/// Whether the file is accepted.
bool read(const std::string& path) {
  try {
    const tasfg::FeedbackGraph graph = tasfg::read_graph_file(path);
    if (graph.size() < 2) std::abort();
    for (const double value : graph.row_major())
      if (!(value >= 0.0 && value <= 1.0)) std::abort();
    return true;
  } catch (const tasfg::InputError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();  // one line
    return false;
  }
}

bool read_bytes(const char* data, std::size_t size) {
  static const std::string path =
      std::filesystem::temp_directory_path() / ("tasfg-fuzz-" + std::to_string(getpid()) + ".h5");
  // A new file each time: HDF5 knows open files by their inode, and a file that it failed to close must
  // not stand in for the next one.
  unlink(path.c_str());
  std::ofstream file(path, std::ios::binary);
  if (!file.write(data, static_cast<std::streamsize>(size)).flush()) {
    std::perror(path.c_str());
    std::_Exit(1);
  }
  file.close();
  const bool accepted = read(path);
  const bool accepted_by_name = read(path + ":G");
  unlink(path.c_str());
  return accepted && accepted_by_name;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (const char* valid = std::getenv("TASFG_FUZZ_VALID"); valid != nullptr) {
    const std::string bytes = tasfg::read_text_file(valid, 1 << 20);
    if (!read_bytes(bytes.data(), bytes.size())) {
      std::fprintf(stderr, "%s: refused, though valid\n", valid);
      std::_Exit(1);
    }
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_bytes(reinterpret_cast<const char*>(data), size);
  return 0;
}
