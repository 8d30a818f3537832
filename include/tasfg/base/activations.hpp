/// Which edges of a vertex fire at its n-th pull, and how often each has fired in the first n, which can be
/// had for any n in O(log n).
///
/// Each edge fires with a probability of its own, independently. How often in an epoch of pulls
/// (base/dyadic.hpp) is binomial, how often in half of a node's pulls hypergeometric; in a block that number
/// of its pulls is a uniformly random set. The first block is made pull by pull, a byte for each edge, since
/// many vertices are pulled a few times only. Pull by pull or at once, the counts are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tasfg/base/dyadic.hpp"
#include "tasfg/base/philox.hpp"

namespace tasfg {

class Activations {
 public:
  static constexpr std::int64_t kBlock = 512;  // pulls

  Activations(StreamKey key, std::span<const double> probabilities);

  /// Edges that fire, by bits: those of one pull stand in one word where there are at most 32 edges, and in
  /// `words()` words where there are more.
  [[nodiscard]] std::size_t words() const { return words_; }
  /// Bits from one pull to the next within a word: 1, 2, 4, … 32, or 64 where a pull has words of its own.
  [[nodiscard]] std::size_t stride() const { return stride_; }

  [[nodiscard]] std::int64_t count() const { return first_ + at_; }
  /// The next pull: its word, or the first of its words.
  [[gnu::always_inline]] const std::uint64_t* next() {
    if (at_ == made_) [[unlikely]]
      make_more();
    const auto i = static_cast<std::size_t>(at_++);
    if (stride_ == 64) return fired_.data() + i * words_;
    one_ = fired_[i * stride_ / 64] >> (i * stride_ % 64) & (~std::uint64_t{0} >> (64 - stride_));
    return &one_;
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
    const auto bit = static_cast<std::size_t>(at_) * stride_;
    const std::int64_t pulls = static_cast<std::int64_t>((64 - bit % 64) / stride_);
    return {fired_[bit / 64] >> (bit % 64), pulls < made_ - at_ ? pulls : made_ - at_};
  }
  /// Moves on by n ≤ ahead().pulls.
  void skip(std::int64_t n) { at_ += n; }

  // Jumps, from the second block on.
  [[nodiscard]] bool can_jump() const { return count() >= kBlock; }
  /// Finds the counts after n ≥ kBlock pulls; the place stays.
  void look_at(std::int64_t n);
  /// How often edge e has fired in the first n pulls, for the n last looked at; and for count().
  [[nodiscard]] std::int64_t fired_there(std::size_t e) const { return there_[e]; }
  [[nodiscard]] std::int64_t fired_here(std::size_t e) const;
  /// Moves to the n last looked at.
  void move_there();

 private:
  /// What is known of a node: of each edge, how often it fires before the node and in it.
  struct Node {
    std::int64_t first = 0;  // block
    std::vector<std::int64_t> before, total;
  };

  [[gnu::noinline]] void make_more();
  void make_first_pulls();
  void make_block(std::int64_t block);
  void make_masks(std::int64_t block);
  void spread_masks();
  /// How often edge e fires in the first block, which is at hand.
  [[nodiscard]] std::int64_t fired_in_first_block(std::size_t e) const;
  /// How often edge e fires in the first n pulls of the block whose masks are at hand.
  [[nodiscard]] std::int64_t fired_in_block(std::size_t e, std::int64_t n) const;
  const Node& root(int epoch);
  /// The node that holds `block`: down to the block, or to a node whose last pull is number `until`.
  const Node& find(std::int64_t block, std::int64_t until);

  StreamKey first_block_, ties_, in_blocks_, at_nodes_, at_roots_;
  std::vector<double> p_;
  std::vector<std::uint64_t> least_;  // ⌊256 p⌋ of eight edges a word, 255 where p is 1
  std::size_t stride_, words_;
  std::int64_t first_ = 0, at_ = 0,
               made_ = 0;  // of the block at hand: its first pull; pulls made use of, and known
  std::vector<std::uint64_t> fired_;
  std::uint64_t one_ = 0;
  std::vector<std::uint64_t> masks_;  // of the block at hand, edge by edge; beyond the first block
  std::vector<std::int64_t> before_,
      there_;  // how often each edge fires before the block at hand, and before there_n_
  std::int64_t there_n_ = 0;
  std::vector<Node> path_;  // by level, valid from `lowest_` on
  int epoch_ = -1, lowest_ = 0;
  std::vector<Node> roots_;
};

}  // namespace tasfg
