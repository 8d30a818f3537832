#include "tasfg/solve/allocations.hpp"

#include <cmath>

#include "tasfg/base/extremes.hpp"

namespace tasfg {

bool normalise(std::span<double> scores) {
  double total = 0.0;
  for (const double score : scores) total += score;
  return divide_by(total, scores);
}

bool divide_by(double total, std::span<double> scores) {
  if (!(total > 0.0 && std::isfinite(total))) return false;
  for (double& value : scores) value /= total;
  return true;
}

void uniform_over_largest(std::span<double> scores) {
  const double least = largest_of(scores.data(), scores.size()) * (1.0 - 1e-12);
  int chosen = 0;
  for (const double score : scores) chosen += score >= least ? 1 : 0;
  const double share = 1.0 / chosen;
  for (double& value : scores) value = value >= least ? share : 0.0;
}

void uniform_over(std::span<const int> chosen, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (const int v : chosen) out[static_cast<std::size_t>(v)] = 1.0 / static_cast<double>(chosen.size());
}

std::vector<double> information_scores(const ModelView& model) {
  const auto n = static_cast<std::size_t>(model.K);
  const std::vector<double> gaps = gaps_of({model.means.begin(), model.means.end()}, model.best);
  std::vector<double> scores(n, 0.0);
  for (int v = 0; v < model.K; ++v)
    model.for_each_edge(v, [&, score = &scores[static_cast<std::size_t>(v)]](int u, double p) {
      const double gap = gaps[static_cast<std::size_t>(u)];
      *score += p / (gap * gap);
    });
  return scores;
}

std::vector<double> closed_form_allocation(ClosedForm form, const ModelView& model) {
  std::vector<double> allocation = information_scores(model);
  TopK top_k(model.K);
  const bool found =
      scores_to_allocation(form, allocation, top_k, [&model](int v, auto /*wanted*/, auto visit) {
        model.for_each_edge(v, [&](int u, double) { visit(u); });
      });
  TASFG_ENSURE(found);
  static_cast<void>(found);
  return allocation;
}

std::vector<double> heuristic_allocation(const ModelView& model) {
  return closed_form_allocation(ClosedForm::heuristic, model);
}
std::vector<double> argmax_allocation(const ModelView& model) {
  return closed_form_allocation(ClosedForm::argmax, model);
}
std::vector<double> top_k_allocation(const ModelView& model) {
  return closed_form_allocation(ClosedForm::top_k, model);
}

std::vector<double> uniform_allocation(int K) {
  return std::vector<double>(static_cast<std::size_t>(K), 1.0 / K);
}

double total_variation(std::span<const double> x, std::span<const double> y) {
  double total = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) total += std::abs(x[i] - y[i]);
  return 0.5 * total;
}

}  // namespace tasfg
