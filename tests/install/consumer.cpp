// A user's program against the installed library: T* of the loopy star, by way of a file.
#include <cmath>
#include <cstdio>
#include <fstream>

#include <tasfg/io/graph_file.hpp>
#include <tasfg/model/graph_families.hpp>
#include <tasfg/solve/characteristic_time.hpp>

int main() {
  const auto made = tasfg::make_graph(tasfg::graph_family("loopy-star", "consumer"), {}, "consumer");
  std::ofstream file("loopy-star.csv");
  for (int v = 0; v < made.graph.size(); ++v)
    for (int u = 0; u < made.graph.size(); ++u)
      file << made.graph(v, u) << (u + 1 < made.graph.size() ? ',' : '\n');
  file.close();
  const tasfg::Instance instance(tasfg::read_graph_file("loopy-star.csv"), made.means, tasfg::Gaussian{1.0});
  const tasfg::CharacteristicTime time = tasfg::characteristic_time(instance);
  std::printf("T* = %.9g\n", time.upper);
  return std::abs(time.upper - 64.9838668) < 1e-6 ? 0 : 1;
}
