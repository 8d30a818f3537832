#include "tasfg/base/activations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/base/splits.hpp"

namespace tasfg {
namespace {

constexpr std::int64_t kBlock = Activations::kBlock;
constexpr std::size_t kMask = kBlock / 64;  // words of an edge's pulls in a block
// Counters of a stream that belong to a block, a root, a node's edge or a tie; what a draw takes varies, by
// rejection.
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
void spread_all(const std::vector<std::uint64_t>& masks, std::vector<std::uint64_t>& fired) {
  constexpr std::size_t kPulls = 64 / stride;  // of a word
  for (std::size_t e = 0; e * kMask < masks.size(); ++e)
    for (std::size_t w = 0; w < fired.size(); ++w)
      fired[w] |= spread<stride>(masks[e * kMask + w * kPulls / 64] >> (w * kPulls % 64)) << e;
}

}  // namespace

Activations::Activations(StreamKey key, std::span<const double> probabilities)
    : first_block_(stream_key(key.value, 0)),
      ties_(stream_key(key.value, 1)),
      in_blocks_(stream_key(key.value, 2)),
      at_nodes_(stream_key(key.value, 3)),
      at_roots_(stream_key(key.value, 4)),
      p_(probabilities.begin(), probabilities.end()),
      least_((p_.size() + 7) / 8),
      stride_(p_.size() > 32 ? 64 : std::bit_ceil(std::max<std::size_t>(p_.size(), 1))),
      words_((p_.size() + 63) / 64) {
  for (std::size_t e = 0; e < p_.size(); ++e)
    least_[e / 8] |= static_cast<std::uint64_t>(std::min(256.0 * p_[e], 255.0)) << (8 * (e % 8));
}

void Activations::make_more() {
  if (fired_.empty()) {
    fired_.resize(at(kBlock) * (stride_ == 64 ? words_ * 64 : stride_) / 64);
    before_.resize(p_.size());
    there_.resize(p_.size());
  }
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
        philox_words(first_block_, counter, words.data());
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
        PhiloxPlace place(ties_, (at(made_) * edges + tie) << kCountersPerNode);
        const double scaled = 256.0 * p_[tie];
        if (BernoulliSampler(p_[tie] < 1.0 ? scaled - std::floor(scaled) : 1.0)(place)) fires |= tied & -tied;
      }
      const std::size_t bit = (stride_ == 64 ? 64 * words_ : stride_) * at(made_) + e;
      fired_[bit / 64] |= fires << (bit % 64);
    }
}

void Activations::make_masks(std::int64_t block) {
  masks_.resize(p_.size() * kMask);
  PhiloxStream stream(in_blocks_, static_cast<std::uint64_t>(block) << kCountersPerBlock);
  for (std::size_t e = 0; e < p_.size(); ++e) {
    const std::span<std::uint64_t> mask(masks_.data() + e * kMask, kMask);
    sample_subset(stream, block == 1 ? roots_[1].total[e] : path_[0].total[e], mask);
  }
}

void Activations::spread_masks() {
  std::fill(fired_.begin(), fired_.end(), 0);
  if (stride_ == 64) {
    for (std::size_t e = 0; e < p_.size(); ++e)
      for (std::size_t w = 0; w < kMask; ++w)
        for (std::uint64_t left = masks_[e * kMask + w]; left != 0; left &= left - 1)
          fired_[(64 * w + at(std::countr_zero(left))) * words_ + e / 64] |= std::uint64_t{1} << (e % 64);
    return;
  }
  switch (stride_) {
    case 1:
      return spread_all<1>(masks_, fired_);
    case 2:
      return spread_all<2>(masks_, fired_);
    case 4:
      return spread_all<4>(masks_, fired_);
    case 8:
      return spread_all<8>(masks_, fired_);
    case 16:
      return spread_all<16>(masks_, fired_);
    default:
      return spread_all<32>(masks_, fired_);
  }
}

std::int64_t Activations::fired_in_first_block(std::size_t e) const {
  TASFG_EXPECT(first_ == 0 && made_ == kBlock);
  std::int64_t fired = 0;
  for (std::size_t bit = e; bit < 64 * fired_.size(); bit += stride_ == 64 ? 64 * words_ : stride_)
    fired += static_cast<std::int64_t>(fired_[bit / 64] >> (bit % 64) & 1);
  return fired;
}

std::int64_t Activations::fired_in_block(std::size_t e, std::int64_t n) const {
  const std::uint64_t* mask = masks_.data() + e * kMask;
  std::int64_t fired = 0;
  for (; n >= 64; n -= 64) fired += std::popcount(*mask++);
  return n > 0 ? fired + std::popcount(*mask & lowest_bits(at(n))) : fired;
}

void Activations::make_block(std::int64_t block) {
  before_ = find(block, 0).before;
  make_masks(block);
  first_ = block * kBlock;
  at_ = 0;
  made_ = kBlock;
  spread_masks();
}

const Activations::Node& Activations::root(int epoch) {
  while (static_cast<int>(roots_.size()) <= epoch) {
    const auto e = static_cast<int>(roots_.size());
    Node node{first_block(e), std::vector<std::int64_t>(p_.size()), std::vector<std::int64_t>(p_.size())};
    for (std::size_t i = 0; e == 0 && i < p_.size(); ++i) node.total[i] = fired_in_first_block(i);
    for (std::size_t i = 0; e > 0 && i < p_.size(); ++i) {
      node.before[i] = roots_.back().before[i] + roots_.back().total[i];
      PhiloxPlace place(at_roots_, (at(e) * p_.size() + i) << kCountersPerRoot);
      node.total[i] = sample_binomial(place, kBlock << root_level(e), p_[i]);
    }
    roots_.push_back(std::move(node));
  }
  return roots_[at(epoch)];
}

const Activations::Node& Activations::find(std::int64_t block, std::int64_t until) {
  const int epoch = epoch_of(block);
  if (epoch != epoch_) {
    const Node& top = root(epoch);
    epoch_ = epoch;
    lowest_ = root_level(epoch);
    if (path_.size() <= at(lowest_)) path_.resize(at(lowest_) + 1);
    path_[at(lowest_)] = top;
  }
  const auto size = [](int level) { return std::int64_t{1} << level; };
  while (block < path_[at(lowest_)].first || block >= path_[at(lowest_)].first + size(lowest_)) ++lowest_;
  for (; lowest_ > 0; --lowest_) {
    const Node& node = path_[at(lowest_)];
    if ((node.first + size(lowest_)) * kBlock == until) break;
    Node& child = path_[at(lowest_ - 1)];
    const std::int64_t half = size(lowest_ - 1);
    const std::int64_t middle = node.first + half;
    const bool left = block < middle;
    child.first = left ? node.first : middle;
    child.before.resize(p_.size());
    child.total.resize(p_.size());
    for (std::size_t e = 0; e < p_.size(); ++e) {
      std::int64_t in_left = half * kBlock;
      if (p_[e] < 1.0) {
        PhiloxPlace place(at_nodes_, (static_cast<std::uint64_t>(middle) * p_.size() + e)
                                         << kCountersPerNode);
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
  std::vector<std::uint64_t> here;
  std::swap(here, masks_);
  make_masks(block);
  for (std::size_t e = 0; e < p_.size(); ++e)
    there_[e] = node.before[e] + fired_in_block(e, n - block * kBlock);
  std::swap(here, masks_);
}

std::int64_t Activations::fired_here(std::size_t e) const {
  TASFG_EXPECT(can_jump());
  if (first_ == 0) return fired_in_first_block(e);
  return before_[e] + (at_ > 0 ? fired_in_block(e, at_) : 0);
}

void Activations::move_there() {
  first_ = there_n_;
  at_ = made_ = 0;
  before_ = there_;
  if (there_n_ % kBlock == 0) return;
  const std::int64_t pull = there_n_ % kBlock;
  make_block(there_n_ / kBlock);
  at_ = pull;
}

}  // namespace tasfg
