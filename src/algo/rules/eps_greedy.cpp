#include "tasfg/algo/rules/eps_greedy.hpp"

#include "tasfg/base/extremes.hpp"

namespace tasfg {

EpsGreedyRule::EpsGreedyRule(const Instance& instance, const Algorithm& algorithm)
    : epsilon_(algorithm.epsilon),
      informative_(algorithm.rule == RuleKind::eps_greedy_info),
      information_(instance),
      scores_(static_cast<std::size_t>(instance.size())) {}

int EpsGreedyRule::most_informative(const Estimate& e) {
  return information_.compute(e, scores_) ? index_of_largest(scores_.data(), scores_.size()) : e.best();
}

}  // namespace tasfg
