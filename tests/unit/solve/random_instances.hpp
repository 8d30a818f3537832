/// Random instances for property tests: every reward family, sparse and dense graphs, gaps and edge
/// probabilities down to 1e-6, vertices that show nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tasfg/base/philox.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg::testing {

/// Instance number `index` of an endless, fixed list.
inline Instance random_instance(std::uint64_t index, int smallest_K = 2, int largest_K = 40) {
  PhiloxStream stream(stream_key(0x696e7374ULL, index));
  const auto pick = [&stream](int low, int high) {
    return low + static_cast<int>(stream.uniform() * (high - low + 1));
  };
  const auto log_uniform = [&stream](double low, double high) {
    return std::exp(std::log(low) + (std::log(high) - std::log(low)) * stream.uniform());
  };
  const int K = pick(smallest_K, largest_K);
  const auto n = static_cast<std::size_t>(K);
  const double density = stream.uniform() < 0.3 ? 1.0 : log_uniform(1.0 / K, 1.0);
  const bool tiny_probabilities = stream.uniform() < 0.3;
  const double silent = stream.uniform() < 0.2 ? 0.5 : 0.0;  // share of vertices that show nothing
  std::vector<double> G(n * n, 0.0);
  const auto probability = [&] {
    if (stream.uniform() < 0.1) return 1.0;
    return tiny_probabilities ? log_uniform(1e-6, 1.0) : 0.01 + 0.99 * stream.uniform();
  };
  for (std::size_t v = 0; v < n; ++v) {
    const bool mute = stream.uniform() < silent;
    for (std::size_t u = 0; u < n; ++u) {
      const double p = probability();
      if (stream.uniform() < density && !mute) G[v * n + u] = p;
    }
  }
  for (std::size_t u = 0; u < n; ++u) {
    bool seen = false;
    for (std::size_t v = 0; v < n; ++v) seen = seen || G[v * n + u] > 0.0;
    const auto v = static_cast<std::size_t>(pick(0, K - 1));
    const double p = probability();
    if (!seen) G[v * n + u] = p;
  }
  const int family = pick(0, 3);
  const RewardFamily reward = family == 0   ? RewardFamily{Gaussian{log_uniform(0.01, 100.0)}}
                              : family == 1 ? RewardFamily{Bernoulli{}}
                              : family == 2 ? RewardFamily{Poisson{}}
                                            : RewardFamily{Exponential{}};
  const double base = family == 1 ? 0.05 + 0.85 * stream.uniform() : log_uniform(0.3, 30.0);
  const double scale = family == 1 ? base * 0.95 : family == 0 ? 3.0 : base * 0.95;
  const double hardness = stream.uniform();  // how the gaps are spread
  std::vector<double> means(n);
  for (double& mean : means) {
    const double gap = hardness < 0.3   ? scale * (0.01 + 0.99 * stream.uniform())
                       : hardness < 0.6 ? scale * log_uniform(1e-6, 1.0)
                       : hardness < 0.8 ? scale * (stream.uniform() < 0.5 ? 1e-6 : 0.5)
                                        : scale * log_uniform(1e-3, 1.0);
    mean = base - gap;
  }
  means[static_cast<std::size_t>(pick(0, K - 1))] = base;
  return {FeedbackGraph(K, std::move(G)), std::move(means), reward};
}

}  // namespace tasfg::testing
