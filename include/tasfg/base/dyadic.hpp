/// How a long sequence of draws is divided, so that it can be entered anywhere: into blocks, and these into
/// epochs.
///
/// Blocks have a fixed number of draws. Blocks 0 and 1 are epochs by themselves; beyond, an epoch is the
/// blocks [2ᵏ, 2ᵏ⁺¹) and has a binary tree, whose leaves are blocks and whose nodes each stand for the blocks
/// below them. What is known of an epoch (a sum, a count) is split in two as often as it takes to know it of
/// a block. A node is named by the block at its middle, which no other node of any epoch has; no node has the
/// first block of an epoch at its middle, so that its number is free for the root.
#pragma once

#include <bit>
#include <cstdint>

namespace tasfg {

/// Of a run: no sequence is longer.
inline constexpr std::int64_t kMostDraws = 1'000'000'000'000'000;
inline constexpr int kLevels = 48;  // of a tree, at most: 2⁴⁸ blocks

/// The epoch that a block belongs to: blocks 0 and 1 are epochs 0 and 1, and epoch e ≥ 1 has 2ᵉ⁻¹ blocks,
/// from block 2ᵉ⁻¹ on.
[[nodiscard]] constexpr int epoch_of(std::int64_t block) {
  return std::bit_width(static_cast<std::uint64_t>(block));
}
[[nodiscard]] constexpr std::int64_t first_block(int epoch) {
  return epoch == 0 ? 0 : std::int64_t{1} << (epoch - 1);
}
/// The level of its root: the tree has 2^level blocks.
[[nodiscard]] constexpr int root_level(int epoch) {
  return epoch == 0 ? 0 : epoch - 1;
}

}  // namespace tasfg
