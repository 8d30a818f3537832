/// The rule `uniform`.
#pragma once

#include "tasfg/algo/sampling_rule.hpp"

namespace tasfg {

/// All vertices in turn.
class UniformRule : public NoMemory {
 public:
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    return static_cast<int>(e.draws() % e.size());
  }
};

}  // namespace tasfg
