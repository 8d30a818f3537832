#include "tasfg/solve/allocations.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tasfg {
namespace {

std::vector<double> uniform_over(std::span<const std::size_t> chosen, std::size_t K) {
  std::vector<double> allocation(K, 0.0);
  for (const std::size_t v : chosen) allocation[v] = 1.0 / static_cast<double>(chosen.size());
  return allocation;
}

}  // namespace

std::vector<double> information_scores(const ModelView& model) {
  const auto n = static_cast<std::size_t>(model.K);
  const std::vector<double> gaps = gaps_of({model.means.begin(), model.means.end()}, model.best);
  std::vector<double> scores(n, 0.0);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t u = 0; u < n; ++u) scores[v] += model.graph[v * n + u] / (gaps[u] * gaps[u]);
  return scores;
}

std::vector<double> heuristic_allocation(const ModelView& model) {
  std::vector<double> allocation = information_scores(model);
  double total = 0.0;
  for (const double score : allocation) total += score;
  for (double& value : allocation) value /= total;
  return allocation;
}

std::vector<double> uniform_allocation(int K) {
  return std::vector<double>(static_cast<std::size_t>(K), 1.0 / K);
}

std::vector<double> argmax_allocation(const ModelView& model) {
  const std::vector<double> scores = information_scores(model);
  const double top = *std::max_element(scores.begin(), scores.end());
  std::vector<std::size_t> chosen;
  for (std::size_t v = 0; v < scores.size(); ++v)
    if (scores[v] >= top * (1.0 - 1e-12)) chosen.push_back(v);
  return uniform_over(chosen, scores.size());
}

std::vector<double> top_k_allocation(const ModelView& model) {
  const std::vector<double> scores = information_scores(model);
  const std::size_t n = scores.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t v, std::size_t w) { return scores[v] > scores[w]; });
  std::vector<char> seen(n, 0);
  std::size_t left = n;
  std::size_t k = 0;
  while (k < n && left > 0) {
    for (std::size_t u = 0; u < n; ++u) {
      if (seen[u] == 0 && model.graph[order[k] * n + u] > 0.0) {
        seen[u] = 1;
        --left;
      }
    }
    ++k;
  }
  return uniform_over(std::span(order).first(k), n);
}

double total_variation(std::span<const double> x, std::span<const double> y) {
  double total = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) total += std::abs(x[i] - y[i]);
  return 0.5 * total;
}

}  // namespace tasfg
