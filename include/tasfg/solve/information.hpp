/// The evidence f_u(m) that separates vertex u from the best vertex a (design: Mathematics).
///
///   f_u(m) = inf_x m_a d(μ_a, x) + m_u d(μ_u, x), attained at the m-weighted mean x_u.
///
/// f_u is concave and 1-homogeneous; by the envelope theorem ∇f_u = (d(μ_a, x_u), d(μ_u, x_u)) at (a, u);
/// its Hessian is −c·h hᵀ with h = (μ_a − x_u, μ_u − x_u) and c = 1/(V(x_u)(m_a + m_u)).
#pragma once

namespace tasfg {

/// Number: a double, or several that move together where the family's functions take them.
template <typename Number>
struct EvidenceOf {
  Number value;      // f_u
  Number from_best;  // ∂f_u/∂m_a
  Number from_arm;   // ∂f_u/∂m_u
};
using Evidence = EvidenceOf<double>;

/// f_u and its gradient, for observation rates m_a, m_u of which at least one is positive.
template <typename Reward, typename Number>
[[nodiscard, gnu::always_inline]] inline EvidenceOf<Number> evidence(const Reward& reward,
                                                                     const Number& mean_best,
                                                                     const Number& mean_arm,
                                                                     const Number& m_best,
                                                                     const Number& m_arm) {
  const Number total = m_best + m_arm;
  const Number gap = mean_best - mean_arm;
  // Steps from either mean to x_u, from the gap itself: x_u − μ would cancel.
  const Number down = -gap * (m_arm / total);
  const Number up = gap * (m_best / total);
  const Number from_best = reward.divergence_step(mean_best, down);
  const Number from_arm = reward.divergence_step(mean_arm, up);
  return {m_best * from_best + m_arm * from_arm, from_best, from_arm};
}

/// The Hessian's factors: ∇²f_u = −scale·h hᵀ with h = (best, arm).
template <typename Number>
struct CurvatureOf {
  Number scale, best, arm;
};
using Curvature = CurvatureOf<double>;

template <typename Reward, typename Number>
[[nodiscard, gnu::always_inline]] inline CurvatureOf<Number> curvature(const Reward& reward,
                                                                       const Number& mean_best,
                                                                       const Number& mean_arm,
                                                                       const Number& m_best,
                                                                       const Number& m_arm) {
  const Number total = m_best + m_arm;
  const Number gap = mean_best - mean_arm;
  const Number best = gap * (m_arm / total);
  const Number arm = -gap * (m_best / total);
  const Number at = mean_arm - arm;
  return {1.0 / (reward.variance_at(at) * total), best, arm};
}

}  // namespace tasfg
