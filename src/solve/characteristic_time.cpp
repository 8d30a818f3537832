#include "tasfg/solve/characteristic_time.hpp"

#include <algorithm>
#include <variant>

#include "interior_point.hpp"
#include "optimal_face.hpp"

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {

ModelView view_of(const Instance& instance) {
  const FeedbackGraph& graph = instance.graph();
  return {instance.size(),
          graph.has_matrix() ? graph.row_major() : std::span<const double>(),
          instance.means(),
          instance.best(),
          &instance.reward(),
          {},
          &graph};
}

/// The solver of the last model's form.
struct CharacteristicTimeSolver::Workspace {
  MatrixForm form = MatrixForm::dense;
  std::unique_ptr<InteriorPointSolver> solver;
  int K = 0;
  const FeedbackGraph* edges = nullptr;
  int until_look = 0;  // solves until the form is chosen anew

  void take(MatrixForm now) {
    if (solver != nullptr && now == form) return;
    solver = make_interior_point(now);
    form = now;
  }
  SolveInfo solve(const ModelView& model, Start start, const SolveOptions& options) {
    TASFG_EXPECT(model.K >= 2 && model.reward != nullptr);
    // Looking at all edges takes longer than a warm solve of a large model.
    if (solver == nullptr || start == Start::cold || model.K != K || model.edges != edges ||
        --until_look == 0) {
      take(form_for(model));
      if (!solver->suits(model)) take(model.graph.empty() ? MatrixForm::products : dense_form(model.K));
      K = until_look = model.K;
      edges = model.edges;
    }
    return solver->solve(model, start, options);
  }
};

CharacteristicTimeSolver::CharacteristicTimeSolver() : work_(std::make_unique<Workspace>()) {}
CharacteristicTimeSolver::~CharacteristicTimeSolver() = default;
CharacteristicTimeSolver::CharacteristicTimeSolver(CharacteristicTimeSolver&&) noexcept = default;
CharacteristicTimeSolver& CharacteristicTimeSolver::operator=(CharacteristicTimeSolver&&) noexcept = default;

SolveInfo CharacteristicTimeSolver::solve_cold(const ModelView& model, const SolveOptions& options) {
  return work_->solve(model, Start::cold, options);
}
SolveInfo CharacteristicTimeSolver::solve_warm(const ModelView& model, const SolveOptions& options) {
  return work_->solve(model, Start::warm, options);
}

std::span<const double> CharacteristicTimeSolver::allocation() const {
  return work_->solver->allocation();
}
std::span<const double> CharacteristicTimeSolver::weights() const {
  return work_->solver->weights();
}
std::span<const double> CharacteristicTimeSolver::dual_point() const {
  return work_->solver->dual_point();
}

int CharacteristicTimeSolver::centre(const ModelView& model, const SolveOptions& options) {
  if (model.graph.empty()) return -1;  // dense algebra of the size of the face
  const OptimalFace face = work_->solver->face(model, options);
  const std::span<double> allocation = work_->solver->allocation();
  std::vector<double> centre(allocation.begin(), allocation.end());
  const int dimension = centre_of_face(model, face, centre);
  if (time_of(model, centre) <= time_of(model, allocation) * (1.0 + options.gap))
    std::copy(centre.begin(), centre.end(), allocation.begin());
  return dimension;
}

CharacteristicTime characteristic_time(const Instance& instance, const SolveOptions& options) {
  const ModelView model = view_of(instance);
  CharacteristicTimeSolver solver;
  const SolveInfo info = solver.solve_cold(model, options);
  CharacteristicTime result;
  if (info.status == SolveStatus::infeasible) {
    result.status = info.status;
    result.upper = result.lower = kInfinity;
    return result;
  }
  result.face_dimension = solver.centre(model, options);
  result.iterations = info.iterations;
  result.status = info.status;
  result.allocation.assign(solver.allocation().begin(), solver.allocation().end());
  result.weights.assign(solver.weights().begin(), solver.weights().end());
  result.observation = observation_rates(model, result.allocation);
  result.upper = time_of(model, result.allocation);
  result.dual_point.assign(solver.dual_point().begin(), solver.dual_point().end());
  result.lower = certified_lower(model, result.weights, result.dual_point);
  return result;
}

std::vector<double> observation_rates(const ModelView& model, std::span<const double> allocation) {
  std::vector<double> m(static_cast<std::size_t>(model.K), 0.0);
  for (int v = 0; v < model.K; ++v) {
    const double share = allocation[static_cast<std::size_t>(v)];
    model.for_each_edge(v, [&](int u, double p) { m[static_cast<std::size_t>(u)] += share * p; });
  }
  return m;
}

double time_of(const ModelView& model, std::span<const double> allocation) {
  const std::vector<double> m = observation_rates(model, allocation);
  const auto a = static_cast<std::size_t>(model.best);
  return std::visit(
      [&](const auto& reward) {
        double smallest = kInfinity;
        for (std::size_t u = 0; u < m.size(); ++u) {
          if (u == a) continue;
          if (!(m[a] > 0.0 && m[u] > 0.0)) return kInfinity;
          smallest = std::min(smallest, evidence(reward, model.means[a], model.means[u], m[a], m[u]).value);
        }
        return 1.0 / smallest;
      },
      *model.reward);
}

std::vector<double> certificate_prices(const ModelView& model, std::span<const double> weights,
                                       std::span<const double> allocation) {
  const std::vector<double> m = observation_rates(model, allocation);
  const auto n = m.size();
  const auto a = static_cast<std::size_t>(model.best);
  double total = 0.0;
  for (std::size_t u = 0; u < n; ++u) total += u == a ? 0.0 : weights[u];
  std::vector<double> g(n, 0.0);
  std::visit(
      [&](const auto& reward) {
        for (std::size_t u = 0; u < n; ++u) {
          if (u == a || weights[u] <= 0.0) continue;
          const Evidence e = evidence(reward, model.means[a], model.means[u], m[a], m[u]);
          g[u] = weights[u] / total * e.from_arm;
          g[a] += weights[u] / total * e.from_best;
        }
      },
      *model.reward);
  return g;
}

double certified_lower(const ModelView& model, std::span<const double> weights,
                       std::span<const double> allocation) {
  const std::vector<double> g = certificate_prices(model, weights, allocation);
  const auto n = g.size();
  double highest = 0.0;
  for (int v = 0; v < model.K; ++v) {
    double price = 0.0;
    model.for_each_edge(v, [&](int u, double p) { price += p * g[static_cast<std::size_t>(u)]; });
    highest = std::max(highest, price);
  }
  // Sums of nonnegative terms: their relative error is at most about K ulps, times a few for the terms.
  return 1.0 / (highest * (1.0 + (static_cast<double>(n) + 20.0) * kEpsilon));
}

}  // namespace tasfg
