#include "optimality.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "pivoted_qr.hpp"

#include "tasfg/base/elementary.hpp"
#include "tasfg/solve/information.hpp"

namespace tasfg {
namespace {

using Vector = std::vector<double>;

constexpr double kRounding = 1e-13;  // far above the relative error of a price or an evidence

/// f_u with gradient and curvature, for every arm; zero at the best vertex.
struct Terms {
  std::vector<Evidence> evidence;
  std::vector<Curvature> curvature;
};

Terms terms_at(const ModelView& model, const Vector& m) {
  const auto a = static_cast<std::size_t>(model.best);
  Terms terms{std::vector<Evidence>(m.size(), Evidence{}), std::vector<Curvature>(m.size(), Curvature{})};
  std::visit(
      [&](const auto& reward) {
        for (std::size_t u = 0; u < m.size(); ++u) {
          if (u == a) continue;
          terms.evidence[u] = evidence(reward, model.means[a], model.means[u], m[a], m[u]);
          terms.curvature[u] = curvature(reward, model.means[a], model.means[u], m[a], m[u]);
        }
      },
      *model.reward);
  return terms;
}

double largest_of(const Vector& x) {
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

/// The conditions for one pair of sets. Unknowns and equations come in one order: vertices, then arms, where
/// the best vertex' place has t and Σω = 1. Evidence and prices are in units of the first t.
class Conditions {
 public:
  Conditions(const ModelView& model, Optimum& point)
      : model_(model),
        point_(point),
        K_(static_cast<std::size_t>(model.K)),
        best_(static_cast<std::size_t>(model.best)),
        unit_(point.value) {}

  /// Newton's method; whether it converged.
  bool solve() {
    constexpr int kMostSteps = 50;
    constexpr double kSolved = 1e-12;  // largest residual
    double last = kInfinity;
    for (int step = 0; step < kMostSteps; ++step) {
      if (!(point_.value > 0.0) || !evaluate()) return false;
      const Vector residual = residuals();
      const double largest = largest_of(residual);
      if (largest <= kSolved && !(largest < 0.5 * last)) return true;  // rounding is all that is left
      last = largest;
      const Vector change = step_for(residual);
      if (!std::isfinite(largest_of(change))) return false;
      move(change);
    }
    return false;
  }

  /// The unknown whose sign is worst, if any is wrong: a vertex must be plainly on its side; an arm may be on
  /// neither, with no weight and no excess.
  [[nodiscard]] std::optional<std::size_t> wrong() const {
    std::optional<std::size_t> found;
    double least = 0.0;
    for (std::size_t i = 0; i < 2 * K_; ++i) {
      if (i == K_ + best_) continue;
      const double margin = unknown(i) + (i < K_ ? -kRounding : kRounding);
      if (margin > least) continue;
      least = margin;
      found = i;
    }
    return found;
  }
  /// Moves a vertex or an arm to the other side, where it has nothing yet.
  void exchange(std::size_t i) {
    std::uint8_t& side = i < K_ ? point_.drawn[i] : point_.binding[i - K_];
    side = side == 0 ? 1 : 0;
    unknown(i) = 0.0;
  }

 private:
  [[nodiscard]] double& unknown(std::size_t i) const {
    return i < K_ ? point_.vertex[i] : point_.arm[i - K_];
  }
  [[nodiscard]] double edge(std::size_t v, std::size_t u) const { return model_.graph[v * K_ + u]; }
  [[nodiscard]] bool drawn(std::size_t v) const { return point_.drawn[v] != 0; }
  [[nodiscard]] bool binds(std::size_t u) const { return u != best_ && point_.binding[u] != 0; }
  /// (G∇f_u)_v and (G h_u)_v, h_uh_uᵀ being the direction of f_u's curvature.
  [[nodiscard]] double slope(std::size_t v, std::size_t u) const {
    const Evidence& e = terms_.evidence[u];
    return (edge(v, best_) * e.from_best + edge(v, u) * e.from_arm) / unit_;
  }
  [[nodiscard]] double bend(std::size_t v, std::size_t u) const {
    const Curvature& c = terms_.curvature[u];
    return edge(v, best_) * c.best + edge(v, u) * c.arm;
  }

  /// False where a vertex is not observed.
  bool evaluate() {
    Vector omega(K_, 0.0);
    for (std::size_t v = 0; v < K_; ++v)
      if (drawn(v)) omega[v] = point_.vertex[v];
    rates_ = observation_rates(model_, omega);
    if (!std::all_of(rates_.begin(), rates_.end(), [](double rate) { return rate > 0.0; })) return false;
    terms_ = terms_at(model_, rates_);
    return true;
  }

  [[nodiscard]] Vector residuals() const {
    const double t = point_.value / unit_;
    Vector residual(2 * K_), g(K_, 0.0);
    for (std::size_t u = 0; u < K_; ++u) {
      if (u == best_) continue;
      const Evidence& e = terms_.evidence[u];
      const double weight = binds(u) ? point_.arm[u] : 0.0, excess = binds(u) ? 0.0 : point_.arm[u];
      residual[K_ + u] = e.value / unit_ - t - excess;
      g[best_] += weight * e.from_best / unit_;
      g[u] += weight * e.from_arm / unit_;
    }
    double total = 0.0;
    for (std::size_t v = 0; v < K_; ++v) {
      double price = 0.0;
      for (std::size_t u = 0; u < K_; ++u) price += edge(v, u) * g[u];
      residual[v] = price - t + (drawn(v) ? 0.0 : point_.vertex[v]);
      if (drawn(v)) total += point_.vertex[v];
    }
    residual[K_ + best_] = total - 1.0;
    return residual;
  }

  /// The derivatives of the residuals, a column for each: a row by each unknown.
  [[nodiscard]] Matrix derivatives() const {
    Matrix matrix(2 * K_, 2 * K_);
    const std::size_t t = K_ + best_;
    for (std::size_t v = 0; v < K_; ++v) {
      if (drawn(v))
        matrix(v, t) = 1.0;
      else
        matrix(v, v) = 1.0;
      matrix(t, v) = -1.0;
    }
    for (std::size_t u = 0; u < K_; ++u) {
      if (u == best_) continue;
      matrix(t, K_ + u) = -1.0;
      for (std::size_t v = 0; v < K_; ++v)
        if (drawn(v)) matrix(v, K_ + u) = slope(v, u);
      if (!binds(u)) {
        matrix(K_ + u, K_ + u) = -1.0;
        continue;
      }
      const double weight = point_.arm[u] * terms_.curvature[u].scale / unit_;
      for (std::size_t v = 0; v < K_; ++v) {
        matrix(K_ + u, v) = slope(v, u);
        const double one = weight * bend(v, u);
        for (std::size_t w = 0; w < K_; ++w)
          if (drawn(w)) matrix(w, v) -= one * bend(w, u);
      }
    }
    return matrix;
  }

  /// Newton's step is minus this. Where there are many, the one that changes the unknowns least, each
  /// relative to what it is.
  [[nodiscard]] Vector step_for(const Vector& residual) const {
    constexpr double kDependent = 1e-12;  // pivots relative to the largest
    constexpr double kNew = 1e-3;         // counts for an unknown that has just changed sides
    Matrix matrix = derivatives();
    const PivotedQr qr(matrix);
    const std::size_t rank = qr.rank(kDependent);
    if (rank == matrix.rows) return qr.shortest(residual, rank);
    Vector units(matrix.rows);
    for (std::size_t i = 0; i < units.size(); ++i)
      units[i] = i == K_ + best_ ? 1.0 : unknown(i) == 0.0 ? kNew : std::abs(unknown(i));
    for (std::size_t j = 0; j < matrix.columns; ++j)
      for (std::size_t i = 0; i < matrix.rows; ++i) matrix(i, j) *= units[i];
    Vector step = PivotedQr(std::move(matrix)).shortest(residual, rank);
    for (std::size_t i = 0; i < step.size(); ++i) step[i] *= units[i];
    return step;
  }

  /// By minus so much of the step as leaves every vertex a tenth of its rate.
  void move(const Vector& step) {
    Vector change(K_, 0.0);
    for (std::size_t v = 0; v < K_; ++v)
      if (drawn(v)) change[v] = step[v];
    const Vector fall = observation_rates(model_, change);
    double length = 1.0;
    for (std::size_t u = 0; u < K_; ++u)
      if (fall[u] > 0.9 * rates_[u]) length = std::min(length, 0.9 * rates_[u] / fall[u]);
    for (std::size_t i = 0; i < step.size(); ++i)
      if (i != K_ + best_) unknown(i) -= length * step[i];
    point_.value -= length * step[K_ + best_] * unit_;
  }

  const ModelView& model_;
  Optimum& point_;
  std::size_t K_, best_;
  double unit_;
  Vector rates_;
  Terms terms_;
};

}  // namespace

Optimum guess_of(const ModelView& model, const CharacteristicTimeSolver& solver) {
  const auto K = static_cast<std::size_t>(model.K);
  const auto a = static_cast<std::size_t>(model.best);
  Optimum guess{std::vector<std::uint8_t>(K), std::vector<std::uint8_t>(K), Vector(K), Vector(K),
                1.0 / time_of(model, solver.allocation())};
  const std::span<const double> omega = solver.allocation(), weights = solver.weights();
  double total = 0.0;
  for (std::size_t u = 0; u < K; ++u) total += u == a ? 0.0 : weights[u];
  const Vector g = certificate_prices(model, weights, solver.dual_point());
  const Terms terms = terms_at(model, observation_rates(model, omega));
  for (std::size_t v = 0; v < K; ++v) {
    double price = 0.0;
    for (std::size_t u = 0; u < K; ++u) price += model.graph[v * K + u] * g[u];
    const double loss = 1.0 - price / guess.value;
    guess.drawn[v] = omega[v] > loss ? 1 : 0;
    guess.vertex[v] = std::max(omega[v], loss);
    if (v == a) continue;
    const double weight = weights[v] / total, excess = terms.evidence[v].value / guess.value - 1.0;
    guess.binding[v] = weight > excess ? 1 : 0;
    guess.arm[v] = std::max(weight, excess);
  }
  return guess;
}

std::optional<Optimum> optimum_with_sets_of(const ModelView& model, Optimum start) {
  Conditions conditions(model, start);
  if (!conditions.solve() || conditions.wrong()) return {};
  return start;
}

std::optional<Optimum> optimum_near(const ModelView& model, Optimum start) {
  constexpr int kMostExchanges = 20;
  for (int changes = 0; changes <= kMostExchanges; ++changes) {
    Conditions conditions(model, start);
    if (!conditions.solve()) return {};
    const auto wrong = conditions.wrong();
    if (!wrong) return start;
    conditions.exchange(*wrong);
  }
  return {};
}

}  // namespace tasfg
