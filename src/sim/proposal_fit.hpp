/// Fits a proposal to runs that erred: the cross-entropy method, by expectation maximisation.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "tasfg/model/instance.hpp"
#include "tasfg/sim/proposal.hpp"

namespace tasfg {

/// A wrong answer of a pilot run.
struct WrongStop {
  std::size_t delta = 0;  // which of the pilot's δ
  bool late = false;      // after the horizon, where only plain runs go
  double log_sum = 0.0;   // ln of the sum, over the pilot's rounds, of the ratio of each round's proposal
  std::vector<double> observations, means, pulls;  // at the stop
  std::vector<double> first_means = {};            // as in PathCounts; nothing where no arm may be pinned

  [[nodiscard]] PathCounts counts() const { return {observations, means, pulls, first_means}; }
};

/// The mixture that makes the wrong stops most likely, where each counts by its weight, of which every δ has
/// one in all: maximises Σ weight · ln(dQ/dP) over the weights of plain runs and components and, where `move`
/// says so, over the components themselves, whose arms are pinned anew where they may be. Components of no
/// weight are left out. Without wrong stops nothing changes. Once `cancel` is true it returns soon, and the
/// result is of no use.
struct FittedMixture {
  double plain;
  std::vector<TiltComponent> components;
};
enum class Fit { weights, all };
[[nodiscard]] FittedMixture fitted(const Instance& truth, FittedMixture mixture, Fit what,
                                   std::span<const WrongStop> stops, std::size_t deltas,
                                   const std::atomic<bool>* cancel = nullptr);

/// The component with tails no lighter than the instance's own, of pinned rewards and of how often arms are
/// seen. A fit to a few stops is tighter than what it is a fit to: it would take most stops outside of it for
/// next to impossible, and the few runs that meet one would count for all others.
[[nodiscard]] TiltComponent widened(TiltComponent component);

}  // namespace tasfg
