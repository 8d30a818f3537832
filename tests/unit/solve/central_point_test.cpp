#include "solve/central_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "random_instances.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/lanes.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {
namespace {

/// What ω and λ are worth, over all vertices.
class Looked {
 public:
  Looked(const ModelView& model, const std::vector<double>& omega, const std::vector<double>& lambda)
      : model_(model), rates_(observation_rates(model, omega)) {
    evidence_.load(model);
    rates_.resize(padded(rates_.size()), 0.0);
    evidence_.evaluate(rates_);
    const std::vector<double> g = certificate_prices(model, lambda, omega);
    for (int v = 0; v < model.K; ++v) {
      double price = 0.0;
      model.for_each_edge(v, [&](int u, double p) { price += p * g[static_cast<std::size_t>(u)]; });
      prices_.push_back(price);
    }
  }
  [[nodiscard]] CentralPoint::View view() const {
    return {model_, rates_, evidence_, prices_, evidence_.least(), *std::ranges::max_element(prices_)};
  }
  [[nodiscard]] double gap() const { return 1.0 - view().low / view().high; }

 private:
  const ModelView& model_;
  std::vector<double> rates_, prices_;
  AllEvidence evidence_;
};

TEST(CentralPoint, StepsToAPointWhoseGapIsAShareOfTheOneAskedFor) {
  for (const double gap : {1e-1, 1e-2, 1e-3, 1e-5}) {
    for (std::uint64_t i = 0; i < 60; ++i) {
      SCOPED_TRACE(i);
      const Instance instance = testing::random_instance(i, 3, 14);
      const ModelView model = view_of(instance);
      const auto rare = [](double p) { return p > 0.0 && p < 0.01; };
      if (std::ranges::any_of(instance.graph().row_major(), rare)) continue;
      CharacteristicTimeSolver solver;
      ASSERT_EQ(solver.solve_cold(model, {.gap = 0.5 * gap, .acceptable = 0.5 * gap}).status,
                SolveStatus::solved);
      std::vector<double> omega(solver.allocation().begin(), solver.allocation().end());
      std::vector<double> lambda(solver.weights().begin(), solver.weights().end());
      CentralPoint point;
      point.begin(Looked(model, omega, lambda).view(), omega, lambda, gap);
      for (int step = 0; step < 60; ++step) {
        const Looked looked(model, omega, lambda);
        point.complete(looked.view(), gap);
        ASSERT_TRUE(point.step(looked.view(), gap));
        point.spread(omega, lambda);
      }
      const double reached = Looked(model, omega, lambda).gap();
      EXPECT_LE(reached, 0.35 * gap);
      if (point.vertices().size() > 1) {
        EXPECT_GE(reached, 0.05 * gap);  // it stays inside
      }
    }
  }
}

TEST(CentralPoint, SolvesThinSystems) {
  PhiloxStream stream(stream_key(23));
  for (std::size_t size = 1; size <= kThinWidth; ++size) {
    for (const std::size_t vertices : {std::size_t{1}, std::size_t{5}, kThinWidth}) {
      ThinSystem system{};
      system.vertices = vertices;
      system.size = size;
      for (std::size_t j = 0; j < size; ++j) {
        system.root[j] = 3.0 * stream.uniform();
        system.tilt[j] = j + 1 == size ? 0.0 : stream.uniform() - 0.5;
      }
      std::array<ThinVector, 3> right{}, x;
      for (std::size_t v = 0; v < vertices; ++v) {
        system.over_diagonal[v] = std::exp(6.0 * stream.uniform() - 3.0);
        for (std::size_t j = 0; j < size; ++j) system.shown[v][j] = stream.uniform();
        for (ThinVector& r : right) r[v] = stream.uniform() - 0.5;
      }
      x = right;
      thin_solve(system, {&x[0], &x[1], &x[2]});
      const auto tilted = [&](std::size_t v, std::size_t j) {
        return system.root[j] * (system.shown[v][j] + system.shown[v][size - 1] * system.tilt[j]);
      };
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t v = 0; v < vertices; ++v) {
          double product = x[r][v] / system.over_diagonal[v];
          for (std::size_t w = 0; w < vertices; ++w)
            for (std::size_t j = 0; j < size; ++j) product += tilted(v, j) * tilted(w, j) * x[r][w];
          EXPECT_NEAR(product, right[r][v], 1e-11) << size << ' ' << vertices;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tasfg
