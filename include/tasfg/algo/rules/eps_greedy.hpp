/// The rules `eps-greedy` and `eps-greedy-info`.
#pragma once

#include <algorithm>
#include <vector>

#include "tasfg/algo/algorithm.hpp"
#include "tasfg/algo/information_scores.hpp"
#include "tasfg/algo/sampling_rule.hpp"
#include "tasfg/model/instance.hpp"

namespace tasfg {

/// With probability ε a uniform vertex, else the estimated best (plain) or the most informative one.
class EpsGreedyRule : public NoMemory {
 public:
  EpsGreedyRule(const Instance& instance, const Algorithm& algorithm);
  template <typename Stream>
  int choose(const Estimate& e, Stream& stream) {
    const double u = stream.uniform();
    if (u < epsilon_) return std::min(static_cast<int>(u / epsilon_ * e.size()), e.size() - 1);
    return informative_ ? most_informative(e) : e.best();
  }

 private:
  int most_informative(const Estimate& e);
  double epsilon_;
  bool informative_;
  InformationScores information_;
  std::vector<double> scores_;
};

}  // namespace tasfg
