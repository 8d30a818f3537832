#include "tasfg/algo/conventions.hpp"

#include <fmt/format.h>

#include "tasfg/base/error.hpp"
#include "tasfg/base/named_rows.hpp"

namespace tasfg {
namespace {

// The only list of the points on which the paper and the published data differ.
constexpr ConventionPoint kPoints[] = {
    {"graph-prior", "optimistic", "pseudo-count", "the estimate of G before data",
     [](Conventions& c, bool r) { c.graph_prior = r ? GraphPrior::pseudo_count : GraphPrior::optimistic; }},
    {"statistic", "counts", "pseudo-count", "the stopping statistic",
     [](Conventions& c, bool r) { c.statistic = r ? StatisticKind::pseudo_count : StatisticKind::counts; }},
    {"reported-tau", "draws", "draws-plus-one", "what tau counts",
     [](Conventions& c, bool r) { c.reported_tau = r ? ReportedTau::draws_plus_one : ReportedTau::draws; }},
    {"unique-best", "exact", "close", "when the estimated best vertex is unique",
     [](Conventions& c, bool r) { c.unique_best = r ? UniqueBest::close : UniqueBest::exact; }},
    {"forced-exploration", "least-pulled", "lowest-index", "which starved vertex is forced",
     [](Conventions& c, bool r) {
       c.forced_exploration = r ? ForcedExploration::lowest_index : ForcedExploration::least_pulled;
     }},
    {"allocation-update", "every-step", "every-5K", "when the allocation is computed, and what is tracked",
     [](Conventions& c, bool r) {
       c.allocation_update = r ? AllocationUpdate::every_5K : AllocationUpdate::every_step;
     }},
    {"exp3.g", "paper", "reference", "EXP3.G's rate and importance weights",
     [](Conventions& c, bool r) { c.exp3 = r ? Exp3Variant::reference : Exp3Variant::paper; }},
};

}  // namespace

std::span<const ConventionPoint> convention_points() {
  return kPoints;
}

std::string points_text(const Conventions& conventions) {
  std::string text;
  for (const ConventionPoint& point : kPoints) {
    // A point has its reference value where setting it changes nothing.
    Conventions changed = conventions;
    point.set(changed, true);
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", point.name,
                        changed == conventions ? point.reference : point.paper);
  }
  return text;
}

Conventions conventions_of(ConventionSet set) {
  Conventions conventions;
  for (const ConventionPoint& point : kPoints) point.set(conventions, set == ConventionSet::reference);
  return conventions;
}

Conventions conventions_named(std::string_view name, const std::string& origin) {
  if (const std::optional<ConventionSet> set = kConventionNames.find(name)) return conventions_of(*set);
  throw InputError(origin, bad_text(name, suggest(name, kConventionNames.all())));
}

void set_point(Conventions& conventions, const ConventionPoint& point, std::string_view value) {
  if (value != point.paper && value != point.reference)
    throw InputError(bad_text(value, fmt::format("must be {} or {}", point.paper, point.reference)));
  point.set(conventions, value == point.reference);
}

void set_convention(Conventions& conventions, std::string_view name, std::string_view value,
                    const std::string& origin) {
  const ConventionPoint* point = find_row(convention_points(), name);
  if (point == nullptr)
    throw InputError(origin, remark(fmt::format("unknown point {}", in_quotes(name)),
                                    suggest(name, names_of(convention_points()))));
  placed(within(origin, name), [&] { set_point(conventions, *point, value); });
}

}  // namespace tasfg
