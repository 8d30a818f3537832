/// Independent standard normals z₀, z₁, … and their partial sums W(n) = z₀ + … + z_{n−1}, which can be had
/// for any n in O(log n).
///
/// Given the sum s of 2k normals, that of the first k is s/2 + √(k/2)·z with another standard normal z: so
/// the sum of an epoch (base/dyadic.hpp) is split down to blocks of 64. The normals of a block are
/// independent ones, all shifted by the same amount so that they add up to the block's sum: that is their law
/// given the sum. W(n) is defined by that path, not by the order of additions; whether it is reached draw by
/// draw or at once, it is the same double.
#pragma once

#include <array>
#include <cstdint>

#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {

class NormalSums {
 public:
  static constexpr std::int64_t kBlock = 64;  // draws

  explicit NormalSums(StreamKey key)
      : in_blocks_(stream_key(key.value, 0)),
        beside_(stream_key(key.value, 1)),
        at_nodes_(stream_key(key.value, 2)) {}

  /// The next normal.
  [[gnu::always_inline]] double next() {
    if (here_.at == here_.size) [[unlikely]]
      enter(here_, here_.first + here_.at);
    const double z = here_.z[static_cast<std::size_t>(here_.at++)];
    here_.within += z;
    return z;
  }
  /// n, and W(n).
  [[nodiscard]] std::int64_t count() const { return here_.first + here_.at; }
  [[nodiscard]] double sum() const { return here_.before + here_.within; }

  /// W(n) for another n ≥ 1; the place stays.
  [[nodiscard]] double sum_at(std::int64_t n);
  /// Moves to the n that sum_at was last asked for.
  void move_there() { here_ = there_; }

 private:
  /// A block, and a place in it.
  struct Place {
    std::int64_t first = 0, size = 0, at = 0;  // draws
    double before = 0.0, within = 0.0;         // the block; the draws from its first to `at`
    std::array<double, kBlock> z{};
  };
  struct Node {
    std::int64_t first = 0;  // block
    double before = 0.0, total = 0.0;
  };

  /// The beginning of the block that draw i belongs to.
  [[gnu::noinline]] void enter(Place& place, std::int64_t i);
  [[nodiscard]] Node find(std::int64_t block);
  [[nodiscard]] Node root(int epoch);

  StreamKey in_blocks_, beside_, at_nodes_;
  Place here_, there_;
  std::array<Node, kLevels> path_{};  // by level, as far as `lowest_` valid
  int epoch_ = -1, lowest_ = kLevels;
  std::array<Node, kLevels + 1> roots_{};  // of the epochs met so far
  int epochs_known_ = 0;
  double before_ = 0.0;  // the sum of all these
};

}  // namespace tasfg
