#include "solve/working_set.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "random_instances.hpp"
#include <gtest/gtest.h>

#include "tasfg/model/graph_families.hpp"

namespace tasfg {
namespace {

Instance make(const char* family, const Parameters& parameters) {
  GraphAndMeans made = make_graph(graph_family(family, "test"), parameters, "test");
  return {std::move(made.graph), std::move(made.means), Gaussian{1.0}};
}

/// The ends of the last solution, by the functions that know nothing of sets.
void expect_certified(WorkingSet& solver, const ModelView& model, const SolveInfo& info) {
  const double upper = time_of(model, solver.allocation());
  const double lower = certified_lower(model, solver.weights(), solver.dual_point());
  EXPECT_NEAR(upper / info.upper, 1.0, 1e-13);
  EXPECT_NEAR(lower / info.lower, 1.0, 1e-12);
  EXPECT_LE(lower, upper);
}

TEST(WorkingSet, CertifiesTheValueOfTheWholeModel) {
  for (std::uint64_t i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    const Instance instance = testing::random_instance(i, 48, 120);
    const ModelView model = view_of(instance);
    WorkingSet solver(kVersion);
    const SolveInfo info = solver.solve(model, Start::cold, {});
    ASSERT_EQ(info.status, SolveStatus::solved);
    expect_certified(solver, model, info);
    const SolveInfo whole = make_interior_point(MatrixForm::dense)->solve(model, Start::cold, {});
    ASSERT_NEAR(info.upper / whole.upper, 1.0, 2e-8);
  }
}

TEST(WorkingSet, GoesOnFromTheLastSetAsTheModelChanges) {
  PhiloxStream stream(stream_key(20));
  for (std::uint64_t i = 0; i < 80; ++i) {
    SCOPED_TRACE(i);
    // The loose ones are followed first.
    const SolveOptions options = i < 40 ? SolveOptions{} : SolveOptions{.gap = 1e-3, .acceptable = 1e-3};
    const Instance instance = testing::random_instance(i, 48, 80);
    const auto n = static_cast<std::size_t>(instance.size());
    std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
    std::vector<double> means = instance.means();
    WorkingSet solver(kVersion);
    int best = instance.best();
    for (const double change : {0.0, 1e-6, 1e-3, 1e-1, 0.5, 0.5}) {
      for (double& p : G) p *= 1.0 + change * (stream.uniform() - 0.5);
      if (change == 0.5) {  // another vertex is the best, and an edge of a vertex that is drawn goes
        const auto other = static_cast<std::size_t>(stream.uniform() * static_cast<double>(n));
        std::swap(means[static_cast<std::size_t>(best)], means[other]);
        best = static_cast<int>(other);
        const auto drawn = std::ranges::max_element(solver.allocation()) - solver.allocation().begin();
        double* row = G.data() + static_cast<std::size_t>(drawn) * n;
        *std::max_element(row, row + n) *= 1e-3;
      }
      const ModelView model{instance.size(), G, means, best, &instance.reward()};
      const SolveInfo info = solver.solve(model, Start::warm, options);
      ASSERT_EQ(info.status, SolveStatus::solved);
      expect_certified(solver, model, info);
      const SolveInfo whole = make_interior_point(MatrixForm::dense)->solve(model, Start::cold, {});
      ASSERT_LE(info.upper - info.lower, std::max(options.gap, 2e-8) * info.upper * (1.0 + 1e-12));
      ASSERT_NEAR(info.upper / whole.upper, 1.0, std::max(options.gap, 2e-8));
    }
  }
}

TEST(WorkingSet, FollowsAModelThatChangesLittleByAStepOrTwo) {
  PhiloxStream stream(stream_key(22));
  const SolveOptions options{.gap = 5e-3, .acceptable = 5e-3};
  const std::vector<RewardFamily> rewards{Gaussian{1.0}, Bernoulli{}, Poisson{}, Exponential{}};
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    SCOPED_TRACE(i);
    const GraphAndMeans made = make_graph(graph_family("random", "test"), {{"K", 100.0}, {"p", 0.5}}, "test");
    std::vector<double> means = made.means;
    for (double& mean : means) mean = 0.2 + 0.5 * mean;
    const Instance instance(made.graph, means, rewards[i]);
    const auto n = static_cast<std::size_t>(instance.size());
    std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
    WorkingSet solver(kVersion);
    const auto solve = [&](Start start) {
      const ModelView model{instance.size(), G, instance.means(), instance.best(), &instance.reward()};
      const SolveInfo info = solver.solve(model, start, options);
      EXPECT_EQ(info.status, SolveStatus::solved);
      EXPECT_LE(info.upper - info.lower, options.gap * info.upper * (1.0 + 1e-12));
      expect_certified(solver, model, info);
      return info.iterations;
    };
    EXPECT_GT(solve(Start::cold), 5);
    int steps = 0, moved = 0;
    constexpr int kChanges = 400;
    for (int change = 0; change < kChanges; ++change) {
      const std::span<const double> omega = solver.allocation();
      const auto row = change % 4 == 0
                           ? static_cast<std::size_t>(stream.uniform() * static_cast<double>(n))
                           : static_cast<std::size_t>(std::ranges::max_element(omega) - omega.begin());
      for (std::size_t u = 0; u < n; ++u) G[row * n + u] *= 1.05 - 0.1 * stream.uniform();
      const int iterations = solve(Start::warm);
      steps += iterations;
      moved += iterations > 0 ? 1 : 0;
    }
    EXPECT_GT(moved, kChanges / 4);
    EXPECT_LT(steps, 2 * moved);
  }
}

TEST(WorkingSet, HasTheFaceOfAModelThatItFollowedTo) {
  const Instance instance = make("random", {{"K", 60.0}, {"p", 0.5}});
  std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
  const ModelView model{instance.size(), G, instance.means(), instance.best(), &instance.reward()};
  const SolveOptions loose{.gap = 1e-3, .acceptable = 1e-3};
  WorkingSet followed(kVersion), afresh(kVersion);
  EXPECT_EQ(followed.solve(model, Start::cold, loose).status, SolveStatus::solved);
  const auto most = std::ranges::max_element(followed.allocation()) - followed.allocation().begin();
  for (std::ptrdiff_t u = 0; u < 60; ++u) G[static_cast<std::size_t>(60 * most + u)] *= 0.5;
  EXPECT_EQ(followed.solve(model, Start::warm, loose).status, SolveStatus::solved);
  std::ranges::copy(instance.graph().row_major(), G.begin());
  const SolveInfo info = followed.solve(model, Start::warm, loose);
  EXPECT_EQ(info.status, SolveStatus::solved);
  EXPECT_GT(info.iterations, 0);
  EXPECT_EQ(afresh.solve(model, Start::cold, {}).status, SolveStatus::solved);
  const OptimalFace face = followed.face(model, {}), expected = afresh.face(model, {});
  EXPECT_EQ(face.support, expected.support);
  EXPECT_EQ(face.fixed, expected.fixed);
}

TEST(WorkingSet, ReadsRowsAnewWhoseRevisionHasChanged) {
  PhiloxStream stream(stream_key(21));
  const Instance instance = make("random", {{"K", 100.0}, {"p", 0.5}});
  const auto n = static_cast<std::size_t>(instance.size());
  std::vector<double> G(instance.graph().row_major().begin(), instance.graph().row_major().end());
  std::vector<double> revision(n, 0.0);
  WorkingSet told(kVersion), untold(kVersion), *solvers[] = {&told, &untold};
  for (int change = 0; change < 200; ++change) {
    SCOPED_TRACE(change);
    const auto row = static_cast<std::size_t>(stream.uniform() * static_cast<double>(n));
    for (std::size_t u = 0; u < n; ++u) G[row * n + u] *= 1.1 - 0.2 * stream.uniform();
    revision[row] += 1.0;
    std::vector<double> uppers;
    for (WorkingSet* solver : solvers) {
      ModelView model{instance.size(), G, instance.means(), instance.best(), &instance.reward()};
      if (solver == &told) model.row_revision = revision;
      const SolveInfo info = solver->solve(model, Start::warm, {});
      ASSERT_EQ(info.status, SolveStatus::solved);
      expect_certified(*solver, model, info);
      uppers.push_back(info.upper);
    }
    ASSERT_EQ(uppers[0], uppers[1]);
  }
}

TEST(WorkingSet, FindsAndCentresTheFaceThatTheWholeModelHas) {
  for (const double p : {0.5, 0.7, 0.9}) {
    SCOPED_TRACE(p);
    const Instance instance = make("loopless-clique", {{"K", 60.0}, {"p", p}});
    const ModelView model = view_of(instance);
    const auto centred = [&](InteriorPointSolver& solver, std::vector<double>& omega) {
      EXPECT_EQ(solver.solve(model, Start::cold, {}).status, SolveStatus::solved);
      const OptimalFace face = solver.face(model, {});
      omega.assign(solver.allocation().begin(), solver.allocation().end());
      return centre_of_face(model, face, omega);
    };
    WorkingSet part(kVersion);
    std::vector<double> omega, expected;
    EXPECT_EQ(centred(part, omega), centred(*make_interior_point(MatrixForm::dense), expected));
    for (std::size_t v = 0; v < omega.size(); ++v) EXPECT_NEAR(omega[v], expected[v], 1e-6) << v;
  }
}

TEST(WorkingSet, NeedsFewIterationsOfLargeDenseGraphsAndCertifiesThem) {
  // A cubic method would take minutes for these.
  for (const Instance& instance : {make("loopless-clique", {{"K", 2000.0}}),
                                   make("random", {{"K", 1500.0}, {"p", 0.5}, {"seed", 3.0}})}) {
    const ModelView model = view_of(instance);
    WorkingSet solver(kVersion);
    const SolveInfo info = solver.solve(model, Start::cold, {});
    EXPECT_EQ(info.status, SolveStatus::solved);
    expect_certified(solver, model, info);
    EXPECT_LE(std::ranges::count_if(solver.allocation(), [](double share) { return share > 0.0; }), 200);
  }
}

TEST(WorkingSet, SaysWhenAVertexCannotBeObserved) {
  const RewardFamily reward = Gaussian{1.0};
  const std::size_t n = 64;
  std::vector<double> means(n, 0.0), G(n * n, 1.0);
  means[5] = 1.0;
  const ModelView model{static_cast<int>(n), G, means, 5, &reward};
  WorkingSet solver(kVersion);
  EXPECT_EQ(solver.solve(model, Start::cold, {}).status, SolveStatus::solved);
  for (std::size_t v = 0; v < n; ++v) G[v * n + 40] = 0.0;
  EXPECT_EQ(solver.solve(model, Start::warm, {}).status, SolveStatus::infeasible);
  EXPECT_EQ(solver.solve(model, Start::cold, {}).status, SolveStatus::infeasible);
  for (std::size_t v = 0; v < n; ++v) G[v * n + 40] = 0.5;
  EXPECT_EQ(solver.solve(model, Start::warm, {}).status, SolveStatus::solved);
}

}  // namespace
}  // namespace tasfg
