/// Where the paper and the published data differ (docs/fidelity.md), each point a setting of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tasfg/base/enum_names.hpp"

namespace tasfg {

enum class GraphPrior {
  optimistic,    // Ĝ = 1 on the rows of vertices never pulled, N_vu/N_v after
  pseudo_count,  // Ĝ = (1 + N_vu)/max(1, N_v)
};
enum class StatisticKind {
  counts,  // min f_u(M(t)); a vertex never observed is no evidence
  pseudo_count,  // t/max(1, T(N/(t−1); Ĝ, μ̂)) with the pseudo-count Ĝ and μ̂ = 1 where unseen, from t = K on
};
enum class ReportedTau { draws, draws_plus_one };
enum class UniqueBest {
  exact,
  close,  // no other mean within 1e-8 + 1e-5·|max|
};
enum class ForcedExploration { least_pulled, lowest_index };
enum class AllocationUpdate {
  every_step,  // or every `period` steps; D-tracking of the sum of allocations
  every_5K,    // every 5K draws where the best is unique; tracks the mean over updates
};
enum class Exp3Variant {
  paper,      // rate 0.3, exploration 0.3, importance weights over N_in(u)
  reference,  // rate 1/K, exploration 0.3, no importance weights
};

struct Conventions {
  GraphPrior graph_prior = GraphPrior::optimistic;
  StatisticKind statistic = StatisticKind::counts;
  ReportedTau reported_tau = ReportedTau::draws;
  UniqueBest unique_best = UniqueBest::exact;
  ForcedExploration forced_exploration = ForcedExploration::least_pulled;
  AllocationUpdate allocation_update = AllocationUpdate::every_step;
  Exp3Variant exp3 = Exp3Variant::paper;
  bool operator==(const Conventions&) const = default;
};

/// The two sets of all points.
enum class ConventionSet { paper, reference };
inline constexpr EnumNames<ConventionSet> kConventionNames = {"paper", "reference"};

/// One point: its name, its two values (paper's first), and how to set it.
struct ConventionPoint {
  std::string_view name;
  std::string_view paper, reference;
  std::string_view summary;
  void (*set)(Conventions&, bool reference);
};
[[nodiscard]] std::span<const ConventionPoint> convention_points();

/// Every point with its value: "graph-prior=optimistic statistic=counts …".
[[nodiscard]] std::string points_text(const Conventions& conventions);

[[nodiscard]] Conventions conventions_of(ConventionSet set);
[[nodiscard]] Conventions conventions_named(std::string_view name, const std::string& origin);

/// Sets one point to one of its two values; an InputError without a place where it is neither.
void set_point(Conventions& conventions, const ConventionPoint& point, std::string_view value);

/// Sets the point of that name.
void set_convention(Conventions& conventions, std::string_view name, std::string_view value,
                    const std::string& origin);

}  // namespace tasfg
