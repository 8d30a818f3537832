/// The rule `uniform`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tasfg/algo/corridor.hpp"
#include "tasfg/algo/sampling_rule.hpp"

namespace tasfg {

/// All vertices in turn.
class UniformRule : public NoMemory {
 public:
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    return static_cast<int>(e.draws() % e.size());
  }

  // Jumps: whole rounds.
  [[nodiscard]] static std::int64_t plan(const Estimate& e, std::int64_t draws,
                                         std::vector<std::int64_t>& pulls) {
    const std::int64_t rounds = e.draws() % e.size() == 0 ? draws / e.size() : 0;
    std::fill(pulls.begin(), pulls.end(), rounds);
    return rounds * e.size();
  }
  [[nodiscard]] static bool stands(const Estimate& /*estimate*/, const Corridor& /*ahead*/) { return true; }
  void jumped() {}
};

}  // namespace tasfg
