#include "tasfg/base/activations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/base/splits.hpp"

namespace tasfg {
namespace {

constexpr std::int64_t kBlock = Activations::kBlock;
constexpr std::size_t kMask = kBlock / 64;  // words of an edge's pulls in a block
// Counters of the key, by purpose. What a draw takes varies, by rejection: so many belong to a block, an
// edge's root, and an edge's node or tie.
enum Purpose : std::uint64_t { kFirstPulls, kTies, kInBlocks, kAtNodes, kAtRoots };
constexpr std::uint64_t counter_of(Purpose purpose, std::uint64_t place) {
  return purpose << 61 | place;
}
constexpr int kCountersPerBlock = 20, kCountersPerRoot = 12, kCountersPerNode = 4;  // log2
constexpr std::int64_t kAtOnce = 8;  // pulls of the first block

constexpr std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

constexpr std::uint64_t lowest_bits(std::size_t n) {
  return n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
}

constexpr std::uint64_t kHighBits = 0x8080808080808080;

/// One bit for each of eight bytes, from bits that stand at their tops.
constexpr std::uint64_t gathered(std::uint64_t tops) {
  return (tops >> 7) * 0x0102040810204080 >> 56;
}

/// The lowest 64/stride bits, `stride` apart: the upper half of what stands together moves to its place,
/// again and again.
template <std::size_t stride>
constexpr std::uint64_t spread(std::uint64_t bits) {
  constexpr std::size_t kCount = 64 / stride;
  bits &= lowest_bits(kCount);
  const auto move = [&]<std::size_t half>(std::integral_constant<std::size_t, half>) {
    constexpr std::uint64_t kLower = [] {
      std::uint64_t lower = 0;
      for (std::size_t i = 0; i < 64; i += 2 * half * stride) lower |= lowest_bits(half) << i;
      return lower;
    }();
    bits = (bits & kLower) | (bits & kLower << half) << (half * stride - half);
  };
  if constexpr (kCount >= 64) move(std::integral_constant<std::size_t, 32>{});
  if constexpr (kCount >= 32) move(std::integral_constant<std::size_t, 16>{});
  if constexpr (kCount >= 16) move(std::integral_constant<std::size_t, 8>{});
  if constexpr (kCount >= 8) move(std::integral_constant<std::size_t, 4>{});
  if constexpr (kCount >= 4) move(std::integral_constant<std::size_t, 2>{});
  if constexpr (kCount >= 2) move(std::integral_constant<std::size_t, 1>{});
  return bits;
}

/// From the pulls of each edge (kMask words) to the edges of each pull (`stride` bits).
template <std::size_t stride>
void spread_all(const std::uint64_t* masks, std::size_t edges, std::span<std::uint64_t> fired) {
  constexpr std::size_t kPulls = 64 / stride;  // of a word
  for (std::size_t e = 0; e < edges; ++e)
    for (std::size_t w = 0; w < fired.size(); ++w)
      fired[w] |= spread<stride>(masks[e * kMask + w * kPulls / 64] >> (w * kPulls % 64)) << e;
}

/// Byte i of the result has bit i of every byte: H. S. Warren, "Hacker's Delight", 7–3.
constexpr std::uint64_t transposed(std::uint64_t x) {
  const auto swap = [&](int by, std::uint64_t which) {
    const std::uint64_t change = (x ^ x >> by) & which;
    x ^= change ^ change << by;
  };
  swap(7, 0x00AA00AA00AA00AA);
  swap(14, 0x0000CCCC0000CCCC);
  swap(28, 0x00000000F0F0F0F0);
  return x;
}

/// The same for eight edges and more, `bits` to a pull: squares of eight edges by eight pulls.
void transpose_all(const std::uint64_t* masks, std::size_t edges, std::size_t bits,
                   std::span<std::uint64_t> fired) {
  for (std::size_t e = 0; e < edges; e += 8) {
    const std::size_t rows = std::min<std::size_t>(8, edges - e);
    for (std::size_t pull = 0; pull < at(kBlock); pull += 8) {
      std::uint64_t square = 0;
      for (std::size_t i = 0; i < rows; ++i)
        square |= (masks[(e + i) * kMask + pull / 64] >> (pull % 64) & 0xFF) << (8 * i);
      square = transposed(square);
      for (std::size_t i = 0; i < 8; ++i, square >>= 8) {
        const std::size_t bit = (pull + i) * bits + e;
        fired[bit / 64] |= (square & 0xFF) << (bit % 64);
      }
    }
  }
}

/// How often an edge fires in the first n pulls of a block, by its mask.
std::int64_t fired_in_block(const std::uint64_t* mask, std::int64_t n) {
  std::int64_t fired = 0;
  for (; n >= 64; n -= 64) fired += std::popcount(*mask++);
  return n > 0 ? fired + std::popcount(*mask & lowest_bits(at(n))) : fired;
}

}  // namespace

Activations::Activations(StreamKey key, std::span<const double> probabilities, std::int64_t most,
                         std::pmr::memory_resource* memory)
    : key_(key),
      p_(probabilities.begin(), probabilities.end(), memory),
      least_((p_.size() + 7) / 8, memory),
      stride_(p_.size() > 32 ? 64 : std::bit_ceil(std::max<std::size_t>(p_.size(), 1))),
      words_((p_.size() + 63) / 64),
      log_stride_(std::countr_zero(stride_)),
      bits_(memory, words_fired() + 2 * p_.size() * kMask),
      fired_(bits_.get(), words_fired()),
      masks_(bits_.get() + words_fired()),
      masks_there_(masks_ + p_.size() * kMask),
      roots_(at(epoch_of(std::max<std::int64_t>(most, 1) / kBlock) + 1), memory),
      path_(at(root_level(static_cast<int>(roots_.size()) - 1)) + 1, memory),
      counts_(memory, 2 * p_.size() * (1 + roots_.size() + path_.size())) {
  for (std::size_t e = 0; e < p_.size(); ++e)
    least_[e / 8] |= static_cast<std::uint64_t>(std::min(256.0 * p_[e], 255.0)) << (8 * (e % 8));
  std::int64_t* next = counts_.get();
  const auto take = [&] { return std::exchange(next, next + p_.size()); };
  before_ = take();
  there_ = take();
  for (std::pmr::vector<Node>* nodes : {&roots_, &path_})
    for (Node& node : *nodes) node = {0, take(), take()};
}

void Activations::make_more() {
  if (count() == 0) std::fill(fired_.begin(), fired_.end(), 0);
  if (count() < kBlock)
    make_first_pulls();
  else
    make_block(count() / kBlock);
}

/// An edge fires where its byte is less than ⌊256 p⌋, or equal to it and a second trial succeeds.
void Activations::make_first_pulls() {
  const std::size_t edges = p_.size();
  constexpr std::size_t kBytes = 16;  // of a counter
  const std::size_t counters = (edges + kBytes - 1) / kBytes;
  const std::int64_t until = std::min(made_ + kAtOnce, kBlock);
  std::array<std::uint32_t, kPhiloxWords> words;
  std::uint64_t from = 0, end = 0;  // counters whose words these are
  for (; made_ < until; ++made_)
    for (std::size_t e = 0; e < edges; e += 8) {
      const std::uint64_t counter = at(made_) * counters + e / kBytes;
      if (counter >= end) {
        from = counter;
        end = counter + kPhiloxWords / 4;
        philox_words(key_, counter_of(kFirstPulls, counter), words.data());
      }
      const std::uint32_t* pair = words.data() + 4 * (counter - from) + 2 * (e / 8 % 2);
      const std::uint64_t drawn = static_cast<std::uint64_t>(pair[1]) << 32 | pair[0];
      const std::uint64_t least = least_[e / 8];
      // Byte by byte: whether the lower seven bits are less decides where the highest are equal.
      const std::uint64_t not_less = (drawn | kHighBits) - (least & ~kHighBits);
      const std::uint64_t differ = drawn ^ least;
      std::uint64_t fires = gathered(((~drawn & least) | (~differ & ~not_less)) & kHighBits);
      const std::uint64_t low_differ = (differ & ~kHighBits) + ~kHighBits;
      for (std::uint64_t tied = gathered(~(low_differ | differ) & kHighBits) & lowest_bits(edges - e);
           tied != 0; tied &= tied - 1) {
        const std::size_t tie = e + at(std::countr_zero(tied));
        PhiloxPlace place(key_, counter_of(kTies, (at(made_) * edges + tie) << kCountersPerNode));
        const double scaled = 256.0 * p_[tie];
        if (BernoulliSampler(p_[tie] < 1.0 ? scaled - std::floor(scaled) : 1.0)(place)) fires |= tied & -tied;
      }
      const std::size_t bit = (stride_ == 64 ? 64 * words_ : stride_) * at(made_) + e;
      fired_[bit / 64] |= fires << (bit % 64);
    }
}

void Activations::make_masks(std::uint64_t* masks) {
  PhiloxStream stream(key_,
                      counter_of(kInBlocks, static_cast<std::uint64_t>(path_[0].first) << kCountersPerBlock));
  for (std::size_t e = 0; e < p_.size(); ++e)
    sample_subset(stream, path_[0].total[e], {masks + e * kMask, kMask});
}

void Activations::spread_masks() {
  std::fill(fired_.begin(), fired_.end(), 0);
  switch (stride_) {
    case 1:
      return spread_all<1>(masks_, p_.size(), fired_);
    case 2:
      return spread_all<2>(masks_, p_.size(), fired_);
    case 4:
      return spread_all<4>(masks_, p_.size(), fired_);
    default:
      return transpose_all(masks_, p_.size(), stride_ == 64 ? 64 * words_ : stride_, fired_);
  }
}

std::int64_t Activations::fired_in_first_block(std::size_t e) const {
  TASFG_EXPECT(first_ == 0 && made_ == kBlock);
  std::int64_t fired = 0;
  for (std::size_t bit = e; bit < 64 * fired_.size(); bit += stride_ == 64 ? 64 * words_ : stride_)
    fired += static_cast<std::int64_t>(fired_[bit / 64] >> (bit % 64) & 1);
  return fired;
}

void Activations::make_block(std::int64_t block) {
  const Node& node = find(block, 0);
  std::copy_n(node.before, p_.size(), before_);
  make_masks(masks_);
  first_ = block * kBlock;
  at_ = 0;
  made_ = kBlock;
  spread_masks();
}

const Activations::Node& Activations::root(int epoch) {
  for (; epochs_known_ <= epoch; ++epochs_known_) {
    Node& node = roots_[at(epochs_known_)];
    node.first = first_block(epochs_known_);
    for (std::size_t e = 0; e < p_.size(); ++e) {
      if (epochs_known_ == 0) {
        node.before[e] = 0;
        node.total[e] = fired_in_first_block(e);
        continue;
      }
      const Node& last = roots_[at(epochs_known_ - 1)];
      node.before[e] = last.before[e] + last.total[e];
      PhiloxPlace place(key_, counter_of(kAtRoots, (at(epochs_known_) * p_.size() + e) << kCountersPerRoot));
      node.total[e] = sample_binomial(place, kBlock << root_level(epochs_known_), p_[e]);
    }
  }
  return roots_[at(epoch)];
}

const Activations::Node& Activations::find(std::int64_t block, std::int64_t until) {
  const std::size_t edges = p_.size();
  const int epoch = epoch_of(block);
  if (epoch != epoch_) {
    const Node& top = root(epoch);
    epoch_ = epoch;
    lowest_ = root_level(epoch);
    Node& copy = path_[at(lowest_)];
    copy.first = top.first;
    std::copy_n(top.before, edges, copy.before);
    std::copy_n(top.total, edges, copy.total);
  }
  const auto size = [](int level) { return std::int64_t{1} << level; };
  while (block < path_[at(lowest_)].first || block >= path_[at(lowest_)].first + size(lowest_)) ++lowest_;
  for (; lowest_ > 0; --lowest_) {
    const Node& node = path_[at(lowest_)];
    ++visits_;
    if ((node.first + size(lowest_)) * kBlock == until) break;
    Node& child = path_[at(lowest_ - 1)];
    const std::int64_t half = size(lowest_ - 1);
    const std::int64_t middle = node.first + half;
    const bool left = block < middle;
    child.first = left ? node.first : middle;
    for (std::size_t e = 0; e < edges; ++e) {
      std::int64_t in_left = half * kBlock;
      if (p_[e] < 1.0) {
        PhiloxPlace place(
            key_, counter_of(kAtNodes, (static_cast<std::uint64_t>(middle) * edges + e) << kCountersPerNode));
        in_left = split_marked(place, node.total[e], half * kBlock);
      }
      child.before[e] = left ? node.before[e] : node.before[e] + in_left;
      child.total[e] = left ? in_left : node.total[e] - in_left;
    }
  }
  return path_[at(lowest_)];
}

void Activations::look_at(std::int64_t n) {
  TASFG_EXPECT(can_jump() && n >= kBlock);
  there_n_ = n;
  const std::int64_t block = (n - 1) / kBlock;
  const Node& node = find(block, n);
  if ((node.first + (std::int64_t{1} << lowest_)) * kBlock == n) {
    for (std::size_t e = 0; e < p_.size(); ++e) there_[e] = node.before[e] + node.total[e];
    return;
  }
  ++visits_;
  make_masks(masks_there_);
  for (std::size_t e = 0; e < p_.size(); ++e)
    there_[e] = node.before[e] + fired_in_block(masks_there_ + e * kMask, n - block * kBlock);
}

std::int64_t Activations::fired_here(std::size_t e) const {
  TASFG_EXPECT(can_jump());
  if (first_ == 0) return fired_in_first_block(e);
  return before_[e] + fired_in_block(masks_ + e * kMask, at_);
}

void Activations::move_there() {
  first_ = there_n_ / kBlock * kBlock;
  at_ = there_n_ - first_;
  if (at_ == 0) {
    made_ = 0;
    std::copy_n(there_, p_.size(), before_);
    return;
  }
  // The look has made this block's masks.
  TASFG_EXPECT(lowest_ == 0 && path_[0].first * kBlock == first_);
  std::swap(masks_, masks_there_);
  std::copy_n(path_[0].before, p_.size(), before_);
  made_ = kBlock;
  spread_masks();
}

}  // namespace tasfg
