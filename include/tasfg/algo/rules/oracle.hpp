/// The rule `oracle`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tasfg/algo/sampling_rule.hpp"

namespace tasfg {

/// D-tracking of a fixed allocation.
class OracleRule : public NoMemory {
 public:
  explicit OracleRule(std::vector<double> allocation)
      : allocation_(std::move(allocation)), planned_(allocation_.size()) {}
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    return furthest_behind(e.pulls(), e.draws() + 1);
  }

  // Jumps: the pulls depend on no reward, but they have to be found one by one.
  [[nodiscard]] std::int64_t plan(const Estimate& e, std::int64_t draws, std::vector<std::int64_t>& pulls) {
    constexpr std::int64_t kMost = 1 << 16;
    draws = std::min(draws, kMost);
    planned_ = e.pulls();
    for (std::int64_t i = 1; i <= draws; ++i)
      planned_[static_cast<std::size_t>(furthest_behind(planned_, e.draws() + i))] += 1.0;
    for (std::size_t v = 0; v < pulls.size(); ++v)
      pulls[v] = static_cast<std::int64_t>(planned_[v] - e.pulls()[v]);
    return draws;
  }
  [[nodiscard]] static bool stands(const Estimate& /*estimate*/, const Corridor& /*ahead*/) { return true; }
  void jumped() {}

 private:
  [[nodiscard]] int furthest_behind(const std::vector<double>& pulls, std::int64_t draw) const {
    const double t = static_cast<double>(draw);
    int chosen = 0;
    double least = pulls[0] - t * allocation_[0];
    for (std::size_t v = 1; v < allocation_.size(); ++v) {
      const double lag = pulls[v] - t * allocation_[v];
      if (lag < least) {
        least = lag;
        chosen = static_cast<int>(v);
      }
    }
    return chosen;
  }

  std::vector<double> allocation_, planned_;
};

}  // namespace tasfg
