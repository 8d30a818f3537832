/// Which edges of a vertex fire at its n-th pull, and how often each has fired in the first n, which can be
/// had for any n in O(log n).
///
/// Each edge fires with a probability of its own, independently. How often in an epoch of pulls
/// (base/dyadic.hpp) is binomial, how often in half of a node's pulls hypergeometric; in a block that number
/// of its pulls is a uniformly random set. The first block is made pull by pull, a byte for each edge, since
/// many vertices are pulled a few times only. Pull by pull or at once, the counts are the same.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {

/// How often an edge fires in the first j of n pulls strays from j/n of how often it fires in all, for any j,
/// by so much at most but for a probability of exp(−log_rare).
///
/// With D_j the deviation, D_j/(n − j) is a martingale, and E exp(s·D_j) ≤ exp(s²κ/8), κ = min(fired, n −
/// fired), since the number of marks among the first places is more concentrated than a binomial one
/// (Hoeffding 1963, Theorem 4). Where n − j falls from one value to r = 0.95 of it, Doob's inequality at the
/// end of that stretch gives exp(−2r²d²/κ); 14 stretches lead to the middle, from either end and on either
/// side: 56 exp(−1.805 d²/κ).
[[nodiscard]] inline double count_tube(double n, double fired, double log_rare) {
  constexpr double kLn56 = 4.0253516907351496;  // rounded up
  const double least = fired < n - fired ? fired : n - fired;
  return std::sqrt(least * (log_rare + kLn56) / 1.805);
}

/// Memory for `count` values of a type that needs no destructor; what is in it means nothing.
template <typename T>
class Room {
 public:
  Room(std::pmr::memory_resource* memory, std::size_t count)
      : at_(static_cast<T*>(memory->allocate(count * sizeof(T), alignof(T))), {memory, count * sizeof(T)}) {}
  [[nodiscard]] T* get() const { return at_.get(); }

 private:
  struct GiveBack {
    std::pmr::memory_resource* memory;
    std::size_t bytes;
    void operator()(T* at) const { memory->deallocate(at, bytes, alignof(T)); }
  };
  std::unique_ptr<T, GiveBack> at_;
};

class Activations {
 public:
  static constexpr std::int64_t kBlock = 512;  // pulls

  /// `most`: no more pulls than these will be asked for. All memory is taken here, from `memory`, and touched
  /// where it is needed.
  Activations(StreamKey key, std::span<const double> probabilities, std::int64_t most,
              std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

  /// Edges that fire, by bits: those of one pull stand in one word where there are at most 32 edges (then
  /// `stride()`, a power of two, is the number of bits from one pull to the next), and in `words()` words of
  /// their own where there are more (stride() is 64).
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

  [[nodiscard]] std::int64_t count() const { return first_ + at_; }
  /// The next pull, of at most 32 edges.
  [[gnu::always_inline]] std::uint64_t next() {
    if (at_ == made_) [[unlikely]]
      make_more();
    const auto bit = static_cast<std::size_t>(at_++) << log_stride_;
    return fired_[bit / 64] >> (bit % 64) & (~std::uint64_t{0} >> (64 - stride_));
  }
  /// The next pull, of more.
  [[gnu::always_inline]] const std::uint64_t* next_words() {
    if (at_ == made_) [[unlikely]]
      make_more();
    return fired_.data() + static_cast<std::size_t>(at_++) * words_;
  }
  /// What the next pulls show, as many of them as one word holds from here on (stride() ≤ 32): where the
  /// first begins at bit 0.
  struct Several {
    std::uint64_t fired;
    std::int64_t pulls;
  };
  [[gnu::always_inline]] Several ahead() {
    if (at_ == made_) [[unlikely]]
      make_more();
    const auto bit = static_cast<std::size_t>(at_) << log_stride_;
    const std::int64_t pulls = static_cast<std::int64_t>((64 - bit % 64) >> log_stride_);
    return {fired_[bit / 64] >> (bit % 64), pulls < made_ - at_ ? pulls : made_ - at_};
  }
  /// Moves on by n ≤ ahead().pulls, or at_hand().
  void skip(std::int64_t n) { at_ += n; }

  // From the second block on, edge by edge.
  [[nodiscard]] bool can_jump() const { return count() >= kBlock; }
  /// How many of the next pulls are known, from 1 to 64.
  [[nodiscard]] std::int64_t at_hand() {
    TASFG_EXPECT(can_jump());
    if (at_ == made_) [[unlikely]]
      make_more();
    return 64 - at_ % 64;
  }
  /// In which of these edge e fires, the first at bit 0.
  [[nodiscard]] std::uint64_t fires_at_hand(std::size_t e) const {
    constexpr std::size_t kWords = kBlock / 64;
    return masks_[e * kWords + static_cast<std::size_t>(at_) / 64] >> (at_ % 64);
  }

  // Jumps, where it can_jump().
  /// Finds the counts after n ≥ kBlock pulls; the place stays.
  void look_at(std::int64_t n);
  /// How often edge e has fired in the first n pulls, for the n last looked at; and for count().
  [[nodiscard]] std::int64_t fired_there(std::size_t e) const { return there_[e]; }
  [[nodiscard]] std::int64_t fired_here(std::size_t e) const;
  /// Moves to the n last looked at.
  void move_there();
  /// How many nodes of the tree, blocks included, have been visited so far.
  [[nodiscard]] std::int64_t visits() const { return visits_; }

 private:
  /// A node of the tree: of each edge, how often it fires before the node and in it.
  struct Node {
    std::int64_t first;  // block
    std::int64_t *before, *total;
  };

  /// Of a block.
  [[nodiscard]] std::size_t words_fired() const {
    return static_cast<std::size_t>(kBlock) * (stride_ == 64 ? words_ * 64 : stride_) / 64;
  }
  [[gnu::noinline]] void make_more();
  void make_first_pulls();
  void make_block(std::int64_t block);
  /// The pulls of a block in which each edge fires, edge by edge: block `path_[0]`, which has been found.
  void make_masks(std::uint64_t* masks);
  void spread_masks();
  /// How often edge e fires in the first block, which is at hand.
  [[nodiscard]] std::int64_t fired_in_first_block(std::size_t e) const;
  const Node& root(int epoch);
  /// The node that holds `block`: down to the block, or to a node whose last pull is number `until`.
  const Node& find(std::int64_t block, std::int64_t until);

  StreamKey key_;
  std::pmr::vector<double> p_;
  std::pmr::vector<std::uint64_t> least_;  // ⌊256 p⌋ of eight edges a word, 255 where p is 1
  std::size_t stride_, words_;
  int log_stride_;
  // Of the block at hand: its first pull; pulls made use of, and known.
  std::int64_t first_ = 0, at_ = 0, made_ = 0;
  Room<std::uint64_t> bits_;             // fired_ and both masks
  std::span<std::uint64_t> fired_;       // in the block at hand, pull by pull
  std::uint64_t *masks_, *masks_there_;  // edge by edge, beyond the first block: at hand, and looked at
  std::pmr::vector<Node> roots_;         // by epoch, of those met so far
  std::pmr::vector<Node> path_;          // by level, known from `lowest_` on
  Room<std::int64_t> counts_;            // before_, there_ and those of all nodes
  std::int64_t *before_, *there_;  // how often each edge fires before the block at hand, and before there_n_
  std::int64_t there_n_ = 0;
  int epoch_ = -1, lowest_ = 0, epochs_known_ = 0;
  std::int64_t visits_ = 0;
};

}  // namespace tasfg
