// The interior point of characteristic_time.hpp, in versions (base/each_version.hpp).
//
// Newton (newton_terms.hpp) says what the vectors are: arrays whose length the compiler
// knows, for few vertices, or of K rounded up to groups of four. So that loops need no branch, there are
// neutral entries: beyond K, ω and z are positive and stand still, and rows and columns of G are 0; there and
// at the best vertex, arm quantities have s = 1, λ = 0 and the best vertex' mean. `vertex` and `arm` keep
// them out of sums.

/// The Hessian's factors for all arms.
inline void curvature_of_arms(const RewardFamily& family, const Arms& arms, double* scale, double* best,
                              double* arm) {
  std::visit(
      [&](const auto& reward) {
        for (std::size_t b = 0; b < arms.groups; ++b) {
          const CurvatureOf<Lanes> c = curvature(reward, Lanes(arms.best_mean), lanes(arms.means + 4 * b),
                                                 Lanes(arms.best_rate), lanes(arms.rates + 4 * b));
          lanes(scale + 4 * b) = c.scale;
          lanes(best + 4 * b) = c.best;
          lanes(arm + 4 * b) = c.arm;
        }
      },
      family);
}

/// Where an interior point stands: what another, slightly different model can start from.
template <typename Vector>
struct Iterate {
  Vector omega, z, s, lambda;  // primal ω, its dual, slacks, their duals
  double t = 0.0, y = 0.0;     // value, dual of Σω = 1
  double scale = 1.0;          // f is divided by this
};

/// The variables, scratch and results of an interior point.
template <typename Newton>
struct InteriorPointState : Iterate<typename Newton::Vector> {
  using Vector = typename Newton::Vector;

  Newton newton;
  Vector vertex, arm, means;                       // 1 at a vertex; 1 at an arm; the model's
  Vector m, f, da, du;                             // Gᵀω; f_u and its gradient, scaled
  Vector g, priced;                                // Σλ∇f, G of it
  Vector over_omega, over_z, over_s, over_lambda;  // reciprocals
  Vector bend, bend_best, bend_arm;                // the Hessians' factors
  Vector weight, tilt, diagonal;                   // Newton terms
  Vector residual_dual, residual_arm;              // Gg + z − y;  f − t − s
  Vector d_omega, d_z, d_s, d_lambda;              // the step
  Vector x_q, x_one, push, gradient, refined;      // M⁻¹q, M⁻¹1, right-hand sides
  Vector target_arm, target_vertex;                // complementarity targets
  Vector best_omega;                               // attains the best primal value so far
  Vector best_lambda, dual_omega;  // attain the best dual bound: weights, and where ∇f was taken

  /// Iterates on the way, one for each of these gaps that has been reached.
  static constexpr std::array kSnapshotGaps = {1e-1, 1e-2, 1e-3, 1e-4, 1e-6};
  std::array<Iterate<Vector>, kSnapshotGaps.size()> snapshots;
  std::array<bool, kSnapshotGaps.size()> saved{};
  Iterate<Vector> end;  // of the last solve

  int K = 0, best = -1;

  void load(const ModelView& model) {
    if (model.K != K) resize(model.K);
    if (model.best != best) {
      best = model.best;
      for (std::size_t u = 0; u < arm.size(); ++u) arm[u] = static_cast<int>(u) == best ? 0.0 : vertex[u];
    }
    const auto n = static_cast<std::size_t>(K);
    std::copy_n(model.means.begin(), n, means.begin());
    std::fill(means.begin() + K, means.end(), model.means[static_cast<std::size_t>(best)]);
    newton.load(model);
  }

 private:
  void resize(int size) {
    K = size;
    best = -1;
    saved.fill(false);
    if constexpr (Newton::kWidth == 0) {
      const std::size_t n = padded(static_cast<std::size_t>(size));
      for (Vector* v : {&this->omega,  &this->z,     &this->s,   &this->lambda, &vertex,      &arm,
                        &means,        &m,           &f,         &da,           &du,          &g,
                        &priced,       &over_omega,  &over_z,    &over_s,       &over_lambda, &bend,
                        &bend_best,    &bend_arm,    &weight,    &tilt,         &diagonal,    &residual_dual,
                        &residual_arm, &d_omega,     &d_z,       &d_s,          &d_lambda,    &x_q,
                        &x_one,        &push,        &gradient,  &refined,      &target_arm,  &target_vertex,
                        &best_omega,   &best_lambda, &dual_omega})
        v->assign(n, 0.0);
    }
    std::fill(vertex.begin(), vertex.end(), 0.0);
    std::fill_n(vertex.begin(), size, 1.0);
  }
};

template <typename Newton>
class InteriorPoint final : public InteriorPointSolver {
 public:
  bool suits(const ModelView& model) override {
    if constexpr (requires { w_.newton.pays(); }) {
      has_solution_ = has_solution_ && w_.K == model.K && w_.best == model.best;
      w_.load(model);
      return w_.newton.pays();
    }
    return true;
  }
  SolveInfo solve(const ModelView& model, Start start, const SolveOptions& options) override {
    if (!has_solution_ || w_.K != model.K || w_.best != model.best) start = Start::cold;
    w_.load(model);
    reward_ = model.reward;
    K_ = static_cast<std::size_t>(w_.K);
    a_ = static_cast<std::size_t>(w_.best);
    SolveInfo info = run(start, options);
    if (start == Start::warm && info.status != SolveStatus::solved) info = run(Start::cold, options);
    has_solution_ = info.status == SolveStatus::solved;
    return info;
  }
  std::span<double> allocation() override { return {w_.best_omega.data(), K_}; }
  std::span<const double> weights() override { return {w_.best_lambda.data(), K_}; }
  std::span<const double> dual_point() override { return {w_.dual_omega.data(), K_}; }
  OptimalFace face(const ModelView& /*model*/, const SolveOptions& /*options*/) override {
    OptimalFace face{{}, {a_}};
    for (std::size_t v = 0; v < K_; ++v) {
      if (w_.omega[v] * w_.y > w_.z[v]) face.support.push_back(v);
      if (v != a_ && w_.lambda[v] * w_.t > w_.s[v]) face.fixed.push_back(v);
    }
    return face;
  }

 private:
  using State = InteriorPointState<Newton>;
  using Vector = typename State::Vector;

  static constexpr int kPatience = 15;
  static constexpr int kShortenings = 6;
  /// Of very many vertices one whose step is wrong spoils the evidence of all.
  static constexpr double kRoundingShows = 1e-5;
  static constexpr double kKeep = 0.9;  // of the way to the boundary, at least
  /// Whether a step costs so much that following a model is worth an iterate's memory.
  static constexpr bool kFollows = requires { Newton::kFollows; };

  SolveInfo run(Start start, const SolveOptions& options) {
    careful_ = false;
    if (start == Start::cold) {
      if (!start_cold()) return {kInfinity, kInfinity, 0, SolveStatus::infeasible};
    } else {
      const SolveInfo last = look(options);
      if (last.status == SolveStatus::solved) return last;
      if (const SolveInfo followed = follow(options); followed.status == SolveStatus::solved) return followed;
      if (!start_warm()) restart(1e-4);
    }
    const SolveInfo info = iterate(options);
    if constexpr (kFollows) w_.end = w_;
    return info;
  }

  /// How many groups of four entries a vector has.
  [[nodiscard]] std::size_t blocks() const {
    if constexpr (Newton::kWidth > 0)
      return Newton::kWidth / 4;
    else
      return padded(K_) / 4;
  }
  /// Group b of a vector.
  TASFG_INLINE static LanesInMemory<Lanes> at(Vector& v, std::size_t b) { return lanes(v.data() + 4 * b); }
  TASFG_INLINE static Lanes at(const Vector& v, std::size_t b) { return lanes(v.data() + 4 * b); }
  /// Complementarity pairs.
  [[nodiscard]] double pairs() const { return static_cast<double>(2 * K_ - 1); }

  [[nodiscard]] double total(const Vector& x) const {
    Lanes sum;
    for (std::size_t b = 0; b < blocks(); ++b) sum += at(x, b);
    return sum_of(sum);
  }
  [[nodiscard]] double dot(const Vector& x, const Vector& y) const {
    Lanes sum;
    for (std::size_t b = 0; b < blocks(); ++b) sum += at(x, b) * at(y, b);
    return sum_of(sum);
  }

  /// From the uniform allocation. False where some vertex cannot be observed.
  bool start_cold() {
    std::fill(w_.omega.begin(), w_.omega.end(), 1.0 / static_cast<double>(K_));
    w_.scale = 1.0;
    w_.saved.fill(false);
    evaluate();
    if (!rescale()) return false;
    w_.t = 0.5;  // min_u f_u is now 1
    start_slacks();
    for (std::size_t b = 0; b < blocks(); ++b) at(w_.lambda, b) = at(w_.arm, b) / at(w_.s, b);
    const double sum = total(w_.lambda);
    for (std::size_t b = 0; b < blocks(); ++b) at(w_.lambda, b) /= sum;
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

  /// From the last solve's end, which is kept near one point of the central path, μ being a share of the gap
  /// asked for: a model that differs little takes a Newton step or two, without a predictor. Stalled where
  /// they do not lead to the gap.
  SolveInfo follow(const SolveOptions& options) {
    if constexpr (kFollows) {
      constexpr int kMostSteps = 4;
      constexpr double kOfGap = 0.3;      // the rest is left to changes of the model
      constexpr double kLeastGap = 1e-6;  // below, rounding would spoil steps that nothing refines
      if (options.gap < kLeastGap) return {};
      static_cast<Iterate<Vector>&>(w_) = w_.end;
      evaluate();
      combine();
      residuals();
      for (int steps = 1; steps <= kMostSteps; ++steps) {
        assemble();
        const double aim = kOfGap * options.gap * w_.t / pairs();
        for (std::size_t b = 0; b < blocks(); ++b) {
          at(w_.target_arm, b) = at(w_.arm, b) * (aim - at(w_.lambda, b) * at(w_.s, b));
          at(w_.target_vertex, b) = at(w_.vertex, b) * (aim - at(w_.omega, b) * at(w_.z, b));
        }
        direction();
        move(step_length(w_.over_omega, w_.d_omega, w_.over_s, w_.d_s, kKeep),
             step_length(w_.over_z, w_.d_z, w_.over_lambda, w_.d_lambda, kKeep));
        const Ends ends = this->ends();
        if (!std::isfinite(ends.low) || !std::isfinite(ends.high)) break;
        if (!(ends.high - ends.low <= options.gap * ends.high)) continue;
        keep_omega(ends);
        keep_lambda(ends);
        w_.end = w_;
        return {1.0 / (ends.low * w_.scale), 1.0 / (ends.high * w_.scale), steps, SolveStatus::solved};
      }
    }
    return {};
  }

  /// From the last solve's iterate that is nearest to its end and still nearly feasible for this model.
  bool start_warm() {
    for (std::size_t i = w_.snapshots.size(); i-- > 0;) {
      if (!w_.saved[i]) continue;
      static_cast<Iterate<Vector>&>(w_) = w_.snapshots[i];
      evaluate();
      combine();
      residuals();
      if (infeasibility() <= 10.0 * measure() * pairs()) return true;
    }
    return false;
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
      const Ends ends = this->ends();
      const double low = ends.low, high = ends.high;
      if (!std::isfinite(low) || !std::isfinite(high)) break;
      if (low > best_low) {
        best_low = low;
        keep_omega(ends);
      }
      if (high < best_high) {
        best_high = high;
        keep_lambda(ends);
      }
      const double gap = (best_high - best_low) / best_high;
      const std::size_t reached = snapshots_reached((high - low) / high);
      for (; saved < reached; ++saved) {
        if (saved + 1 == reached || !w_.saved[saved]) {
          w_.snapshots[saved] = w_;
          w_.saved[saved] = true;
        }
      }
      if (gap <= options.gap) break;
      run_low = std::max(run_low, low);
      run_high = std::min(run_high, high);
      const double run_gap = progress_gap(run_low, run_high);
      since_progress = run_gap < 0.9 * last_gap ? 0 : since_progress + 1;
      if (run_gap < 0.9 * last_gap) last_gap = run_gap;
      careful_ =
          careful_ || since_progress >= 2 || (kFollows && K_ > kLargestMatrix && run_gap < kRoundingShows);
      if (since_progress >= kPatience && restarts > 0) {
        // Jammed against the boundary: begin again from inside, near the best ends found.
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

  /// What the iterate certifies once ω and λ are divided by their sums.
  struct Ends {
    double low, high;
    double omega_share, lambda_share;  // one over each sum
  };
  [[nodiscard]] Ends ends() const {
    const double omega_share = 1.0 / dot(w_.vertex, w_.omega);
    const double lambda_share = 1.0 / total(w_.lambda);
    return {smallest_evidence() * omega_share, largest_price() * lambda_share, omega_share, lambda_share};
  }
  void keep_omega(const Ends& ends) {
    for (std::size_t b = 0; b < blocks(); ++b) at(w_.best_omega, b) = at(w_.omega, b) * ends.omega_share;
  }
  void keep_lambda(const Ends& ends) {
    w_.dual_omega = w_.omega;
    for (std::size_t b = 0; b < blocks(); ++b) at(w_.best_lambda, b) = at(w_.lambda, b) * ends.lambda_share;
  }

  /// The gap by whose fall progress is told. Where ends are far apart, as those of many vertices are at
  /// first, the relative gap stays near 1 whatever they do, and progress would seem to falter.
  static double progress_gap(double low, double high) {
    if constexpr (requires { Newton::kFarEnds; })
      return (high - low) / low;
    else
      return (high - low) / high;
  }

  /// How many snapshot levels a gap passes.
  static std::size_t snapshots_reached(double gap) {
    std::size_t count = 0;
    while (count < State::kSnapshotGaps.size() && gap <= State::kSnapshotGaps[count]) ++count;
    return count;
  }

  void evaluate() {
    w_.newton.observe(w_.omega, w_.m);
    evidence_of_arms(*reward_, arms(), 1.0 / w_.scale, w_.f.data(), w_.da.data(), w_.du.data());
  }
  [[nodiscard]] Arms arms() const {
    return {blocks(), w_.means[a_], w_.m[a_], w_.means.data(), w_.m.data(), w_.arm.data()};
  }

  /// Divides f by its smallest value. False where that is not a positive number.
  bool rescale() {
    const double smallest = smallest_evidence();
    if (!(smallest > 0.0) || !std::isfinite(1.0 / smallest)) return false;
    w_.scale = smallest;
    for (std::size_t b = 0; b < blocks(); ++b) {
      at(w_.f, b) /= smallest;
      at(w_.da, b) /= smallest;
      at(w_.du, b) /= smallest;
    }
    return true;
  }

  /// Near the best ω and λ so far: slacks, t and y with margins as wide as the gap between them or wider, and
  /// then ω and λ raised to where the central path would have them.
  [[gnu::noinline]] void restart(double least_margin) {
    w_.omega = w_.best_omega;
    w_.lambda = w_.best_lambda;
    evaluate();
    combine();
    double low = smallest_evidence();
    const double high = largest_price();
    const double gap = std::max(high - low, least_margin * low);
    const double mu = gap / static_cast<double>(2 * K_);
    for (std::size_t v = 0; v < K_; ++v) {
      w_.omega[v] = std::max(w_.omega[v], mu / (high + gap - w_.priced[v]));
      if (v != a_) w_.lambda[v] = std::max(w_.lambda[v], mu / (w_.f[v] - low + gap));
    }
    const double omega_sum = dot(w_.vertex, w_.omega);
    const double lambda_sum = total(w_.lambda);
    for (std::size_t v = 0; v < K_; ++v) {
      w_.omega[v] /= omega_sum;
      w_.lambda[v] /= lambda_sum;
    }
    evaluate();
    low = smallest_evidence();
    w_.t = low - gap;
    start_slacks();
    start_dual(gap / low);
  }

  void start_slacks() {
    for (std::size_t b = 0; b < blocks(); ++b)
      at(w_.s, b) = select(at(w_.arm, b) > 0.0, at(w_.f, b) - w_.t, 1.0);
  }

  void start_dual(double margin) {
    combine();
    const double top = largest_price();
    w_.y = top + margin * top;
    for (std::size_t b = 0; b < blocks(); ++b) at(w_.z, b) = w_.y - at(w_.priced, b);
    residuals();
  }

  /// g = Σλ∇f and G g.
  void combine() {
    for (std::size_t b = 0; b < blocks(); ++b) at(w_.g, b) = at(w_.lambda, b) * at(w_.du, b);
    w_.g[a_] = dot(w_.lambda, w_.da);
    w_.newton.price(w_.g, w_.priced);
  }

  /// Both are NaN where an entry is not a number, or infinite.
  [[nodiscard]] double smallest_evidence() const {
    Lanes least = kInfinity, poison;
    for (std::size_t b = 0; b < blocks(); ++b) {
      const Lanes f = at(w_.f, b);
      least = select(f < least, f, least);
      poison += select(at(w_.arm, b) > 0.0, 0.0 * f, 0.0);
    }
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3])) + sum_of(poison);
  }
  [[nodiscard]] double largest_price() const {
    Lanes most, poison;
    for (std::size_t b = 0; b < blocks(); ++b) {
      const Lanes price = at(w_.priced, b);
      most = select(price > most, price, most);
      poison += 0.0 * price;
    }
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3])) + sum_of(poison);
  }

  /// The duality measure: mean complementarity product.
  [[nodiscard]] double measure() const {
    Lanes sum;
    for (std::size_t b = 0; b < blocks(); ++b)
      sum += at(w_.vertex, b) * at(w_.omega, b) * at(w_.z, b) + at(w_.lambda, b) * at(w_.s, b);
    return sum_of(sum) / pairs();
  }

  /// What the residuals contribute to the duality gap.
  [[nodiscard]] double infeasibility() const {
    Lanes sum;
    for (std::size_t b = 0; b < blocks(); ++b) {
      const Lanes dual = at(w_.residual_dual, b);
      const Lanes arm = at(w_.residual_arm, b);
      sum +=
          at(w_.omega, b) * select(dual < 0.0, -dual, dual) + at(w_.lambda, b) * select(arm < 0.0, -arm, arm);
    }
    return sum_of(sum);
  }

  void residuals() {
    for (std::size_t b = 0; b < blocks(); ++b) {
      at(w_.residual_dual, b) = at(w_.vertex, b) * (at(w_.priced, b) + at(w_.z, b) - w_.y);
      at(w_.residual_arm, b) = select(at(w_.arm, b) > 0.0, at(w_.f, b) - w_.t - at(w_.s, b), 0.0);
    }
  }

  /// Builds and factors M; x_q = M⁻¹q with q = G Σ(λ/s)∇f, x_one = M⁻¹1.
  [[gnu::flatten]] void assemble() {
    const double inverse = 1.0 / w_.scale;
    curvature_of_arms(*reward_, arms(), w_.bend.data(), w_.bend_best.data(), w_.bend_arm.data());
    Lanes theta_sum, at_best, rest;
    for (std::size_t b = 0; b < blocks(); ++b) {
      const Lanes lambda = at(w_.lambda, b);
      const Lanes da = at(w_.da, b);
      const Lanes du = at(w_.du, b);
      at(w_.over_omega, b) = 1.0 / at(w_.omega, b);
      at(w_.over_z, b) = 1.0 / at(w_.z, b);
      at(w_.over_s, b) = 1.0 / at(w_.s, b);
      at(w_.over_lambda, b) = select(at(w_.arm, b) > 0.0, 1.0 / lambda, 0.0);
      at(w_.diagonal, b) = at(w_.z, b) * at(w_.over_omega, b);
      const Lanes c_best = at(w_.bend_best, b);
      const Lanes c_arm = at(w_.bend_arm, b);
      const Lanes theta = lambda * at(w_.over_s, b);
      // Where the best mean leaves no variance, 0·∞ at the neutral entries.
      const Lanes bend = select(at(w_.arm, b) > 0.0, lambda * inverse * at(w_.bend, b), 0.0);
      const Lanes uu = theta * du * du + bend * c_arm * c_arm;
      const Lanes au = theta * da * du + bend * c_best * c_arm;
      const Lanes over_uu = select(uu > 0.0, 1.0 / uu, 0.0);
      // What is left at (a, a) after the square is completed: a determinant over uu, so never negative.
      const Lanes cross = da * c_arm - du * c_best;
      at(w_.weight, b) = uu;
      at(w_.tilt, b) = au * over_uu;
      at(w_.gradient, b) = theta * du;
      rest += theta * bend * cross * cross * over_uu;
      theta_sum += theta;
      at_best += theta * da;
    }
    h_ = sum_of(theta_sum);
    w_.gradient[a_] = sum_of(at_best);
    w_.newton.factor({w_.weight, w_.tilt, sum_of(rest), w_.diagonal});
    w_.newton.price(w_.gradient, w_.push);  // q
    w_.x_q = w_.push;
    w_.x_one = w_.vertex;
    w_.newton.solve(w_.x_q, w_.x_one);
    q_xq_ = dot(w_.push, w_.x_q);
    q_xone_ = total(w_.x_q);
    one_xone_ = total(w_.x_one);
  }

  /// Solves [M, −q, 1; −qᵀ, h, 0; 1ᵀ, 0, 0](x, t, y) = (x, right_t, right_s), x in place.
  void bordered_solve(Vector& x, double right_t, double right_s, double& t, double& y) const {
    right_t += dot(x, w_.x_q);
    w_.newton.solve(x);
    right_s -= total(x);
    const double corner = std::max(h_ - q_xq_, h_ * kEpsilon);
    const double determinant = -corner * one_xone_ - q_xone_ * q_xone_;
    t = (-right_t * one_xone_ - right_s * q_xone_) / determinant;
    y = (corner * right_s - q_xone_ * right_t) / determinant;
    for (std::size_t b = 0; b < blocks(); ++b) at(x, b) += at(w_.x_q, b) * t - at(w_.x_one, b) * y;
  }

  /// One step of iterative refinement of (dω, dt, dy). The residual is formed arm by arm, where the
  /// large terms θ(∇f·Gᵀdω − dt) cancel exactly; in the factored system they cancel in rounding only.
  [[gnu::noinline]] void refine(double b_t, double r_s) {
    w_.newton.observe(w_.d_omega, w_.gradient);
    const double along_best = w_.gradient[a_];
    double at_best = 0.0;
    for (std::size_t u = 0; u < K_; ++u) {
      if (u == a_) continue;
      const double along = w_.gradient[u];
      const double pull = w_.lambda[u] / w_.s[u] * (w_.da[u] * along_best + w_.du[u] * along - d_t_);
      const double bend =
          w_.lambda[u] / w_.scale * w_.bend[u] * (w_.bend_best[u] * along_best + w_.bend_arm[u] * along);
      b_t += pull;
      at_best += pull * w_.da[u] + bend * w_.bend_best[u];
      w_.gradient[u] = pull * w_.du[u] + bend * w_.bend_arm[u];
    }
    w_.gradient[a_] = at_best;
    w_.newton.price(w_.gradient, w_.refined);
    for (std::size_t v = 0; v < K_; ++v) {
      w_.refined[v] = w_.push[v] - w_.refined[v] - w_.diagonal[v] * w_.d_omega[v] - d_y_;
      r_s -= w_.d_omega[v];
    }
    double d_t = 0.0;
    double d_y = 0.0;
    bordered_solve(w_.refined, b_t, r_s, d_t, d_y);
    for (std::size_t b = 0; b < blocks(); ++b) at(w_.d_omega, b) += at(w_.refined, b);
    d_t_ += d_t;
    d_y_ += d_y;
  }

  /// Solves the Newton system for the targets at hand.
  [[gnu::flatten]] void direction() {
    // Right-hand side b = residual_dual + e/ω + G Σ∇f (c − λ r)/s, with c, e the targets.
    Lanes pull_sum, at_best;
    for (std::size_t b = 0; b < blocks(); ++b) {
      const Lanes pull =
          (at(w_.target_arm, b) - at(w_.lambda, b) * at(w_.residual_arm, b)) * at(w_.over_s, b);
      at(w_.gradient, b) = pull * at(w_.du, b);
      pull_sum += pull;
      at_best += pull * at(w_.da, b);
    }
    w_.gradient[a_] = sum_of(at_best);
    w_.newton.price(w_.gradient, w_.push);
    for (std::size_t b = 0; b < blocks(); ++b)
      at(w_.push, b) += at(w_.residual_dual, b) + at(w_.target_vertex, b) * at(w_.over_omega, b);
    const double b_t = (1.0 - total(w_.lambda)) - sum_of(pull_sum);
    const double r_s = 1.0 - dot(w_.vertex, w_.omega);
    w_.d_omega = w_.push;
    bordered_solve(w_.d_omega, b_t, r_s, d_t_, d_y_);
    if (careful_) refine(b_t, r_s);
    w_.newton.observe(w_.d_omega, w_.gradient);  // Gᵀ dω
    const double along_best = w_.gradient[a_];
    for (std::size_t b = 0; b < blocks(); ++b) {
      const Lanes d_s = at(w_.arm, b) * (at(w_.da, b) * along_best + at(w_.du, b) * at(w_.gradient, b) -
                                         d_t_ + at(w_.residual_arm, b));
      at(w_.d_s, b) = d_s;
      at(w_.d_lambda, b) = (at(w_.target_arm, b) - at(w_.lambda, b) * d_s) * at(w_.over_s, b);
      at(w_.d_z, b) = (at(w_.target_vertex, b) - at(w_.z, b) * at(w_.d_omega, b)) * at(w_.over_omega, b);
    }
  }

  /// The longest step that keeps both pairs nonnegative.
  [[nodiscard]] double longest(const Vector& over_x, const Vector& dx, const Vector& over_y,
                               const Vector& dy) const {
    Lanes least;  // of the slopes dx/x, dy/y
    for (std::size_t b = 0; b < blocks(); ++b) {
      const Lanes x = at(dx, b) * at(over_x, b);
      const Lanes y = at(dy, b) * at(over_y, b);
      least = select(x < least, x, least);
      least = select(y < least, y, least);
    }
    const double steepest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    return steepest < 0.0 ? -1.0 / steepest : kInfinity;
  }

  /// The whole step, or this part of the longest one.
  [[nodiscard]] double step_length(const Vector& over_x, const Vector& dx, const Vector& over_y,
                                   const Vector& dy, double part) const {
    return std::min(1.0, part * longest(over_x, dx, over_y, dy));
  }

  void move(double primal, double dual) {
    w_.t += primal * d_t_;
    w_.y += dual * d_y_;
    for (std::size_t b = 0; b < blocks(); ++b) {
      at(w_.omega, b) += primal * at(w_.d_omega, b);
      at(w_.s, b) += primal * at(w_.d_s, b);
      at(w_.z, b) += dual * at(w_.d_z, b);
      at(w_.lambda, b) += dual * at(w_.d_lambda, b);
    }
    evaluate();
    combine();
    residuals();
  }

  void step() {
    assemble();
    const double mu = measure();
    for (std::size_t b = 0; b < blocks(); ++b) {
      at(w_.target_arm, b) = -at(w_.lambda, b) * at(w_.s, b);
      at(w_.target_vertex, b) = -at(w_.vertex, b) * at(w_.omega, b) * at(w_.z, b);
    }
    direction();
    const double primal = step_length(w_.over_omega, w_.d_omega, w_.over_s, w_.d_s, 1.0);
    const double dual = step_length(w_.over_z, w_.d_z, w_.over_lambda, w_.d_lambda, 1.0);
    Lanes predicted;
    for (std::size_t b = 0; b < blocks(); ++b) {
      predicted += at(w_.vertex, b) * (at(w_.omega, b) + primal * at(w_.d_omega, b)) *
                       (at(w_.z, b) + dual * at(w_.d_z, b)) +
                   at(w_.arm, b) * (at(w_.s, b) + primal * at(w_.d_s, b)) *
                       (at(w_.lambda, b) + dual * at(w_.d_lambda, b));
    }
    const double ratio = sum_of(predicted) / (pairs() * mu);
    // Complementarity must not run ahead of feasibility, nor below what the tolerance asks for: either
    // would leave a Newton matrix that rounding spoils.
    const double infeasible = infeasibility();
    const double aim = std::max({ratio * ratio * ratio * mu, 0.1 * infeasible / pairs(), floor_ / pairs()});
    for (std::size_t b = 0; b < blocks(); ++b) {
      at(w_.target_arm, b) =
          at(w_.arm, b) * (aim - at(w_.lambda, b) * at(w_.s, b) - at(w_.d_lambda, b) * at(w_.d_s, b));
      at(w_.target_vertex, b) =
          at(w_.vertex, b) * (aim - at(w_.omega, b) * at(w_.z, b) - at(w_.d_omega, b) * at(w_.d_z, b));
    }
    direction();
    const double keep = std::max(kKeep, 1.0 - mu);
    const double primal_length = step_length(w_.over_omega, w_.d_omega, w_.over_s, w_.d_s, keep);
    const double dual_length = step_length(w_.over_z, w_.d_z, w_.over_lambda, w_.d_lambda, keep);
    const double allowed = mu * pairs() + infeasible;
    // Where f bends more than the step foresaw, half of it is taken back, and of what is left.
    double part = 1.0;
    for (int i = 0;; ++i) {
      move(part * primal_length, part * dual_length);
      if (i == kShortenings || infeasibility() <= allowed) break;
      part = i == 0 ? -0.5 : 0.5 * part;
    }
  }

  State w_;
  bool has_solution_ = false;
  // Of the run at hand:
  const RewardFamily* reward_ = nullptr;
  std::size_t K_ = 0, a_ = 0;
  double h_ = 0.0, q_xq_ = 0.0, q_xone_ = 0.0, one_xone_ = 0.0;  // of the bordered system
  double d_t_ = 0.0, d_y_ = 0.0;                                 // the step of t and y
  bool careful_ = false;  // refine Newton steps: set once progress falters
  double floor_ = 0.0;    // least duality gap worth aiming at
};
