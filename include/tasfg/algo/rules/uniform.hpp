/// The rule `uniform`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tasfg/algo/sampling_rule.hpp"

namespace tasfg {

/// All vertices in turn.
class UniformRule : public NoMemory {
 public:
  template <typename Stream>
  int choose(const Estimate& e, Stream& /*stream*/) {
    return static_cast<int>(e.draws() % e.size());
  }

  // Jumps: the pulls depend on no reward.
  [[nodiscard]] static std::int64_t plan(const Estimate& e, std::int64_t draws,
                                         std::vector<std::int64_t>& pulls) {
    std::fill(pulls.begin(), pulls.end(), draws / e.size());
    for (std::int64_t i = 0; i < draws % e.size(); ++i)
      ++pulls[static_cast<std::size_t>((e.draws() + i) % e.size())];
    return draws;
  }
  [[nodiscard]] static bool stands(const Estimate& /*estimate*/, const Corridor& /*ahead*/) { return true; }
  void jumped() {}
};

}  // namespace tasfg
