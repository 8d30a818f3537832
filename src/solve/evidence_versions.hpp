// The evidence of all arms, four at a time, in versions (base/each_version.hpp).

/// The best vertex and all others, in groups of four.
struct Arms {
  std::size_t groups;
  double best_mean, best_rate;
  const double* means;
  const double* rates;
  const double* is_arm;  // positive at arms, 0 elsewhere
};

/// f_u and its gradient for all arms, times `factor`; f is infinite where there is no arm.
inline void evidence_of_arms(const RewardFamily& family, const Arms& arms, double factor, double* value,
                             double* from_best, double* from_arm) {
  std::visit(
      [&](const auto& reward) {
        for (std::size_t b = 0; b < arms.groups; ++b) {
          const EvidenceOf<Lanes> e = evidence(reward, Lanes(arms.best_mean), lanes(arms.means + 4 * b),
                                               Lanes(arms.best_rate), lanes(arms.rates + 4 * b));
          lanes(value + 4 * b) = select(lanes(arms.is_arm + 4 * b) > 0.0, e.value * factor, kInfinity);
          lanes(from_best + 4 * b) = e.from_best * factor;
          lanes(from_arm + 4 * b) = e.from_arm * factor;
        }
      },
      family);
}
