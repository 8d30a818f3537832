/// Independent draws x₀, x₁, … of a law and their partial sums S(n) = x₀ + … + x_{n−1}, which can be had for
/// any n in O(log n).
///
/// The sum of an epoch of draws (base/dyadic.hpp) is drawn at once, and split in two by its law given the
/// whole, down to blocks. The draws of a block are independent ones, changed so that they add up to the
/// block's sum:
///
///   - standard normals: given the sum s of 2k of them, that of the first k is s/2 + √(k/2)·z with another
///   normal z; those of a block are all shifted by the same amount;
///   - exponentials of mean 1: the sum of n has the gamma law of shape n; given the sum s of 2k, that of the
///   first k is s times a variable of the beta law of parameters k and k; those of a block are all multiplied
///   by the same factor.
///
/// Both are the exact laws given the sum. S(n) is defined by that path, not by the order of additions;
/// whether it is reached draw by draw or at once, it is the same double.
#pragma once

#include <array>
#include <cstdint>

#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {

struct NormalLaw;
struct ExponentialLaw;

template <typename Law>
class PartialSums {
 public:
  static constexpr std::int64_t kBlock = 128;  // draws

  explicit PartialSums(StreamKey key) : key_(key) {}

  /// The next draw.
  [[gnu::always_inline]] double next() {
    make_sure();
    const double x = here_.x[static_cast<std::size_t>(here_.at++)];
    here_.within += x;
    return x;
  }
  /// n, and S(n).
  [[nodiscard]] std::int64_t count() const { return here_.first + here_.at; }
  [[nodiscard]] double sum() const { return here_.before + here_.within; }

  /// S(n) for another n ≥ 1; the place stays.
  [[nodiscard]] double sum_at(std::int64_t n);
  /// Moves to the n that sum_at was last asked for.
  void move_there() { here_ = there_; }
  /// How many of the next draws are made already: those of a block, at least one.
  [[nodiscard]] std::int64_t at_hand() {
    make_sure();
    return here_.size - here_.at;
  }
  /// The least and the most that S is after any of the next n ≥ 1 draws, which are at hand; the place stays
  /// until walk_on().
  struct Range {
    double least, most;
  };
  [[nodiscard]] Range walk(std::int64_t n);
  void walk_on() {
    here_.at = walked_.at;
    here_.within = walked_.within;
  }
  /// How many nodes of trees, blocks included, have been visited so far.
  [[nodiscard]] std::int64_t visits() const { return visits_; }

 private:
  // The first draws of a sequence are often the only ones: these few are made without the rest of their
  // block.
  static constexpr std::int64_t kFew = 8;

  /// A block, and a place in it.
  struct Place {
    std::int64_t first = 0, size = 0, at = 0;  // draws
    double before = 0.0, within = 0.0;         // the block; the draws from its first to `at`
    std::array<double, kBlock> x;              // `size` of them mean something
  };
  struct Node {
    std::int64_t first;  // block
    double before, total;
  };

  [[gnu::always_inline]] void make_sure() {
    if (here_.at == here_.size) [[unlikely]]
      enter(here_, count(), count() < kFew ? kFew : kBlock);
  }
  /// The block that draw i belongs to, or its first `size` draws; the place is before draw i.
  [[gnu::noinline]] void enter(Place& place, std::int64_t i, std::int64_t size);
  [[nodiscard]] Node find(std::int64_t block);
  [[nodiscard]] Node root(int epoch);

  StreamKey key_;
  Place here_, there_;
  struct {
    std::int64_t at = 0;
    double within = 0.0;
  } walked_;
  // Left as they are found: to clear them would take longer than the whole of a short run.
  std::array<Node, kLevels> path_;  // by level, as far as `lowest_` valid
  int epoch_ = -1, lowest_ = kLevels;
  std::array<Node, kLevels + 1> roots_;  // of the epochs met so far
  int epochs_known_ = 0;
  double before_ = 0.0;  // the sum of all these
  std::int64_t visits_ = 0;
};

extern template class PartialSums<NormalLaw>;
extern template class PartialSums<ExponentialLaw>;

using NormalSums = PartialSums<NormalLaw>;
using ExponentialSums = PartialSums<ExponentialLaw>;

}  // namespace tasfg
