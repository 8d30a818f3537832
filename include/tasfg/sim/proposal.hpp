/// The law that runs are drawn from where errors are to be counted by importance sampling.
///
/// With probability `plain` a run is drawn from the instance itself; else from one of several components. A
/// component draws the mean of every arm from a conjugate prior, and multiplies the odds of every edge into
/// arm u by exp(log_odds_u), so that some arms are seen less often than they should be. With M_u rewards of
/// sum S_u seen after N_v pulls, the likelihood of a path under component c over that under the instance is
///
///     ln dP_c/dP = Σ_u [ln E_{λ ~ prior_cu} e^{(θ(λ) − θ(μ_u)) S_u − M_u (b(λ) − b(μ_u))} + h_cu M_u] − Σ_v
///     N_v c_v , c_v = Σ_u ln(1 − G_vu + G_vu e^{h_cu}) ,
///
/// whatever the sampling rule, at any stopping time; the expectation has a closed form in every family. The
/// weight of a run is one over the whole mixture's ratio, not over the drawn component's.
///
/// Rewards around a drawn mean vary more than the few rewards behind an error, which are all just large
/// enough. Of Gaussian rewards a component can therefore pin the mean of the first k rewards of an arm, whose
/// noise z_1, …, z_k is known before the run begins: it draws x from the prior, and the arm's mean is x −
/// (z_1
/// + … + z_k)/k. With prior N(m, σ²/s), the mean r of the n rewards seen and r_k that of the first k, the arm
/// has
///
///     ln dP_c/dP = ½ n (r − μ)²/σ² − ½ (ln(n/s) + s (r_k − m)²/σ²)             where n ≥ k,
///     ln dP_c/dP = ½ n (r − μ)²/σ² − ½ (ln q + n (r − m)²/(q σ²)), q = 1 + n (1/s − 1/k),   where n < k,
///
/// of which k = ∞ is the arm that is not pinned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tasfg/base/philox.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// What of a path its likelihood depends on.
struct PathCounts {
  std::span<const double> observations;  // M_u
  std::span<const double> means;         // S_u/M_u; anything where M_u = 0
  std::span<const double> pulls;         // N_v
  /// Of the first k rewards of u at u·kMostPinned + k − 1, seen or not; nothing where no arm is pinned.
  std::span<const double> first_means = {};
};
/// No more than so many first rewards of an arm are pinned.
inline constexpr int kMostPinned = 8;

/// How a component changes one arm. The prior of its mean, or of that of its first rewards, is the conjugate
/// one with this mean, as strong as so many observations.
struct ArmTilt {
  double mean, strength;
  double log_odds;  // added to that of each edge into it
  int pinned = 0;   // so many first rewards; 0: none
};

struct TiltComponent {
  double weight;  // the weights of all components and `plain` sum to one
  std::vector<ArmTilt> arms;
};

class Proposal {
 public:
  /// Keeps a reference to the instance.
  Proposal(const Instance& truth, double plain, std::vector<TiltComponent> components);

  [[nodiscard]] double plain() const { return plain_; }
  [[nodiscard]] const std::vector<TiltComponent>& components() const { return components_; }

  /// ln dQ/dP of a path.
  [[nodiscard]] double log_ratio(const PathCounts& path) const;
  /// ln dP_c/dP of a path, for every component c.
  void log_ratios(const PathCounts& path, std::span<double> out) const;

  /// Draws whose instance to simulate: a component's number and its arms' means, or −1 and the true ones.
  struct Drawn {
    int component;
    Instance instance;
  };
  /// `noise`: what the means of an arm's first rewards will differ by from its mean, ordered as first_means;
  /// nothing where no arm is pinned.
  [[nodiscard]] Drawn draw(PhiloxStream& stream, std::span<const double> noise = {}) const;

 private:
  void gaussian_log_ratios(const PathCounts& path, double variance, std::span<double> out) const;

  const Instance* truth_;
  double plain_;
  std::vector<TiltComponent> components_;
  std::vector<FeedbackGraph> graphs_;            // of each component
  std::vector<std::vector<double>> pull_costs_;  // c_v of each component
};

/// Mean and variance of an arm's mean after n rewards of mean r, under its prior; where it is pinned, of the
/// mean of its first rewards, after fewer.
struct Posterior {
  double mean, variance;
};
[[nodiscard]] Posterior posterior_of(const RewardFamily& reward, const ArmTilt& prior, double n, double r);
/// The strength of the prior that has this mean and variance.
[[nodiscard]] double strength_of(const RewardFamily& reward, double mean, double variance);

/// The probability p with its odds multiplied by e^h.
[[nodiscard]] double tilted_probability(double p, double log_odds);

}  // namespace tasfg
