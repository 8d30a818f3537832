/// The characteristic time T*(ν), Theorem thm:lb_general.
///
/// Problem:  1/T* = max over ω in the simplex of min_{u≠a} f_u(Gᵀω), f_u as in information.hpp.
/// Method:   primal-dual interior point (Mehrotra's predictor-corrector) on
///             max t  s.t.  f_u(Gᵀω) − t = s_u ≥ 0,  Σω = 1,  ω ≥ 0,
///           scaled by f at the uniform allocation. A Newton step factors one K×K positive definite
///           matrix, G·B·Gᵀ + diag(z/ω) with B an arrow matrix: up to 16 vertices in arrays whose length
///           the compiler knows, otherwise by dense Cholesky, or by sparse Cholesky where G is sparse. Where
///           K is large and G is not sparse, a part of the model is solved that grows by what it lacks
///           (src/solve/working_set.hpp).
/// Stops:    when the certified relative gap reaches the tolerance. For weights λ on the arms, Σλ = 1,
///             min_u f_u(Gᵀω) ≤ 1/T* ≤ max_v (G Σ_u λ_u ∇f_u(m))_v,
///           the right-hand side by concavity and 1-homogeneity of f_u.
/// Source:   Nocedal and Wright, Numerical Optimization, ch. 19; the certificate is design.md §6.
///
/// Every sum is taken in a fixed order that does not depend on the vector width, so that the result is
/// the same bits on every CPU. (That rules out Eigen's dense kernels: their block sizes depend on the
/// machine's caches.)
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tasfg/base/enum_names.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

enum class SolveStatus {
  solved,      // certified to the tolerance asked for
  stalled,     // the best ends found; the gap says how good they are
  infeasible,  // some vertex cannot be observed: T* is infinite
};
inline constexpr EnumNames<SolveStatus> kSolveStatusNames = {"solved", "stalled", "infeasible"};
[[nodiscard]] inline const char* to_string(SolveStatus status) {
  return kSolveStatusNames[status];
}

struct SolveOptions {
  double gap = 1e-10;        // relative gap aimed at
  double acceptable = 1e-8;  // still called solved where rounding ends the progress
  int max_iterations = 200;
};

struct CharacteristicTime {
  std::vector<double> allocation;   // ω, a distribution
  std::vector<double> observation;  // m = Gᵀω
  std::vector<double> weights;      // λ: the certificate's weights on the arms (0 at the best vertex)
  std::vector<double> dual_point;   // ω⁰: where the certificate's gradients are taken
  double upper = 0.0;               // T at exactly this allocation
  double lower = 0.0;               // certified: no allocation does better
  int face_dimension = 0;           // of the set of optimal ω; 0 means ω* is unique
  int iterations = 0;
  SolveStatus status = SolveStatus::stalled;
  [[nodiscard]] double gap() const { return (upper - lower) / upper; }
};

/// A model as the solver reads it: no ownership, so that an algorithm's running estimate can be solved in
/// place.
struct ModelView {
  int K = 0;
  std::span<const double> graph;  // row-major K×K, any nonnegative entries; empty: by `edges` alone
  std::span<const double> means;
  int best = 0;
  const RewardFamily* reward = nullptr;
  /// Where given: a row of `graph` whose number here is that of this solver's last model has not changed
  /// since.
  std::span<const double> row_revision = {};
  /// Where given: the same graph by its edges, so that reading a sparse one costs their number.
  const FeedbackGraph* edges = nullptr;
  /// Where given: the probabilities of `edges`, in their order, in place of the graph's own; they may be 0.
  std::span<const double> edge_values = {};

  /// Calls visit(u, probability) for each vertex u that v may show, in order of u.
  template <typename Visit>
  void for_each_edge(int v, Visit visit) const {
    if (edges != nullptr && !edge_values.empty()) {
      const std::span<const Edge> out = edges->out(v);
      const double* value = edge_values.data() + (out.data() - edges->out(0).data());
      for (const Edge& edge : out) visit(edge.vertex, *value++);
      return;
    }
    if (edges != nullptr) {
      for (const Edge& edge : edges->out(v)) visit(edge.vertex, edge.probability);
      return;
    }
    const double* row = graph.data() + static_cast<std::size_t>(v) * static_cast<std::size_t>(K);
    for (int u = 0; u < K; ++u)
      if (row[u] != 0.0) visit(u, row[u]);
  }
};
[[nodiscard]] ModelView view_of(const Instance& instance);

/// What one solve did, without the vectors.
struct SolveInfo {
  double upper = 0.0, lower = 0.0;  // as in CharacteristicTime
  int iterations = 0;
  SolveStatus status = SolveStatus::stalled;
};

/// Solves one model after another; keeps its workspace, so that dense solves of models of the same size touch
/// the heap no more.
class CharacteristicTimeSolver {
 public:
  CharacteristicTimeSolver();
  ~CharacteristicTimeSolver();
  CharacteristicTimeSolver(CharacteristicTimeSolver&&) noexcept;
  CharacteristicTimeSolver& operator=(CharacteristicTimeSolver&&) noexcept;

  /// Starts from the uniform allocation.
  SolveInfo solve_cold(const ModelView& model, const SolveOptions& options);
  /// Starts near the last solution where that had the same K, best vertex and form of matrix; falls back to a
  /// cold start where that one does not converge.
  SolveInfo solve_warm(const ModelView& model, const SolveOptions& options);

  /// Of the last solve.
  [[nodiscard]] std::span<const double> allocation() const;
  [[nodiscard]] std::span<const double> weights() const;
  /// The interior ω at which the certificate's gradients are taken.
  [[nodiscard]] std::span<const double> dual_point() const;
  /// Moves the solution of `model`, the last one solved, to the analytic centre of the optimal face, and
  /// returns that face's dimension.
  int centre(const ModelView& model, const SolveOptions& options);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

/// T* of an instance from a cold start, with ω at the analytic centre of the optimal face.
[[nodiscard]] CharacteristicTime characteristic_time(const Instance& instance,
                                                     const SolveOptions& options = {});

/// T(ω; ν): infinite where ω leaves the best vertex or a rival unobserved.
[[nodiscard]] double time_of(const ModelView& model, std::span<const double> allocation);

/// g = Σ_u λ_u ∇f_u(m), what an observation of each vertex is worth: min_u f_u(m') ≤ gᵀm' for every m' ≥ 0,
/// by concavity and 1-homogeneity. Weights λ ≥ 0 of any scale, and m the rates of any interior ω.
[[nodiscard]] std::vector<double> certificate_prices(const ModelView& model, std::span<const double> weights,
                                                     std::span<const double> allocation);

/// The certificate's lower end on T* for weights λ ≥ 0 (any scale) and the rates m of any interior ω,
/// rounded down by its own rounding error.
[[nodiscard]] double certified_lower(const ModelView& model, std::span<const double> weights,
                                     std::span<const double> allocation);

/// Gᵀω.
[[nodiscard]] std::vector<double> observation_rates(const ModelView& model,
                                                    std::span<const double> allocation);

}  // namespace tasfg
