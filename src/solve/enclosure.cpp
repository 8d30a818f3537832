#include "tasfg/solve/enclosure.hpp"

#include <algorithm>
#include <array>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

/// Above the relative error of f_u, prices and sums over K terms. Divergences are accurate to some ulps of
/// their arguments, which the means may magnify; 1e-12 leaves a factor of some thousand for that.
double slack(std::size_t K) {
  return 1e-12 + 4.0 * static_cast<double>(K) * kEpsilon;
}

/// The control points of a product of two functions that are affine in each of `dimensions` parameters and
/// have these values at the corners: for each parameter 0, 1 or 2, as the sum of the factors' corners.
class ControlPoints {
 public:
  ControlPoints(std::size_t corners, std::size_t K) : K_(K) {
    TASFG_EXPECT(corners == 1 || corners == 2 || corners == 4);
    values_.assign((corners == 1 ? 1 : corners == 2 ? 3 : 9) * K, 0.0);
  }

  /// Where the product of values at corners i and j goes, and with which weight.
  [[nodiscard]] std::span<double> of(std::size_t i, std::size_t j) {
    const std::size_t at = (i & 1U) + (j & 1U) + 3 * ((i >> 1U) + (j >> 1U));
    return std::span(values_).subspan(at * K_, K_);
  }
  static double weight(std::size_t i, std::size_t j) {
    return ((i ^ j) & 1U ? 0.5 : 1.0) * ((i ^ j) & 2U ? 0.5 : 1.0);
  }
  [[nodiscard]] std::size_t size() const { return values_.size() / K_; }
  [[nodiscard]] std::span<const double> operator[](std::size_t i) const {
    return std::span(values_).subspan(i * K_, K_);
  }

 private:
  std::size_t K_;
  std::vector<double> values_;
};

/// At least so much evidence everywhere in the box, by the corners' allocations.
double least_evidence(const ModelView& model, std::span<const PointSolution* const> corners,
                      const PointSolution& lender, double rounding) {
  const auto K = static_cast<std::size_t>(model.K);
  const auto a = static_cast<std::size_t>(model.best);
  ControlPoints rates(corners.size(), K);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::vector<double>& omega = (corners[i]->finite() ? *corners[i] : lender).allocation;
    for (std::size_t j = 0; j < corners.size(); ++j) {
      const double weight = ControlPoints::weight(i, j);
      const std::span<double> m = rates.of(i, j);
      for (std::size_t v = 0; v < K; ++v) {
        const double share = weight * omega[v];
        if (share == 0.0) continue;
        const double* row = corners[j]->graph.data() + v * K;
        for (std::size_t u = 0; u < K; ++u) m[u] += share * row[u];
      }
    }
  }
  return std::visit(
      [&](const auto& reward) {
        double least = kInfinity;
        for (std::size_t i = 0; i < rates.size(); ++i) {
          const double best = rates[i][a] - rounding;
          for (std::size_t u = 0; u < K; ++u) {
            if (u == a) continue;
            const double arm = rates[i][u] - rounding;
            if (!(best > 0.0 && arm > 0.0)) return 0.0;
            least = std::min(least, evidence(reward, model.means[a], model.means[u], best, arm).value);
          }
        }
        return least;
      },
      *model.reward);
}

/// At most so much evidence anywhere in the box, by the corners' prices.
double largest_price(const ModelView& model, std::span<const PointSolution* const> corners,
                     const PointSolution& lender, double rounding) {
  const auto K = static_cast<std::size_t>(model.K);
  ControlPoints worth(corners.size(), K);
  double dearest = 0.0;  // Σ_u g_u
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::vector<double>& g = (corners[i]->finite() ? *corners[i] : lender).prices;
    double total = 0.0;
    for (const double price : g) total += price;
    dearest = std::max(dearest, total);
    for (std::size_t j = 0; j < corners.size(); ++j) {
      const double weight = ControlPoints::weight(i, j);
      const std::span<double> value = worth.of(i, j);
      for (std::size_t v = 0; v < K; ++v) {
        const double* row = corners[j]->graph.data() + v * K;
        double sum = 0.0;
        for (std::size_t u = 0; u < K; ++u) sum += row[u] * g[u];
        value[v] += weight * sum;
      }
    }
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < worth.size(); ++i)
    for (const double value : worth[i]) largest = std::max(largest, value);
  return largest + rounding * dearest;
}

/// Whether one vertex is observed at no corner, and so nowhere in the box.
bool some_vertex_is_never_seen(std::size_t K, std::span<const PointSolution* const> corners) {
  for (std::size_t u = 0; u < K; ++u) {
    bool seen = false;
    for (const PointSolution* corner : corners)
      for (std::size_t v = 0; v < K && !seen; ++v) seen = corner->graph[v * K + u] > 0.0;
    if (!seen) return true;
  }
  return false;
}

}  // namespace

PointSolution solve_point(const ModelView& model, std::vector<double> graph,
                          CharacteristicTimeSolver& solver) {
  const auto K = static_cast<std::size_t>(model.K);
  PointSolution point;
  point.graph = std::move(graph);
  ModelView here = model;
  here.graph = point.graph;
  here.edges = nullptr;  // those of another graph
  const SolveOptions options;
  const SolveInfo info = solver.solve_cold(here, options);
  if (info.status == SolveStatus::infeasible) {
    point.upper = point.lower = kInfinity;
    return point;
  }
  solver.centre(here, options);
  point.allocation.assign(solver.allocation().begin(), solver.allocation().end());
  point.prices = certificate_prices(here, solver.weights(), solver.dual_point());
  point.upper = time_of(here, point.allocation);
  point.lower = certified_lower(here, solver.weights(), solver.dual_point());
  // A vertex has either a share of the draws or a loss, by which its price falls short of the best.
  constexpr double kClear = 1e3;
  point.clear = true;
  point.support.resize(K);
  for (std::size_t v = 0; v < K; ++v) {
    double price = 0.0;
    for (std::size_t u = 0; u < K; ++u) price += point.graph[v * K + u] * point.prices[u];
    const double loss = std::max(1.0 - price * point.lower, 0.0);
    const double share = point.allocation[v];
    point.support[v] = share > loss ? 1 : 0;
    point.clear = point.clear && std::max(share, loss) > kClear * std::min(share, loss);
  }
  return point;
}

Enclosure enclose(const ModelView& model, std::span<const PointSolution* const> corners, double rounding) {
  const auto K = static_cast<std::size_t>(model.K);
  const auto lender = std::find_if(corners.begin(), corners.end(),
                                   [](const PointSolution* corner) { return corner->finite(); });
  if (lender == corners.end()) return {some_vertex_is_never_seen(K, corners) ? kInfinity : 0.0, kInfinity};
  const double least = least_evidence(model, corners, **lender, rounding);
  const double largest = largest_price(model, corners, **lender, rounding);
  return {1.0 / (largest * (1.0 + slack(K))), 1.0 / (least * (1.0 - slack(K)))};
}

}  // namespace tasfg
