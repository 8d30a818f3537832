#include "central_point.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "base/simd.hpp"

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/extremes.hpp"
#include "tasfg/solve/information.hpp"

#define TASFG_EACH_VERSION "solve/central_point_versions.hpp"
#include "base/each_version.hpp"

namespace tasfg {
namespace {

/// What a member that joins changes at first, relative to what is there: enough to count, too little to
/// upset.
constexpr double kFirstPart = 0.02;

/// Writes the indices of the largest parts that `counts` lets in, the largest first, and says how many.
template <typename Counts>
std::size_t find_largest(std::span<const double> parts, Counts counts, std::span<std::size_t> found) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!(parts[i] > 0.0 && counts(i))) continue;
    std::size_t at = count < found.size() ? count++ : found.size();
    for (; at > 0 && parts[found[at - 1]] < parts[i]; --at)
      if (at < found.size()) found[at] = found[at - 1];
    if (at < found.size()) found[at] = i;
  }
  return count;
}

/// In four sums side by side.
double inner_product(const ThinVector& x, const ThinVector& y) {
  double sums[4] = {};
  for (std::size_t i = 0; i < kThinWidth; i += 4)
    for (std::size_t j = 0; j < 4; ++j) sums[j] += x[i + j] * y[i + j];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void thin_solve(const ThinSystem& system, const std::array<ThinVector*, 3>& x) {
  TASFG_CALL_VERSION(thin_solve, system, x);
}

/// μ: the gap of the point at it is a part of the one asked for, and leaves the rest to changes of the model.
double CentralPoint::target(const View& view, double gap) const {
  constexpr double kOfGap = 0.3;
  return kOfGap * gap * view.high / static_cast<double>(vertices_ + rivals_);
}

void CentralPoint::begin(const View& view, std::span<const double> omega, std::span<const double> lambda,
                         double gap) {
  constexpr double kFarPrice = 0.7, kFarEvidence = 5.0;
  const std::vector<double>& f = view.evidence.value();
  for (Vector* x : {&omega_, &z_, &lambda_, &s_}) x->fill(0.0);
  vertices_ = find_largest(
      omega, [&](std::size_t v) { return view.prices[v] > kFarPrice * view.high; }, vertex_);
  rivals_ = find_largest(
      lambda, [&](std::size_t u) { return f[u] < kFarEvidence * view.low; }, rival_);
  const double mu = target(view, gap), margin = gap * view.high;
  t_ = view.low - margin;
  y_ = view.high + margin;
  for (std::size_t i = 0; i < vertices_; ++i) {
    z_[i] = y_ - view.prices[vertex_[i]];
    omega_[i] = std::max(omega[vertex_[i]], mu / z_[i]);
  }
  for (std::size_t i = 0; i < rivals_; ++i) {
    s_[i] = f[rival_[i]] - t_;
    lambda_[i] = std::max(lambda[rival_[i]], mu / s_[i]);
  }
}

void CentralPoint::complete(const View& view, double gap) {
  const double mu = target(view, gap);
  const std::vector<double>& f = view.evidence.value();
  const auto n = static_cast<std::size_t>(view.model.K);
  const auto v = static_cast<std::size_t>(first_index_of(view.high, view.prices.data(), n));
  if (std::ranges::find(vertices(), v) == vertices().end()) {
    const auto least = std::min_element(omega_.begin(), omega_.begin() + kMostVertices);
    const auto i = vertices_ < kMostVertices ? vertices_++ : static_cast<std::size_t>(least - omega_.begin());
    vertex_[i] = v;
    omega_[i] = kFirstPart;
    z_[i] = mu / kFirstPart;
  }
  const auto u = static_cast<std::size_t>(first_index_of(view.low, f.data(), n));
  if (std::ranges::find(rivals(), u) == rivals().end()) {
    const auto price = [&](std::size_t i) { return lambda_[i] * view.evidence.from_arm(rival_[i]); };
    std::size_t i = rivals_;
    if (rivals_ < kMostRivals) {
      ++rivals_;
    } else {
      i = 0;
      for (std::size_t j = 1; j < rivals_; ++j)
        if (price(j) < price(i)) i = j;
    }
    rival_[i] = u;
    lambda_[i] = kFirstPart * view.high / view.evidence.from_arm(u);
    s_[i] = mu / lambda_[i];
  }
}

/// G of the members.
void CentralPoint::read_graph(const ModelView& model) {
  const auto n = static_cast<std::size_t>(model.K);
  for (std::size_t i = 0; i < vertices_; ++i) {
    const double* row = model.graph.data() + vertex_[i] * n;
    ThinVector& shown = system_.shown[i];
    for (std::size_t j = 0; j < rivals_; ++j) shown[j] = row[rival_[j]];
    shown[rivals_] = row[model.best];
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(rivals_) + 1, shown.end(), 0.0);
  }
}

bool CentralPoint::step(const View& view, double gap) {
  const ModelView& model = view.model;
  const auto a = static_cast<std::size_t>(model.best);
  const double mu = target(view, gap);
  const std::size_t best = rivals_;
  read_graph(model);
  system_.vertices = vertices_;
  system_.size = rivals_ + 1;

  // The terms of newton_terms.hpp, and what G is multiplied by: in q = G Σ(λ/s)∇f and in the right-hand side.
  Vector from_best{}, from_arm{}, residual{}, q_inner{}, push_inner{};
  double q_best = 0.0, push_best = 0.0, rest = 0.0, theta_sum = 0.0, pull_sum = 0.0, lambda_sum = 0.0,
         omega_sum = 0.0;
  system_.root.fill(0.0);
  system_.tilt.fill(0.0);
  std::visit(
      [&](const auto& reward) {
        for (std::size_t j = 0; j < rivals_; ++j) {
          const std::size_t u = rival_[j];
          const Curvature c = curvature(reward, model.means[a], model.means[u], view.rates[a], view.rates[u]);
          const double da = from_best[j] = view.evidence.from_best(u);
          const double du = from_arm[j] = view.evidence.from_arm(u);
          residual[j] = view.evidence.value()[u] - t_ - s_[j];
          const double over_s = 1.0 / s_[j], theta = lambda_[j] * over_s, bend = lambda_[j] * c.scale;
          const double uu = theta * du * du + bend * c.arm * c.arm, over_uu = 1.0 / uu;
          const double cross = da * c.arm - du * c.best;
          const double pull = (mu - lambda_[j] * (s_[j] + residual[j])) * over_s;
          system_.root[j] = std::sqrt(uu);
          system_.tilt[j] = (theta * da * du + bend * c.best * c.arm) * over_uu;
          rest += theta * bend * cross * cross * over_uu;
          q_inner[j] = theta * du;
          q_best += theta * da;
          push_inner[j] = pull * du;
          push_best += pull * da;
          theta_sum += theta;
          pull_sum += pull;
          lambda_sum += lambda_[j];
        }
      },
      *model.reward);
  system_.root[best] = std::sqrt(rest);
  q_inner[best] = q_best;
  push_inner[best] = push_best;
  Vector q{}, push{}, x_one{};
  for (std::size_t i = 0; i < vertices_; ++i) {
    system_.over_diagonal[i] = omega_[i] / z_[i];
    q[i] = inner_product(system_.shown[i], q_inner);
    push[i] = inner_product(system_.shown[i], push_inner) + view.prices[vertex_[i]] - y_ + mu / omega_[i];
    x_one[i] = 1.0;
    omega_sum += omega_[i];
  }

  // The bordered system of interior_point_versions.hpp.
  Vector x_q = q, d_omega = push;
  thin_solve(system_, {&x_q, &x_one, &d_omega});
  const auto total = [](const Vector& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
  const double right_t = (1.0 - lambda_sum) - pull_sum + inner_product(push, x_q);
  const double right_s = 1.0 - omega_sum - total(d_omega);
  const double corner = std::max(theta_sum - inner_product(q, x_q), theta_sum * kEpsilon);
  const double q_xone = total(x_q), one_xone = total(x_one);
  const double determinant = -corner * one_xone - q_xone * q_xone;
  const double d_t = (-right_t * one_xone - right_s * q_xone) / determinant;
  const double d_y = (corner * right_s - q_xone * right_t) / determinant;
  if (!std::isfinite(d_t) || !std::isfinite(d_y)) return false;

  Vector along{}, d_s{};  // Gᵀ dω; the slacks' step
  for (std::size_t i = 0; i < vertices_; ++i) {
    d_omega[i] += x_q[i] * d_t - x_one[i] * d_y;
    for (std::size_t j = 0; j < kThinWidth; ++j) along[j] += d_omega[i] * system_.shown[i][j];
  }
  for (std::size_t j = 0; j < rivals_; ++j)
    d_s[j] = from_best[j] * along[best] + from_arm[j] * along[j] - d_t + residual[j];
  move(d_omega, d_s, d_t, d_y, mu);
  return true;
}

/// Takes the step, or as much of it as leaves everything positive.
void CentralPoint::move(const Vector& d_omega, const Vector& d_s, double d_t, double d_y, double mu) {
  constexpr double kKeep = 0.9;
  Vector d_z{}, d_lambda{};
  double primal_slope = kKeep, dual_slope = kKeep;  // steepest relative falls
  const auto other = [&](double x, double dx, double y) { return (mu - y * dx) / x - y; };
  for (std::size_t i = 0; i < vertices_; ++i) {
    d_z[i] = other(omega_[i], d_omega[i], z_[i]);
    primal_slope = std::max(primal_slope, -d_omega[i] / omega_[i]);
    dual_slope = std::max(dual_slope, -d_z[i] / z_[i]);
  }
  for (std::size_t j = 0; j < rivals_; ++j) {
    d_lambda[j] = other(s_[j], d_s[j], lambda_[j]);
    primal_slope = std::max(primal_slope, -d_s[j] / s_[j]);
    dual_slope = std::max(dual_slope, -d_lambda[j] / lambda_[j]);
  }
  const double primal = kKeep / primal_slope, dual = kKeep / dual_slope;
  t_ += primal * d_t;
  y_ += dual * d_y;
  for (std::size_t i = 0; i < vertices_; ++i) {
    omega_[i] += primal * d_omega[i];
    z_[i] += dual * d_z[i];
  }
  for (std::size_t j = 0; j < rivals_; ++j) {
    s_[j] += primal * d_s[j];
    lambda_[j] += dual * d_lambda[j];
  }
  const auto normalise = [](Vector& x) {
    const double over = 1.0 / std::accumulate(x.begin(), x.end(), 0.0);
    for (double& part : x) part *= over;
  };
  normalise(omega_);
  normalise(lambda_);
}

void CentralPoint::spread(std::vector<double>& omega, std::vector<double>& lambda) const {
  std::fill(omega.begin(), omega.end(), 0.0);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (std::size_t i = 0; i < vertices_; ++i) omega[vertex_[i]] = omega_[i];
  for (std::size_t j = 0; j < rivals_; ++j) lambda[rival_[j]] = lambda_[j];
}

}  // namespace tasfg
