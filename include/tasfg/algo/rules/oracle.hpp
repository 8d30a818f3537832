/// The rule `oracle`.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "tasfg/algo/sampling_rule.hpp"

namespace tasfg {

/// D-tracking of a fixed allocation.
class OracleRule : public NoMemory {
 public:
  explicit OracleRule(std::vector<double> allocation) : allocation_(std::move(allocation)) {}
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    const double t = static_cast<double>(e.draws() + 1);
    int chosen = 0;
    double least = e.pulls()[0] - t * allocation_[0];
    for (std::size_t v = 1; v < allocation_.size(); ++v) {
      const double lag = e.pulls()[v] - t * allocation_[v];
      if (lag < least) {
        least = lag;
        chosen = static_cast<int>(v);
      }
    }
    return chosen;
  }

 private:
  std::vector<double> allocation_;
};

}  // namespace tasfg
