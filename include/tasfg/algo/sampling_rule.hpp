/// What a sampling rule is: a small class (one file each under algo/rules/) with
///
///   - int choose(const Estimate&, Stream&): the next vertex, from what is known and the rule's own
///   randomness;
///   - void shown(const Estimate&, int u, double reward): called for each reward that the chosen vertex
///   shows;
///   - void finish(const Estimate&, int v): called after the draw of v.
///
/// A rule that can tell for how long its choice stands may also have
///
///   - std::int64_t repeats(const Estimate&): how many draws, at least 1, are of the vertex just chosen as
///   long as
///   - bool holds(const Estimate&) after each reward shown.
///
/// Several draws may then be made at once: finish() is not called for them, and while they are made the
/// estimate's draws() and pulls() are those before the first.
///
/// A rule whose choice stands for many draws, or whose choices depend on no reward, may also have
///
///   - std::int64_t plan(const Estimate&, std::int64_t draws, std::vector<std::int64_t>& pulls): how often
///   each vertex would be pulled in the next draws, as many of them as it can tell (at most so many; 0: it
///   cannot),
///   - bool stands(const Estimate&, const Corridor&): whether that is so, whatever happens within the
///   corridor,
///   - void jumped(): called when these draws have been made at once.
///
/// The step loop is a template over the rule, so that these inline; none allocates after construction.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "tasfg/algo/estimate.hpp"

namespace tasfg {

/// Bounds on what is known during several draws that are made at once: what a rule and the stopping rule need
/// to tell that nothing would have happened on the way.
struct Corridor {
  std::int64_t draws = 0;            // made at once
  std::vector<std::int64_t> pulls;   // of each vertex
  std::vector<double> low, high;     // the mean of each vertex stays between these
  std::vector<double> observations;  // M_u at the end; on the way it is less. 0 remains 0
  /// Ĝ_vu of the one vertex v that is pulled is never less, by u; means nothing where several are pulled.
  std::vector<double> edge_low;
};

template <typename Rule, typename Stream>
concept SamplingRule = requires(Rule rule, const Estimate& e, Stream& stream, int vertex, double reward) {
  { rule.choose(e, stream) } -> std::same_as<int>;
  { rule.shown(e, vertex, reward) } -> std::same_as<void>;
  { rule.finish(e, vertex) } -> std::same_as<void>;
};

/// What rules without memory of rewards share.
struct NoMemory {
  void shown(const Estimate& /*estimate*/, int /*u*/, double /*reward*/) {}
  void finish(const Estimate& /*estimate*/, int /*v*/) {}
};

}  // namespace tasfg
