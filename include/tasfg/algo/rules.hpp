/// All sampling rules, each with the type of its own.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/algo/closed_form_allocation.hpp"
#include "tasfg/algo/conventions.hpp"
#include "tasfg/algo/optimal_allocation.hpp"
#include "tasfg/algo/rules/eps_greedy.hpp"
#include "tasfg/algo/rules/exp3_g.hpp"
#include "tasfg/algo/rules/external.hpp"
#include "tasfg/algo/rules/oracle.hpp"
#include "tasfg/algo/rules/tas_fg.hpp"
#include "tasfg/algo/rules/ucb_fg_e.hpp"
#include "tasfg/algo/rules/ucb_fg_v.hpp"
#include "tasfg/algo/rules/uniform.hpp"
#include "tasfg/algo/sampling_rule.hpp"
#include "tasfg/algo/tracker.hpp"
#include "tasfg/base/contract.hpp"
#include "tasfg/base/numpy_stream.hpp"
#include "tasfg/base/philox.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// Returns body(rule): once per trajectory, so that its step loop is compiled for the rule. `optimal` gives
/// the allocation that the oracle tracks.
template <typename Body>
auto with_rule(const Instance& instance, const Algorithm& algorithm, const Conventions& conventions,
               const std::function<const std::vector<double>&()>& optimal, Body body) {
  const auto run = [&](auto rule) {
    static_assert(SamplingRule<decltype(rule), PhiloxStream> && SamplingRule<decltype(rule), NumpyStream>);
    return body(std::move(rule));
  };
  const auto tracked = [&](auto allocation) {
    return run(TasRule(std::move(allocation), Tracker(instance, algorithm, conventions), instance.size()));
  };
  switch (algorithm.rule) {
    case RuleKind::tas_optimal:
      return tracked(OptimalAllocation(instance, algorithm.gap, conventions.allocation_update));
    case RuleKind::tas_heuristic:
      return tracked(ClosedFormAllocation(instance, ClosedForm::heuristic));
    case RuleKind::tas_argmax:
      return tracked(ClosedFormAllocation(instance, ClosedForm::argmax));
    case RuleKind::tas_top_k:
      return tracked(ClosedFormAllocation(instance, ClosedForm::top_k));
    case RuleKind::exp3_g:
      return run(Exp3Rule(instance, conventions));
    case RuleKind::ucb_fg_e:
      return run(UcbERule(instance));
    case RuleKind::ucb_fg_v:
      return instance.graph().has_matrix() ? run(UcbVRuleOfPairs(instance)) : run(UcbVRule(instance));
    case RuleKind::eps_greedy:
    case RuleKind::eps_greedy_info:
      return run(EpsGreedyRule(instance, algorithm));
    case RuleKind::uniform:
      return run(UniformRule());
    case RuleKind::oracle:
      return run(OracleRule(optimal()));
    case RuleKind::external:
      return run(ExternalRule(instance, algorithm.external));
  }
  TASFG_UNREACHABLE();
}

}  // namespace tasfg
