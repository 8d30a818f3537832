// A user's program against the installed library: T* of the loopy star.
#include <cmath>
#include <cstdio>

#include <tasfg/io/graph_file.hpp>
#include <tasfg/model/graph_families.hpp>
#include <tasfg/solve/characteristic_time.hpp>

int main() {
  const auto made = tasfg::make_graph(tasfg::graph_family("loopy-star", "consumer"), {}, "consumer",
                                      &tasfg::read_graph_file);
  const tasfg::Instance instance(made.graph, made.means, tasfg::Gaussian{1.0});
  const tasfg::CharacteristicTime time = tasfg::characteristic_time(instance);
  std::printf("T* = %.9g\n", time.upper);
  return std::abs(time.upper - 64.9838668) < 1e-6 ? 0 : 1;
}
