#include "tasfg/solve/characteristic_time.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "interior_point.hpp"
#include "optimal_face.hpp"

#include "tasfg/base/contract.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

ModelView view_of(const Instance& instance) {
  return {instance.size(), instance.graph().row_major(), instance.means(), instance.best(),
          &instance.reward()};
}

namespace {

template <typename State, typename Reward>
SolveInfo run(State& state, const Reward& reward, Start start, const SolveOptions& options) {
  return InteriorPoint(state, reward).solve(start, options);
}

#ifdef TASFG_HAS_AVX2_VERSIONS
// The common cases for the wider instructions, with all that they inline: `restart`, `refine` and the kernels
// of larger matrices are calls.
const bool kAvx2 = __builtin_cpu_supports("avx2") != 0;
#define TASFG_RUN(Newton)                                                                                    \
  [[gnu::target("avx2"), gnu::flatten]] SolveInfo run_wide(                                                  \
      InteriorPointState<Newton>& state, const Gaussian& reward, Start start, const SolveOptions& options) { \
    return InteriorPoint(state, reward).solve(start, options);                                               \
  }                                                                                                          \
  SolveInfo run(InteriorPointState<Newton>& state, const Gaussian& reward, Start start,                      \
                const SolveOptions& options) {                                                               \
    return kAvx2 ? run_wide(state, reward, start, options)                                                   \
                 : InteriorPoint(state, reward).solve(start, options);                                       \
  }
TASFG_RUN(SmallNewton<8>)
TASFG_RUN(SmallNewton<12>)
TASFG_RUN(SmallNewton<16>)
TASFG_RUN(DenseNewton)
#undef TASFG_RUN
#endif

}  // namespace

/// The state of the last solve, in the form that its model asked for.
struct CharacteristicTimeSolver::Workspace {
  std::variant<InteriorPointState<SmallNewton<8>>, InteriorPointState<SmallNewton<12>>,
               InteriorPointState<SmallNewton<16>>, InteriorPointState<DenseNewton>,
               InteriorPointState<SparseNewton>>
      state;

  SolveInfo solve(const ModelView& model, Start start, const SolveOptions& options) {
    TASFG_EXPECT(model.K >= 2 && model.reward != nullptr);
    if (model.K <= 8) return solve_as<SmallNewton<8>>(model, start, options);
    if (model.K <= 12) return solve_as<SmallNewton<12>>(model, start, options);
    if (model.K <= 16) return solve_as<SmallNewton<16>>(model, start, options);
    return SparseNewton::suits(model) ? solve_as<SparseNewton>(model, start, options)
                                      : solve_as<DenseNewton>(model, start, options);
  }
  template <typename Newton>
  SolveInfo solve_as(const ModelView& model, Start start, const SolveOptions& options) {
    using State = InteriorPointState<Newton>;
    if (!std::holds_alternative<State>(state)) state.template emplace<State>();
    State& w = std::get<State>(state);
    if (!w.has_solution || w.K != model.K || w.best != model.best) start = Start::cold;
    w.load(model);
    return std::visit(
        [&](const auto& reward) {
          SolveInfo info = run(w, reward, start, options);
          if (start == Start::warm && info.status != SolveStatus::solved)
            info = run(w, reward, Start::cold, options);
          w.has_solution = info.status == SolveStatus::solved;
          return info;
        },
        *model.reward);
  }
  /// K entries of a vector of the state, which `member` finds.
  [[nodiscard]] std::span<const double> result(auto member) const {
    return std::visit(
        [&](const auto& w) {
          return std::span<const double>(member(w).data(), static_cast<std::size_t>(w.K));
        },
        state);
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
  return work_->result([](const auto& w) -> auto& { return w.best_omega; });
}
std::span<const double> CharacteristicTimeSolver::weights() const {
  return work_->result([](const auto& w) -> auto& { return w.best_lambda; });
}
std::span<const double> CharacteristicTimeSolver::dual_point() const {
  return work_->result([](const auto& w) -> auto& { return w.dual_omega; });
}

int CharacteristicTimeSolver::centre(const ModelView& model, const SolveOptions& options) {
  const auto centre_in = [&](auto& w) {
    const auto n = static_cast<std::size_t>(model.K);
    OptimalFace face{{}, {static_cast<std::size_t>(model.best)}};
    for (std::size_t v = 0; v < n; ++v) {
      if (w.omega[v] * w.y > w.z[v]) face.support.push_back(v);
      if (v != face.fixed.front() && w.lambda[v] * w.t > w.s[v]) face.fixed.push_back(v);
    }
    std::vector<double> centre(w.best_omega.begin(), w.best_omega.begin() + model.K);
    const double time = time_of(model, centre);
    const int dimension = centre_of_face(model, face, centre);
    if (time_of(model, centre) <= time * (1.0 + options.gap))
      std::copy(centre.begin(), centre.end(), w.best_omega.begin());
    return dimension;
  };
  return std::visit(centre_in, work_->state);
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
  const auto n = static_cast<std::size_t>(model.K);
  std::vector<double> m(n, 0.0);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t u = 0; u < n; ++u) m[u] += allocation[v] * model.graph[v * n + u];
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

double certified_lower(const ModelView& model, std::span<const double> weights,
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
  double highest = 0.0;
  for (std::size_t v = 0; v < n; ++v) {
    double price = 0.0;
    for (std::size_t u = 0; u < n; ++u) price += model.graph[v * n + u] * g[u];
    highest = std::max(highest, price);
  }
  // Sums of nonnegative terms: their relative error is at most about K ulps, times a few for the terms.
  return 1.0 / (highest * (1.0 + (static_cast<double>(n) + 20.0) * kEpsilon));
}

}  // namespace tasfg
