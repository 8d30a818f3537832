/// Systems of the interior point's Newton matrix with known solutions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "solve/newton_terms.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/philox.hpp"
#include "tasfg/model/reward.hpp"
#include "tasfg/solve/characteristic_time.hpp"

namespace tasfg::testing {

/// A random model of K vertices, each edge there with probability `density`; what `newton` makes of it is
/// held against the definitions, its solutions to `tolerance`.
template <typename Newton>
void expect_right(Newton& newton, int K, double density, double tolerance = 1e-9) {
  SCOPED_TRACE(K);
  PhiloxStream stream(stream_key(9, K));
  const auto n = static_cast<std::size_t>(K);
  std::vector<double> G(n * n), means(n, 0.0);
  for (double& p : G) p = stream.uniform() < density ? stream.uniform() : 0.0;
  const RewardFamily reward = Gaussian{1.0};
  const int best = static_cast<int>(stream.uniform() * K);
  const auto a = static_cast<std::size_t>(best);
  newton.load({K, G, means, best, &reward});

  typename Newton::Vector weight{}, tilt{}, diagonal{}, x{}, right{}, m{}, y{};
  if constexpr (Newton::kWidth == 0)
    for (auto* each : {&weight, &tilt, &diagonal, &x, &right, &m, &y}) each->resize((n + 7) / 8 * 8);
  std::fill(diagonal.begin(), diagonal.end(), 1.0);
  for (std::size_t u = 0; u < n; ++u) {
    weight[u] = u == a ? 0.0 : 0.1 + stream.uniform();
    tilt[u] = u == a ? 0.0 : stream.uniform() - 0.5;
    diagonal[u] = 0.1 + stream.uniform();
    x[u] = stream.uniform() - 0.5;
  }
  const double rest = stream.uniform();
  const auto g = [&](std::size_t v, std::size_t u) { return G[v * n + u]; };

  newton.observe(x, m);
  newton.price(x, y);
  for (std::size_t i = 0; i < n; ++i) {
    double observed = 0.0, priced = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      observed += x[j] * g(j, i);
      priced += g(i, j) * x[j];
    }
    EXPECT_NEAR(m[i], observed, 1e-12);
    EXPECT_NEAR(y[i], priced, 1e-12);
  }

  // right = M x.
  for (std::size_t u = 0; u < n; ++u) {
    double along = 0.0;
    for (std::size_t v = 0; v < n; ++v) along += (g(v, u) + (u == a ? 0.0 : tilt[u] * g(v, a))) * x[v];
    for (std::size_t v = 0; v < n; ++v)
      right[v] += (u == a ? rest : weight[u]) * along * (g(v, u) + (u == a ? 0.0 : tilt[u] * g(v, a)));
  }
  for (std::size_t v = 0; v < n; ++v) right[v] += diagonal[v] * x[v];
  newton.factor({weight, tilt, rest, diagonal});
  auto both = right;
  newton.solve(right);
  for (std::size_t v = 0; v < n; ++v) EXPECT_NEAR(right[v], x[v], tolerance);
  for (std::size_t v = n; v < right.size(); ++v) EXPECT_EQ(right[v], 0.0);
  auto twin = both;
  newton.solve(both, twin);
  EXPECT_EQ(both, right) << "two at once are solved as one is";
  EXPECT_EQ(twin, right);
}

}  // namespace tasfg::testing
