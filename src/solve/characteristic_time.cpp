#include "tasfg/solve/characteristic_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include "newton_matrix.hpp"
#include "optimal_face.hpp"

#include "tasfg/base/contract.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

using Vector = std::vector<double>;

double sum(std::span<const double> x) {
  double total = 0.0;
  for (const double value : x) total += value;
  return total;
}

}  // namespace

const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::solved:
      return "solved";
    case SolveStatus::stalled:
      return "stalled";
    case SolveStatus::infeasible:
      return "infeasible";
  }
  return "";
}

ModelView view_of(const Instance& instance) {
  return {instance.size(), instance.graph().row_major(), instance.means(), instance.best(),
          &instance.reward()};
}

/// The interior point's variables and scratch. Arm quantities are indexed by vertex; the entry at the
/// best vertex is a dummy (s = 1, λ = 0) so that loops need no branch.
struct CharacteristicTimeSolver::Workspace {
  int K = 0;
  int best = -1;
  bool has_solution = false;
  DenseNewton dense;
  SparseNewton sparse;

  Vector omega, z, s, lambda;  // primal ω, its dual, slacks, their duals
  double t = 0.0, y = 0.0;     // value, dual of Σω = 1
  double scale = 1.0;          // f is divided by this

  Vector m, f, da, du;            // Gᵀω; f_u and its gradient, scaled
  Vector g, priced;               // Σλ∇f, G of it
  Vector weight, tilt, diagonal;  // Newton terms
  double rest = 0.0;
  Vector residual_dual, residual_arm;          // Gg + z − y;  f − t − s
  Vector d_omega, d_z, d_s, d_lambda;          // the step
  Vector x_q, x_one, push, gradient, refined;  // M⁻¹q, M⁻¹1, right-hand sides
  Vector target_arm, target_vertex;            // complementarity targets
  double d_t = 0.0, d_y = 0.0, h = 0.0, q_xq = 0.0;
  Vector best_omega;               // attains the best primal value so far
  Vector best_lambda, dual_omega;  // attain the best dual bound: weights, and where ∇f was taken

  /// An iterate on the way: where the next, slightly different model starts from.
  struct Snapshot {
    Vector omega, z, s, lambda;
    double t = 0.0, y = 0.0, scale = 1.0;
    bool valid = false;
  };
  static constexpr std::array kSnapshotGaps = {1e-1, 1e-2, 1e-3, 1e-4, 1e-6};
  std::array<Snapshot, kSnapshotGaps.size()> snapshots;

  /// How many snapshot levels a gap passes.
  static std::size_t snapshots_reached(double gap) {
    std::size_t count = 0;
    while (count < kSnapshotGaps.size() && gap <= kSnapshotGaps[count]) ++count;
    return count;
  }
  void save(Snapshot& to) const {
    to.omega = omega;
    to.z = z;
    to.s = s;
    to.lambda = lambda;
    to.t = t;
    to.y = y;
    to.scale = scale;
    to.valid = true;
  }
  void load(const Snapshot& from) {
    omega = from.omega;
    z = from.z;
    s = from.s;
    lambda = from.lambda;
    t = from.t;
    y = from.y;
    scale = from.scale;
  }

  void resize(int size) {
    if (size != K)
      for (Snapshot& snapshot : snapshots) snapshot.valid = false;
    K = size;
    for (Vector* v : {&omega,
                      &z,
                      &s,
                      &lambda,
                      &m,
                      &f,
                      &da,
                      &du,
                      &g,
                      &priced,
                      &weight,
                      &tilt,
                      &diagonal,
                      &residual_dual,
                      &residual_arm,
                      &d_omega,
                      &d_z,
                      &d_s,
                      &d_lambda,
                      &x_q,
                      &x_one,
                      &push,
                      &gradient,
                      &refined,
                      &target_arm,
                      &target_vertex,
                      &best_omega,
                      &best_lambda,
                      &dual_omega})
      v->resize(static_cast<std::size_t>(size));
  }
};

namespace {

/// One interior-point run over a loaded model. All the state is in the workspace.
template <typename Reward, typename Newton, typename Workspace>
class InteriorPoint {
 public:
  InteriorPoint(Workspace& work, const Newton& /*tag*/, Newton& newton, const Reward& reward,
                const ModelView& model)
      : w_(work),
        newton_(newton),
        reward_(reward),
        model_(model),
        K_(static_cast<std::size_t>(model.K)),
        a_(static_cast<std::size_t>(model.best)) {}

  /// From the uniform allocation. False where some vertex cannot be observed.
  bool start_cold() {
    std::fill(w_.omega.begin(), w_.omega.end(), 1.0 / static_cast<double>(K_));
    w_.scale = 1.0;
    for (auto& snapshot : w_.snapshots) snapshot.valid = false;
    evaluate();
    if (!rescale()) return false;
    w_.t = 0.5;  // min_u f_u is now 1
    double total = 0.0;
    for (std::size_t u = 0; u < K_; ++u) {
      w_.s[u] = u == a_ ? 1.0 : w_.f[u] - w_.t;
      w_.lambda[u] = u == a_ ? 0.0 : 1.0 / w_.s[u];
      total += w_.lambda[u];
    }
    for (double& value : w_.lambda) value /= total;
    start_dual(0.1);
    return true;
  }

  /// The last solve's allocation and weights, looked at under this model: solved where they are still good
  /// enough.
  SolveInfo look(const SolveOptions& options) {
    w_.omega = w_.best_omega;
    w_.lambda = w_.best_lambda;
    evaluate();
    combine();
    const double low = smallest_evidence();
    const double high = largest_price();
    if (!(high - low <= options.gap * high)) return {};
    w_.dual_omega = w_.best_omega;
    return {1.0 / (low * w_.scale), 1.0 / (high * w_.scale), 0, SolveStatus::solved};
  }

  /// From the last solve's iterate that is nearest to its end and still nearly feasible for this model.
  bool start_warm() {
    const double pairs = static_cast<double>(2 * K_ - 1);
    for (std::size_t i = w_.snapshots.size(); i-- > 0;) {
      if (!w_.snapshots[i].valid) continue;
      w_.load(w_.snapshots[i]);
      evaluate();
      combine();
      residuals();
      if (infeasibility() <= 10.0 * measure() * pairs) return true;
    }
    return false;
  }

  /// From inside, near the last solve's allocation and weights.
  void start_near() {
    w_.omega = w_.best_omega;
    w_.lambda = w_.best_lambda;
    evaluate();
    restart(1e-4);
  }

  SolveInfo iterate(const SolveOptions& options) {
    SolveInfo info;
    floor_ = 0.1 * options.gap * w_.t;
    double best_low = 0.0;                       // the best primal value, a lower end on 1/T*
    double best_high = kInfinity;                // the best dual bound
    double run_low = 0.0, run_high = kInfinity;  // the same, since the last restart
    int since_progress = 0;
    std::size_t saved = 0;
    int restarts = 4;
    double restart_margin = 1e-4;
    double last_gap = kInfinity;
    for (info.iterations = 0;; ++info.iterations) {
      const double low = smallest_evidence() / sum(w_.omega);
      const double high = largest_price() / sum(w_.lambda);
      if (!std::isfinite(low) || !std::isfinite(high)) break;
      if (low > best_low) {
        best_low = low;
        const double total = sum(w_.omega);
        for (std::size_t v = 0; v < K_; ++v) w_.best_omega[v] = w_.omega[v] / total;
      }
      if (high < best_high) {
        best_high = high;
        const double total = sum(w_.lambda);
        for (std::size_t v = 0; v < K_; ++v) {
          w_.best_lambda[v] = w_.lambda[v] / total;
          w_.dual_omega[v] = w_.omega[v];
        }
      }
      const double gap = (best_high - best_low) / best_high;
      const std::size_t reached = w_.snapshots_reached((high - low) / high);
      for (; saved < reached; ++saved)
        if (saved + 1 == reached || !w_.snapshots[saved].valid) w_.save(w_.snapshots[saved]);
      if (gap <= options.gap) break;
      run_low = std::max(run_low, low);
      run_high = std::min(run_high, high);
      const double run_gap = (run_high - run_low) / run_high;
      since_progress = run_gap < 0.9 * last_gap ? 0 : since_progress + 1;
      if (run_gap < 0.9 * last_gap) last_gap = run_gap;
      careful_ = careful_ || since_progress >= 2;
      if (since_progress >= kPatience && restarts > 0) {
        // Jammed against the boundary: begin again from inside, near the best ends found.
        w_.omega = w_.best_omega;
        w_.lambda = w_.best_lambda;
        evaluate();
        restart(restart_margin);
        restart_margin *= 30.0;
        --restarts;
        since_progress = 0;
        last_gap = run_high = kInfinity;
        run_low = 0.0;
      }
      if (since_progress >= kPatience || info.iterations >= options.max_iterations) break;
      step();
    }
    const double gap = (best_high - best_low) / best_high;
    info.upper = 1.0 / (best_low * w_.scale);
    info.lower = 1.0 / (best_high * w_.scale);
    info.status =
        gap <= std::max(options.gap, options.acceptable) ? SolveStatus::solved : SolveStatus::stalled;
    return info;
  }

 private:
  static constexpr int kPatience = 15;
  static constexpr int kShortenings = 6;

  void evaluate() {
    newton_.observe(w_.omega, w_.m);
    const double inverse = 1.0 / w_.scale;
    const double mean_a = model_.means[a_];
    const double m_a = w_.m[a_];
    for (std::size_t u = 0; u < K_; ++u) {
      if (u == a_) continue;
      const Evidence e = evidence(reward_, mean_a, model_.means[u], m_a, w_.m[u]);
      w_.f[u] = e.value * inverse;
      w_.da[u] = e.from_best * inverse;
      w_.du[u] = e.from_arm * inverse;
    }
    w_.f[a_] = kInfinity;
    w_.da[a_] = w_.du[a_] = 0.0;
  }

  /// Divides f by its smallest value. False where that is not a positive number.
  bool rescale() {
    const double smallest = smallest_evidence();
    if (!(smallest > 0.0) || !std::isfinite(1.0 / smallest)) return false;
    w_.scale = smallest;
    for (std::size_t u = 0; u < K_; ++u) {
      w_.f[u] /= smallest;
      w_.da[u] /= smallest;
      w_.du[u] /= smallest;
    }
    return true;
  }

  /// Slacks, t and y for the ω and λ at hand, with margins as wide as the gap between them or wider;
  /// then ω and λ are raised to where the central path would have them.
  void restart(double least_margin) {
    combine();
    double low = smallest_evidence();
    const double high = largest_price();
    const double gap = std::max(high - low, least_margin * low);
    const double mu = gap / static_cast<double>(2 * K_);
    double omega_total = 0.0;
    double lambda_total = 0.0;
    for (std::size_t v = 0; v < K_; ++v) {
      w_.omega[v] = std::max(w_.omega[v], mu / (high + gap - w_.priced[v]));
      if (v != a_) w_.lambda[v] = std::max(w_.lambda[v], mu / (w_.f[v] - low + gap));
      omega_total += w_.omega[v];
      lambda_total += w_.lambda[v];
    }
    for (std::size_t v = 0; v < K_; ++v) {
      w_.omega[v] /= omega_total;
      w_.lambda[v] /= lambda_total;
    }
    evaluate();
    low = smallest_evidence();
    w_.t = low - gap;
    for (std::size_t u = 0; u < K_; ++u) w_.s[u] = u == a_ ? 1.0 : w_.f[u] - w_.t;
    start_dual(gap / low);
  }

  void start_dual(double margin) {
    combine();
    const double top = largest_price();
    w_.y = top + margin * top;
    for (std::size_t v = 0; v < K_; ++v) w_.z[v] = w_.y - w_.priced[v];
    residuals();
  }

  /// g = Σλ∇f and G g.
  void combine() {
    double at_best = 0.0;
    for (std::size_t u = 0; u < K_; ++u) {
      at_best += w_.lambda[u] * w_.da[u];
      w_.g[u] = w_.lambda[u] * w_.du[u];
    }
    w_.g[a_] = at_best;
    newton_.price(w_.g, w_.priced);
  }

  [[nodiscard]] double smallest_evidence() const {
    double smallest = kInfinity;
    for (std::size_t u = 0; u < K_; ++u) smallest = w_.f[u] >= smallest ? smallest : w_.f[u];  // keeps a NaN
    return smallest;
  }
  [[nodiscard]] double largest_price() const {
    double largest = 0.0;
    for (std::size_t v = 0; v < K_; ++v) largest = w_.priced[v] <= largest ? largest : w_.priced[v];
    return largest;
  }

  /// The duality measure: mean complementarity product.
  [[nodiscard]] double measure() const {
    double total = 0.0;
    for (std::size_t v = 0; v < K_; ++v) total += w_.omega[v] * w_.z[v] + w_.lambda[v] * w_.s[v];
    return total / static_cast<double>(2 * K_ - 1);
  }

  /// What the residuals contribute to the duality gap.
  [[nodiscard]] double infeasibility() const {
    double total = 0.0;
    for (std::size_t v = 0; v < K_; ++v)
      total += w_.omega[v] * std::abs(w_.residual_dual[v]) + w_.lambda[v] * std::abs(w_.residual_arm[v]);
    return total;
  }

  void residuals() {
    for (std::size_t v = 0; v < K_; ++v) {
      w_.residual_dual[v] = w_.priced[v] + w_.z[v] - w_.y;
      w_.residual_arm[v] = v == a_ ? 0.0 : w_.f[v] - w_.t - w_.s[v];
    }
  }

  /// Builds and factors M; x_q = M⁻¹q with q = G Σ(λ/s)∇f, x_one = M⁻¹1.
  void assemble() {
    const double mean_a = model_.means[a_];
    const double m_a = w_.m[a_];
    const double inverse = 1.0 / w_.scale;
    w_.h = 0.0;
    w_.rest = 0.0;
    double at_best = 0.0;
    for (std::size_t u = 0; u < K_; ++u) {
      w_.diagonal[u] = w_.z[u] / w_.omega[u];
      if (u == a_) {
        w_.weight[u] = w_.tilt[u] = w_.gradient[u] = 0.0;
        continue;
      }
      const double theta = w_.lambda[u] / w_.s[u];
      const Curvature c = curvature(reward_, mean_a, model_.means[u], m_a, w_.m[u]);
      const double bend = w_.lambda[u] * inverse;
      const double uu = theta * w_.du[u] * w_.du[u] + bend * c.uu;
      const double au = theta * w_.da[u] * w_.du[u] + bend * c.au;
      // What is left at (a, a) after the square is completed: a determinant over uu, so never negative.
      const double cross = w_.da[u] * std::sqrt(c.uu) + w_.du[u] * std::sqrt(c.aa);
      w_.weight[u] = uu;
      w_.tilt[u] = uu > 0.0 ? au / uu : 0.0;
      w_.rest += uu > 0.0 ? theta * bend * cross * cross / uu : 0.0;
      w_.h += theta;
      at_best += theta * w_.da[u];
      w_.gradient[u] = theta * w_.du[u];
    }
    w_.gradient[a_] = at_best;
    newton_.factor({w_.weight, w_.tilt, w_.rest, w_.diagonal});
    newton_.price(w_.gradient, w_.push);  // q
    for (std::size_t v = 0; v < K_; ++v) {
      w_.x_q[v] = w_.push[v];
      w_.x_one[v] = 1.0;
    }
    newton_.solve(w_.x_q, w_.x_one);
    w_.q_xq = 0.0;
    q_xone_ = 0.0;
    one_xone_ = 0.0;
    for (std::size_t v = 0; v < K_; ++v) {
      w_.q_xq += w_.push[v] * w_.x_q[v];
      q_xone_ += w_.x_q[v];
      one_xone_ += w_.x_one[v];
    }
  }

  /// Solves [M, −q, 1; −qᵀ, h, 0; 1ᵀ, 0, 0](x, t, y) = (x, right_t, right_s), x in place.
  void bordered_solve(Vector& x, double right_t, double right_s, double& t, double& y) const {
    for (std::size_t v = 0; v < K_; ++v) right_t += x[v] * w_.x_q[v];
    newton_.solve(x);
    for (std::size_t v = 0; v < K_; ++v) right_s -= x[v];
    const double corner = std::max(w_.h - w_.q_xq, w_.h * kEpsilon);
    const double determinant = -corner * one_xone_ - q_xone_ * q_xone_;
    t = (-right_t * one_xone_ - right_s * q_xone_) / determinant;
    y = (corner * right_s - q_xone_ * right_t) / determinant;
    for (std::size_t v = 0; v < K_; ++v) x[v] += w_.x_q[v] * t - w_.x_one[v] * y;
  }

  /// One step of iterative refinement of (dω, dt, dy). The residual is formed arm by arm, where the
  /// large terms θ(∇f·Gᵀdω − dt) cancel exactly; in the factored system they cancel in rounding only.
  void refine(double b_t, double r_s) {
    const double mean_a = model_.means[a_];
    const double m_a = w_.m[a_];
    newton_.observe(w_.d_omega, w_.gradient);
    const double along_best = w_.gradient[a_];
    double at_best = 0.0;
    for (std::size_t u = 0; u < K_; ++u) {
      if (u == a_) continue;
      const double along = w_.gradient[u];
      const double pull = w_.lambda[u] / w_.s[u] * (w_.da[u] * along_best + w_.du[u] * along - w_.d_t);
      const Curvature c = curvature(reward_, mean_a, model_.means[u], m_a, w_.m[u]);
      const double bend = w_.lambda[u] / w_.scale;
      b_t += pull;
      at_best += pull * w_.da[u] + bend * (c.aa * along_best + c.au * along);
      w_.gradient[u] = pull * w_.du[u] + bend * (c.au * along_best + c.uu * along);
    }
    w_.gradient[a_] = at_best;
    newton_.price(w_.gradient, w_.refined);
    for (std::size_t v = 0; v < K_; ++v) {
      w_.refined[v] = w_.push[v] - w_.refined[v] - w_.diagonal[v] * w_.d_omega[v] - w_.d_y;
      r_s -= w_.d_omega[v];
    }
    double d_t = 0.0;
    double d_y = 0.0;
    bordered_solve(w_.refined, b_t, r_s, d_t, d_y);
    for (std::size_t v = 0; v < K_; ++v) w_.d_omega[v] += w_.refined[v];
    w_.d_t += d_t;
    w_.d_y += d_y;
  }

  /// Solves the Newton system for the targets at hand.
  void direction() {
    // Right-hand side b = residual_dual + e/ω + G Σ∇f (c − λ r)/s, with c, e the targets.
    double at_best = 0.0;
    double arm_total = 0.0;
    for (std::size_t u = 0; u < K_; ++u) {
      if (u == a_) {
        w_.gradient[u] = 0.0;
        continue;
      }
      const double rho = (w_.target_arm[u] - w_.lambda[u] * w_.residual_arm[u]) / w_.s[u];
      arm_total += rho;
      at_best += rho * w_.da[u];
      w_.gradient[u] = rho * w_.du[u];
    }
    w_.gradient[a_] = at_best;
    newton_.price(w_.gradient, w_.push);
    for (std::size_t v = 0; v < K_; ++v)
      w_.push[v] += w_.residual_dual[v] + w_.target_vertex[v] / w_.omega[v];
    const double b_t = (1.0 - sum(w_.lambda)) - arm_total;
    const double r_s = 1.0 - sum(w_.omega);
    w_.d_omega = w_.push;
    bordered_solve(w_.d_omega, b_t, r_s, w_.d_t, w_.d_y);
    if (careful_) refine(b_t, r_s);
    newton_.observe(w_.d_omega, w_.gradient);  // Gᵀ dω
    const double along_best = w_.gradient[a_];
    for (std::size_t u = 0; u < K_; ++u) {
      w_.d_z[u] = (w_.target_vertex[u] - w_.z[u] * w_.d_omega[u]) / w_.omega[u];
      if (u == a_) {
        w_.d_s[u] = w_.d_lambda[u] = 0.0;
        continue;
      }
      w_.d_s[u] = w_.da[u] * along_best + w_.du[u] * w_.gradient[u] - w_.d_t + w_.residual_arm[u];
      w_.d_lambda[u] = (w_.target_arm[u] - w_.lambda[u] * w_.d_s[u]) / w_.s[u];
    }
  }

  /// The longest step that keeps both pairs nonnegative.
  [[nodiscard]] double longest(const Vector& x, const Vector& dx, const Vector& y, const Vector& dy) const {
    double steepest = 0.0;
    for (std::size_t v = 0; v < K_; ++v) {
      if (dx[v] < 0.0) steepest = std::max(steepest, -dx[v] / x[v]);
      if (dy[v] < 0.0) steepest = std::max(steepest, -dy[v] / y[v]);
    }
    return steepest > 0.0 ? 1.0 / steepest : kInfinity;
  }

  void move(double primal, double dual) {
    w_.t += primal * w_.d_t;
    w_.y += dual * w_.d_y;
    for (std::size_t v = 0; v < K_; ++v) {
      w_.omega[v] += primal * w_.d_omega[v];
      w_.s[v] += primal * w_.d_s[v];
      w_.z[v] += dual * w_.d_z[v];
      w_.lambda[v] += dual * w_.d_lambda[v];
    }
    evaluate();
    combine();
    residuals();
  }

  void step() {
    assemble();
    const double mu = measure();
    for (std::size_t u = 0; u < K_; ++u) {
      w_.target_arm[u] = -w_.lambda[u] * w_.s[u];
      w_.target_vertex[u] = -w_.omega[u] * w_.z[u];
    }
    direction();
    const double primal = std::min(1.0, longest(w_.omega, w_.d_omega, w_.s, w_.d_s));
    const double dual = std::min(1.0, longest(w_.z, w_.d_z, w_.lambda, w_.d_lambda));
    double predicted = 0.0;
    for (std::size_t v = 0; v < K_; ++v) {
      predicted += (w_.omega[v] + primal * w_.d_omega[v]) * (w_.z[v] + dual * w_.d_z[v]);
      if (v != a_) predicted += (w_.s[v] + primal * w_.d_s[v]) * (w_.lambda[v] + dual * w_.d_lambda[v]);
    }
    predicted /= static_cast<double>(2 * K_ - 1);
    const double ratio = predicted / mu;
    // Complementarity must not run ahead of feasibility, nor below what the tolerance asks for: either
    // would leave a Newton matrix that rounding spoils.
    const double pairs = static_cast<double>(2 * K_ - 1);
    const double aim = std::max({ratio * ratio * ratio * mu, 0.1 * infeasibility() / pairs, floor_ / pairs});
    for (std::size_t u = 0; u < K_; ++u) {
      w_.target_arm[u] = aim - w_.lambda[u] * w_.s[u] - w_.d_lambda[u] * w_.d_s[u];
      w_.target_vertex[u] = aim - w_.omega[u] * w_.z[u] - w_.d_omega[u] * w_.d_z[u];
    }
    direction();
    const double keep = std::max(0.9, 1.0 - mu);
    double primal_length = std::min(1.0, keep * longest(w_.omega, w_.d_omega, w_.s, w_.d_s));
    double dual_length = std::min(1.0, keep * longest(w_.z, w_.d_z, w_.lambda, w_.d_lambda));
    const double allowed = mu * pairs + infeasibility();
    move(primal_length, dual_length);
    // Where f bends more than the step foresaw, a shorter step is taken.
    for (int i = 0; i < kShortenings && !(infeasibility() <= allowed); ++i) {
      move(-0.5 * primal_length, -0.5 * dual_length);
      primal_length *= 0.5;
      dual_length *= 0.5;
    }
  }

  Workspace& w_;
  Newton& newton_;
  const Reward& reward_;
  const ModelView& model_;
  std::size_t K_, a_;
  double q_xone_ = 0.0, one_xone_ = 0.0;
  bool careful_ = false;  // refine Newton steps: set once progress falters
  double floor_ = 0.0;    // least duality gap worth aiming at
};

/// Runs `body(interior_point)` with the reward family and the matrix form chosen once.
template <typename Workspace, typename Body>
auto with_interior_point(Workspace& work, const ModelView& model, bool reload, Body body) {
  return std::visit(
      [&](const auto& reward) {
        const auto run = [&](auto& newton) {
          if (reload) newton.load(model);
          InteriorPoint ip(work, newton, newton, reward, model);
          return body(ip);
        };
        return SparseNewton::suits(model) ? run(work.sparse) : run(work.dense);
      },
      *model.reward);
}

}  // namespace

CharacteristicTimeSolver::CharacteristicTimeSolver() : work_(std::make_unique<Workspace>()) {}
CharacteristicTimeSolver::~CharacteristicTimeSolver() = default;
CharacteristicTimeSolver::CharacteristicTimeSolver(CharacteristicTimeSolver&&) noexcept = default;
CharacteristicTimeSolver& CharacteristicTimeSolver::operator=(CharacteristicTimeSolver&&) noexcept = default;

SolveInfo CharacteristicTimeSolver::solve_cold(const ModelView& model, const SolveOptions& options) {
  TASFG_EXPECT(model.K >= 2 && model.reward != nullptr);
  work_->resize(model.K);
  work_->best = model.best;
  const SolveInfo info = with_interior_point(*work_, model, true, [&](auto& ip) {
    if (!ip.start_cold()) return SolveInfo{kInfinity, kInfinity, 0, SolveStatus::infeasible};
    return ip.iterate(options);
  });
  work_->has_solution = info.status == SolveStatus::solved;
  return info;
}

SolveInfo CharacteristicTimeSolver::solve_warm(const ModelView& model, const SolveOptions& options) {
  if (!work_->has_solution || work_->K != model.K || work_->best != model.best)
    return solve_cold(model, options);
  const SolveInfo info = with_interior_point(*work_, model, true, [&](auto& ip) {
    const SolveInfo last = ip.look(options);
    if (last.status == SolveStatus::solved) return last;
    if (!ip.start_warm()) ip.start_near();
    return ip.iterate(options);
  });
  if (info.status != SolveStatus::solved) return solve_cold(model, options);
  return info;
}

std::span<const double> CharacteristicTimeSolver::allocation() const {
  return work_->best_omega;
}
std::span<const double> CharacteristicTimeSolver::weights() const {
  return work_->best_lambda;
}
std::span<const double> CharacteristicTimeSolver::dual_point() const {
  return work_->dual_omega;
}

int CharacteristicTimeSolver::centre(const ModelView& model, const SolveOptions& options) {
  Workspace& w = *work_;
  OptimalFace face{{}, {static_cast<std::size_t>(model.best)}};
  for (std::size_t v = 0; v < static_cast<std::size_t>(model.K); ++v) {
    if (w.omega[v] * w.y > w.z[v]) face.support.push_back(v);
    if (v != face.fixed.front() && w.lambda[v] * w.t > w.s[v]) face.fixed.push_back(v);
  }
  w.refined = w.best_omega;
  const int dimension = centre_of_face(model, face, w.refined);
  if (time_of(model, w.refined) <= time_of(model, w.best_omega) * (1.0 + options.gap))
    w.best_omega = w.refined;
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
