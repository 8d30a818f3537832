// libFuzzer target over the readers of graphs that are no HDF5 files: CSV, Matrix Market, NumPy's .npy. An
// InputError is the right answer to bad bytes; any other exception, a crash, or a graph that breaks its own
// promises is a bug.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tasfg/base/error.hpp"
#include "tasfg/model/graph_csv.hpp"
#include "tasfg/model/matrix_market.hpp"
#include "tasfg/model/npy.hpp"

namespace {

void expect_one_line(const tasfg::InputError& error) {
  if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
}

void read_numbers(std::string_view bytes) {
  try {
    if (!tasfg::is_npy(bytes)) return (void)tasfg::parse_vector(bytes, "fuzz.csv");
    const tasfg::NpyArray array = tasfg::parse_npy(bytes, "fuzz.npy");
    std::size_t values = 1;
    for (const std::size_t each : array.shape) values *= each;
    if (array.values.size() != values) std::abort();
  } catch (const tasfg::InputError& error) {
    expect_one_line(error);
  }
}

void read_graph(std::string_view bytes) {
  if (tasfg::is_npy(bytes)) return;
  try {
    const tasfg::FeedbackGraph graph = tasfg::is_matrix_market(bytes)
                                           ? tasfg::parse_matrix_market(bytes, "fuzz.mtx")
                                           : tasfg::parse_graph_csv(bytes, "fuzz.csv");
    if (graph.size() < 2) std::abort();
    for (const double value : graph.row_major())
      if (!(value >= 0.0 && value <= 1.0)) std::abort();
  } catch (const tasfg::InputError& error) {
    expect_one_line(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_graph(bytes);
  read_numbers(bytes);
  return 0;
}
