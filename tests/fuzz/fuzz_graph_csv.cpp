// libFuzzer target over the CSV reader. An InputError is the right answer to bad text; any other exception,
// a crash, or a graph that breaks its own promises is a bug.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tasfg::FeedbackGraph graph =
        tasfg::parse_graph_csv({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    if (graph.size() < 2) std::abort();
    for (const double value : graph.row_major())
      if (!(value >= 0.0 && value <= 1.0)) std::abort();
  } catch (const tasfg::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();  // one line
  }
  return 0;
}
