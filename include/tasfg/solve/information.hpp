/// The evidence f_u(m) that separates vertex u from the best vertex a (design: Mathematics).
///
///   f_u(m) = inf_x m_a d(μ_a, x) + m_u d(μ_u, x), attained at the m-weighted mean x_u.
///
/// f_u is concave and 1-homogeneous; by the envelope theorem ∇f_u = (d(μ_a, x_u), d(μ_u, x_u)) at (a, u);
/// its Hessian is −c·h hᵀ with h = (μ_a − x_u, μ_u − x_u) and c = 1/(V(x_u)(m_a + m_u)).
#pragma once

namespace tasfg {

struct Evidence {
  double value;      // f_u
  double from_best;  // ∂f_u/∂m_a
  double from_arm;   // ∂f_u/∂m_u
};

/// f_u and its gradient, for observation rates m_a, m_u of which at least one is positive.
template <typename Reward>
[[nodiscard]] inline Evidence evidence(const Reward& reward, double mean_best, double mean_arm, double m_best,
                                       double m_arm) {
  const double total = m_best + m_arm;
  const double gap = mean_best - mean_arm;
  // Steps from either mean to x_u, from the gap itself: x_u − μ would cancel.
  const double down = -gap * (m_arm / total);
  const double up = gap * (m_best / total);
  const double from_best = reward.divergence_step(mean_best, down);
  const double from_arm = reward.divergence_step(mean_arm, up);
  return {m_best * from_best + m_arm * from_arm, from_best, from_arm};
}

/// The Hessian's factors: ∇²f_u = −[aa, au; au, uu].
struct Curvature {
  double aa, au, uu;
};

template <typename Reward>
[[nodiscard]] inline Curvature curvature(const Reward& reward, double mean_best, double mean_arm,
                                         double m_best, double m_arm) {
  const double total = m_best + m_arm;
  const double gap = mean_best - mean_arm;
  const double ha = gap * (m_arm / total);
  const double hu = -gap * (m_best / total);
  const double c = 1.0 / (reward.variance_at(mean_arm - hu) * total);
  return {c * ha * ha, c * ha * hu, c * hu * hu};
}

}  // namespace tasfg
