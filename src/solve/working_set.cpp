#include "working_set.hpp"

#include <algorithm>
#include <cmath>

#include "kernels.hpp"

#include "tasfg/base/elementary.hpp"
#include "tasfg/base/extremes.hpp"
#include "tasfg/base/lanes.hpp"

namespace tasfg {

std::span<double> WorkingSet::allocation() {
  return solved_by_whole_ ? whole_->allocation() : std::span<double>(best_omega_);
}
std::span<const double> WorkingSet::weights() {
  return solved_by_whole_ ? whole_->weights() : std::span<const double>(best_lambda_);
}
std::span<const double> WorkingSet::dual_point() {
  return solved_by_whole_ ? whole_->dual_point() : std::span<const double>(best_dual_omega_);
}

SolveInfo WorkingSet::solve(const ModelView& model, Start start, const SolveOptions& options) {
  if (model.K != K_) {
    K_ = model.K;
    has_solution_ = false;
    set_.clear();
    const auto n = static_cast<std::size_t>(K_);
    for (auto* v :
         {&omega_, &lambda_, &dual_omega_, &best_omega_, &best_lambda_, &best_dual_omega_, &prices_})
      v->assign(n, 0.0);
    m_.assign(padded(n), 0.0);
    member_.assign(n, 0);
    column_of_.assign(n, -1);
    column_vertices_.clear();
    columns_.clear();
  }
  if (start == Start::cold) {
    has_solution_ = false;
    wait_ = 0;
    next_wait_ = kFirstWait;
    set_.clear();
  }
  if (model.best != best_) has_solution_ = false;
  best_ = model.best;
  if (wait_ > 0) {
    --wait_;
    return solve_all(model, start, options);
  }
  solved_by_whole_ = false;
  read(model);
  if (has_solution_) {
    best_dual_omega_ = best_omega_;
    one_point_ = true;
    Ends last = look(model, best_omega_, best_lambda_, best_omega_);
    if (last.gap() <= options.gap) return {1.0 / last.low, 1.0 / last.high, 0, SolveStatus::solved};
    const SolveInfo followed = follow(model, last, options);
    if (followed.status == SolveStatus::solved) return followed;
    last = look(model, best_omega_, best_lambda_, best_omega_);
    prune(last);
    extend(model, last);
  } else if (set_.empty()) {
    if (!begin(model)) return {kInfinity, kInfinity, 0, SolveStatus::infeasible};
  } else {
    same_set_ = false;
    insert(model, static_cast<std::size_t>(best_));
    std::iter_swap(set_.begin(), std::find(set_.begin(), set_.end(), static_cast<std::size_t>(best_)));
  }

  // Close solves of a set that is still to grow are wasted: each is as close as the ends of all that it
  // gives. Loose ones are more central, too, and so show better what is missing.
  constexpr double kFirstGap = 1e-2;
  constexpr double kOfLastGap = 0.02;
  following_ = false;
  SolveInfo info;
  Ends best{0.0, kInfinity};
  SolveOptions restricted = options;
  restricted.gap = std::max(options.gap, kFirstGap);
  while (true) {
    if (2 * set_.size() > static_cast<std::size_t>(K_)) break;
    const SolveInfo part = solve_restricted(model, restricted);
    info.iterations += part.iterations;
    if (part.status == SolveStatus::infeasible) break;
    const Ends here = look(model, omega_, lambda_, dual_omega_);
    if (!std::isfinite(here.high)) break;
    if (here.low > best.low) {
      best.low = here.low;
      best_omega_ = omega_;
    }
    if (here.high < best.high) {
      best.high = here.high;
      best_lambda_ = lambda_;
      best_dual_omega_ = dual_omega_;
    }
    if (best.gap() <= options.gap) break;
    double closer = kOfLastGap * best.gap();
    if (!extend(model, here)) {
      // Nothing is missing: what is left of the gap is that of the restricted solve.
      if (part.status == SolveStatus::stalled || restricted.gap <= options.gap) break;
      closer = std::min(closer, 0.1 * restricted.gap);
    }
    restricted.gap = std::clamp(closer, options.gap, restricted.gap);
  }
  has_solution_ = best.gap() <= std::max(options.gap, options.acceptable);
  if (!has_solution_) {
    set_.clear();
    wait_ = next_wait_;
    next_wait_ = std::min(2 * next_wait_, kLongestWait);
    return solve_all(model, Start::cold, options);
  }
  info.upper = 1.0 / best.low;
  info.lower = 1.0 / best.high;
  info.status = SolveStatus::solved;
  return info;
}

/// Newton steps from the last solution, whose ends are given. Stalled where they do not lead to the gap asked
/// for.
SolveInfo WorkingSet::follow(const ModelView& model, Ends ends, const SolveOptions& options) {
  constexpr int kMostSteps = 8;
  if (options.gap < CentralPoint::kLeastGap) return {};
  const auto view = [&] { return CentralPoint::View{model, m_, evidence_, prices_, ends.low, ends.high}; };
  if (!following_) centre_.begin(view(), best_omega_, best_lambda_, options.gap);
  following_ = false;
  for (int step = 1; step <= kMostSteps; ++step) {
    centre_.complete(view(), options.gap);
    if (!centre_.step(view(), options.gap)) break;
    centre_.spread(omega_, lambda_);
    ends = look(model, omega_, lambda_, omega_);
    if (!std::isfinite(ends.high)) break;
    if (!(ends.gap() <= options.gap)) continue;
    best_omega_ = best_dual_omega_ = omega_;
    best_lambda_ = lambda_;
    following_ = true;
    return {1.0 / ends.low, 1.0 / ends.high, step, SolveStatus::solved};
  }
  return {};
}

SolveInfo WorkingSet::solve_all(const ModelView& model, Start start, const SolveOptions& options) {
  if (whole_ == nullptr) whole_ = make_interior_point(MatrixForm::dense, version_);
  solved_by_whole_ = true;
  has_solution_ = false;
  return whole_->solve(model, start, options);
}

/// The rivals that are hardest to tell apart when all vertices are drawn alike, and who shows them. False
/// where some vertex cannot be observed.
bool WorkingSet::begin(const ModelView& model) {
  constexpr std::size_t kFirstRivals = 6;
  const auto n = static_cast<std::size_t>(K_);
  std::fill(omega_.begin(), omega_.end(), 1.0 / static_cast<double>(K_));
  observe(model, omega_);
  evidence_.evaluate(m_);
  const std::vector<double>& f = evidence_.value();
  const double least = evidence_.least();
  if (!(least > 0.0) || !std::isfinite(1.0 / least)) return false;
  set_.clear();
  std::fill(member_.begin(), member_.end(), 0);
  order_.resize(n);
  for (std::size_t u = 0; u < n; ++u) order_[u] = u;
  const auto last = order_.begin() + static_cast<std::ptrdiff_t>(std::min(kFirstRivals, n));
  std::partial_sort(order_.begin(), last, order_.end(),
                    [&](std::size_t u, std::size_t v) { return f[u] < f[v] || (f[u] == f[v] && u < v); });
  insert(model, static_cast<std::size_t>(best_));
  std::for_each(order_.begin(), last, [&](std::size_t u) { insert(model, u); });
  return true;
}

/// Takes u into W, and where no vertex of W shows it, the one that shows it best.
void WorkingSet::insert(const ModelView& model, std::size_t u) {
  const auto n = static_cast<std::size_t>(K_);
  const auto shows = [&](std::size_t v) { return model.graph[v * n + u]; };
  const auto add = [&](std::size_t v) {
    if (member_[v] != 0) return;
    member_[v] = 1;
    set_.push_back(v);
    same_set_ = false;
  };
  add(u);
  if (std::any_of(set_.begin(), set_.end(), [&](std::size_t v) { return shows(v) > 0.0; })) return;
  std::size_t best = 0;
  for (std::size_t v = 1; v < n; ++v)
    if (shows(v) > shows(best)) best = v;
  add(best);
}

/// The model of W alone.
void WorkingSet::gather(const ModelView& model) {
  const auto n = static_cast<std::size_t>(K_);
  // Whoever shows an arm may itself be shown by nobody in W yet; edges of an estimated graph may have gone.
  for (std::size_t i = 0; i < set_.size(); ++i) insert(model, set_[i]);
  const std::size_t k = set_.size();
  inner_graph_.resize(k * k);
  inner_means_.resize(k);
  for (std::size_t i = 0; i < k; ++i) {
    inner_means_[i] = model.means[set_[i]];
    const double* row = model.graph.data() + set_[i] * n;
    for (std::size_t j = 0; j < k; ++j) inner_graph_[i * k + j] = row[set_[j]];
  }
}

SolveInfo WorkingSet::solve_restricted(const ModelView& model, const SolveOptions& options) {
  gather(model);
  const auto k = static_cast<int>(set_.size());
  const Start start = same_set_ ? Start::warm : Start::cold;
  auto& solver = inner_solvers_[whole_form(k)];
  if (solver == nullptr) solver = make_interior_point(whole_form(k), version_);
  inner_ = solver.get();
  const SolveInfo info = inner_->solve({k, inner_graph_, inner_means_, 0, model.reward}, start, options);
  if (info.status != SolveStatus::infeasible) spread();
  same_set_ = true;
  return info;
}

/// The restricted solution, with zeros outside W.
void WorkingSet::spread() {
  const auto to = [&](std::span<const double> from, std::vector<double>& all) {
    std::fill(all.begin(), all.end(), 0.0);
    for (std::size_t i = 0; i < set_.size(); ++i) all[set_[i]] = from[i];
  };
  to(inner_->allocation(), omega_);
  to(inner_->weights(), lambda_);
  to(inner_->dual_point(), dual_omega_);
  // Mostly one iterate attains both ends; gradients do not depend on the scale of ω.
  double total = 0.0, apart = 0.0;
  for (const double share : inner_->dual_point()) total += share;
  for (const std::size_t v : set_) apart = std::max(apart, std::abs(dual_omega_[v] - total * omega_[v]));
  one_point_ = apart <= 1e-15 * total;
}

/// Takes over what has changed since the last model.
void WorkingSet::read(const ModelView& model) {
  evidence_.load(model);
  const auto n = static_cast<std::size_t>(K_);
  const bool known = row_revision_.size() == n && model.row_revision.size() == n;
  if (!known) forget_columns();
  for (std::size_t v = 0; known && v < n; ++v) {
    if (row_revision_[v] == model.row_revision[v]) continue;
    const double* row = model.graph.data() + v * n;
    for (std::size_t i = 0; i < column_vertices_.size(); ++i) columns_[i * n + v] = row[column_vertices_[i]];
  }
  row_revision_.assign(model.row_revision.begin(), model.row_revision.end());
}

void WorkingSet::forget_columns() {
  for (const std::size_t u : column_vertices_) column_of_[u] = -1;
  column_vertices_.clear();
}

/// For so many columns that may all be new.
void WorkingSet::make_room(std::size_t columns) {
  constexpr std::size_t kUsual = 64;
  const auto n = static_cast<std::size_t>(K_);
  if ((column_vertices_.size() + columns) * n <= columns_.size()) return;
  forget_columns();
  columns_.resize(std::max({columns_.size(), kUsual * n, columns * n}));
}

/// Reads those columns of G that are not there yet, row by row.
void WorkingSet::read_columns(const ModelView& model, std::span<const std::size_t> vertices) {
  make_room(vertices.size());
  const auto n = static_cast<std::size_t>(K_);
  const std::size_t before = column_vertices_.size();
  for (const std::size_t u : vertices) {
    if (column_of_[u] >= 0) continue;
    column_of_[u] = static_cast<int>(column_vertices_.size());
    column_vertices_.push_back(u);
  }
  if (column_vertices_.size() == before) return;
  for (std::size_t v = 0; v < n; ++v) {
    const double* row = model.graph.data() + v * n;
    for (std::size_t i = before; i < column_vertices_.size(); ++i)
      columns_[i * n + v] = row[column_vertices_[i]];
  }
}

/// m = Gᵀω.
void WorkingSet::observe(const ModelView& model, const std::vector<double>& omega) {
  const auto n = static_cast<std::size_t>(K_);
  rows_.clear();
  factors_.clear();
  for (std::size_t v = 0; v < n; ++v) {
    if (omega[v] == 0.0) continue;
    rows_.push_back(model.graph.data() + v * n);
    factors_.push_back(omega[v]);
  }
  kernels::combine(rows_.data(), factors_.data(), rows_.size(), n, m_.data());
}

/// The prices G Σλ∇f, with gradients as last evaluated. Few λ are not zero: columns of those alone are
/// summed.
void WorkingSet::price(const ModelView& model, const std::vector<double>& lambda) {
  const auto n = static_cast<std::size_t>(K_);
  const auto a = static_cast<std::size_t>(best_);
  order_.clear();
  factors_.clear();
  double at_best = 0.0;
  for (std::size_t u = 0; u < n; ++u) {
    if (u == a || lambda[u] == 0.0) continue;
    order_.push_back(u);
    factors_.push_back(lambda[u] * evidence_.from_arm(u));
    at_best += lambda[u] * evidence_.from_best(u);
  }
  order_.push_back(a);
  factors_.push_back(at_best);
  read_columns(model, order_);
  rows_.clear();
  for (const std::size_t u : order_)
    rows_.push_back(columns_.data() + static_cast<std::size_t>(column_of_[u]) * n);
  kernels::combine(rows_.data(), factors_.data(), rows_.size(), n, prices_.data());
}

/// What ω, and λ with gradients at `dual_omega`, certify. Leaves f at ω and prices behind.
WorkingSet::Ends WorkingSet::look(const ModelView& model, const std::vector<double>& omega,
                                  const std::vector<double>& lambda, const std::vector<double>& dual_omega) {
  observe(model, dual_omega);
  evidence_.evaluate(m_);
  price(model, lambda);
  if (&omega != &dual_omega && !one_point_) {
    observe(model, omega);
    evidence_.evaluate(m_);
  }
  Ends ends;
  ends.low = evidence_.least();
  ends.high = largest_of(prices_.data(), prices_.size());
  return ends;
}

/// Lets those leave a large W that are farthest from being drawn and from binding.
void WorkingSet::prune(const Ends& all) {
  constexpr std::size_t kMost = 16;  // which the interior point has in arrays of known length
  constexpr std::size_t kKept = 14;  // leaves room for what joins next
  constexpr double kFar = 0.05;
  if (set_.size() <= kMost) return;
  const std::vector<double>& f = evidence_.value();
  const auto slack = [&](std::size_t v) { return std::min(all.high / prices_[v], f[v] / all.low) - 1.0; };
  order_.assign(set_.begin() + 1, set_.end());
  std::sort(order_.begin(), order_.end(), [&](std::size_t u, std::size_t v) {
    return slack(u) < slack(v) || (slack(u) == slack(v) && u < v);
  });
  std::size_t kept = kKept - 1;
  while (kept < order_.size() && slack(order_[kept]) < kFar) ++kept;
  if (kept + 1 >= set_.size()) return;
  for (std::size_t i = kept; i < order_.size(); ++i) member_[order_[i]] = 0;
  std::erase_if(set_, [&](std::size_t v) { return member_[v] == 0; });
  same_set_ = false;
}

/// Takes into W what the ends over all show to be missing. False where nothing is.
bool WorkingSet::extend(const ModelView& model, const Ends& all) {
  const std::vector<double>& f = evidence_.value();
  double least = kInfinity, highest = 0.0;
  for (const std::size_t v : set_) {
    least = std::min(least, f[v]);
    highest = std::max(highest, prices_[v]);
  }
  const std::size_t before = set_.size();
  const std::size_t most = std::max<std::size_t>(4, before / 2);
  const auto take = [&](auto missing, auto worse) {
    order_.clear();
    for (std::size_t v = 0; v < prices_.size(); ++v)
      if (member_[v] == 0 && missing(v)) order_.push_back(v);
    const auto last = order_.begin() + static_cast<std::ptrdiff_t>(std::min(most, order_.size()));
    std::partial_sort(order_.begin(), last, order_.end(),
                      [&](std::size_t u, std::size_t v) { return worse(u, v) || (!worse(v, u) && u < v); });
    std::for_each(order_.begin(), last, [&](std::size_t v) { insert(model, v); });
  };
  if (all.low < least)
    take([&](std::size_t u) { return f[u] < least; },
         [&](std::size_t u, std::size_t v) { return f[u] < f[v]; });
  if (all.high > highest)
    take([&](std::size_t v) { return prices_[v] > highest; },
         [&](std::size_t u, std::size_t v) { return prices_[u] > prices_[v]; });
  return set_.size() > before;
}

OptimalFace WorkingSet::face(const ModelView& model, const SolveOptions& options) {
  if (following_) solve(model, Start::cold, options);  // the last restricted solve was of another model
  if (solved_by_whole_) return whole_->face(model, options);
  constexpr double kSamePrice = 1e-8;
  constexpr std::size_t kLargest = 320;  // a restricted solve of more takes longer than all that went before
  const Ends ends = look(model, best_omega_, best_lambda_, best_dual_omega_);
  std::vector<std::size_t> drawable;
  for (std::size_t v = 0; v < prices_.size(); ++v)
    if (prices_[v] >= ends.high * (1.0 - kSamePrice)) drawable.push_back(v);
  const bool all_in =
      std::all_of(drawable.begin(), drawable.end(), [&](std::size_t v) { return member_[v] != 0; });
  if (!all_in && drawable.size() <= kLargest) {
    for (const std::size_t v : drawable) insert(model, v);
    if (solve_restricted(model, options).status == SolveStatus::solved) {
      const Ends now = look(model, omega_, lambda_, dual_omega_);
      if (now.low >= ends.low * (1.0 - options.gap)) best_omega_ = omega_;
    }
  }
  const OptimalFace within =
      inner_->face({static_cast<int>(set_.size()), inner_graph_, inner_means_, 0, model.reward}, options);
  OptimalFace face;
  for (const std::size_t u : within.fixed) face.fixed.push_back(set_[u]);
  if (drawable.size() > kLargest) {
    face.support = drawable;
  } else {
    for (const std::size_t v : within.support) face.support.push_back(set_[v]);
    std::sort(face.support.begin(), face.support.end());
  }
  std::sort(face.fixed.begin() + 1, face.fixed.end());
  return face;
}

}  // namespace tasfg
