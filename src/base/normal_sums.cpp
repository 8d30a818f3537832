#include "tasfg/base/normal_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/samplers.hpp"

namespace tasfg {
namespace {

constexpr std::int64_t kBlock = NormalSums::kBlock;

// A block of normals takes two words each, four to a counter; where those do not settle a normal, it has
// counters of its own.
constexpr std::int64_t kWords = 2 * kBlock, kCountersPerBlock = kWords / 4;
constexpr int kCountersPerDraw = 4;  // log2, as for the normal of a node
// The first draws of a sequence are often the only ones: these few are made without the rest of their block.
constexpr std::int64_t kFew = 8;

constexpr std::size_t at(int level) {
  return static_cast<std::size_t>(level);
}

/// The first n normals of a block.
void make_normals(StreamKey first_words, StreamKey more_words, std::int64_t block, std::int64_t n,
                  double* z) {
  static_assert(kWords % kPhiloxWords == 0);
  std::array<std::uint32_t, kWords> words;
  for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(n); i += kPhiloxWords)
    philox_words(first_words, static_cast<std::uint64_t>(block * kCountersPerBlock) + i / 4,
                 words.data() + i);
  std::uint64_t open = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const detail::NormalCandidate candidate(static_cast<std::uint64_t>(words[2 * i + 1]) << 32 |
                                            words[2 * i]);
    z[i] = candidate.with_sign(candidate.x);
    open |= static_cast<std::uint64_t>(!candidate.inside()) << i;
  }
  for (; open != 0; open &= open - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(open));
    PhiloxPlace place(more_words, (static_cast<std::uint64_t>(block * kBlock) + i) << kCountersPerDraw);
    z[i] = detail::normal_outside(
        place, detail::NormalCandidate(static_cast<std::uint64_t>(words[2 * i + 1]) << 32 | words[2 * i]));
  }
}

double sum_of_all(const std::array<double, kBlock>& z) {
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < z.size(); i += sums.size())
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += z[i + k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double sum_of_first(const std::array<double, kBlock>& z, std::int64_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) sum += z[i];
  return sum;
}

}  // namespace

NormalSums::Node NormalSums::root(int epoch) {
  for (; epochs_known_ <= epoch; ++epochs_known_) {
    const std::int64_t first = first_block(epochs_known_);
    double total = 0.0;
    if (epochs_known_ < 2) {  // one block, as it comes
      std::array<double, kBlock> z;
      make_normals(in_blocks_, beside_, first, kBlock, z.data());
      total = sum_of_all(z);
    } else {
      // No node has the first block of a tree at its middle, so that its number is free for the root.
      PhiloxPlace place(at_nodes_, static_cast<std::uint64_t>(first) << kCountersPerDraw);
      total = std::sqrt(static_cast<double>(first * kBlock)) * sample_normal(place);
    }
    roots_[at(epochs_known_)] = {first, before_, total};
    before_ += total;
  }
  return roots_[at(epoch)];
}

NormalSums::Node NormalSums::find(std::int64_t block) {
  const int epoch = epoch_of(block);
  if (epoch != epoch_) {
    epoch_ = epoch;
    lowest_ = root_level(epoch);
    path_[at(lowest_)] = root(epoch);
  }
  const auto holds = [&](int level) {
    const std::int64_t first = path_[at(level)].first;
    return block >= first && block < first + (std::int64_t{1} << level);
  };
  while (!holds(lowest_)) ++lowest_;
  for (; lowest_ > 0; --lowest_) {
    const Node& node = path_[at(lowest_)];
    const std::int64_t half = std::int64_t{1} << (lowest_ - 1);
    const std::int64_t middle = node.first + half;
    PhiloxPlace place(at_nodes_, static_cast<std::uint64_t>(middle) << kCountersPerDraw);
    const double left =
        0.5 * node.total + std::sqrt(0.5 * static_cast<double>(half * kBlock)) * sample_normal(place);
    path_[at(lowest_ - 1)] = block < middle ? Node{node.first, node.before, left}
                                            : Node{middle, node.before + left, node.total - left};
  }
  return path_[0];
}

void NormalSums::enter(Place& place, std::int64_t i) {
  const std::int64_t block = i / kBlock;
  place.size = i < kFew ? kFew : kBlock;
  make_normals(in_blocks_, beside_, block, place.size, place.z.data());
  place.first = block * kBlock;
  place.before = 0.0;
  if (block > 0) {
    const Node node = find(block);
    place.before = node.before;
    if (block > 1) {
      const double shift = (node.total - sum_of_all(place.z)) * (1.0 / kBlock);
      for (double& z : place.z) z += shift;
    }
  }
  place.at = i - place.first;
  place.within = sum_of_first(place.z, place.at);
}

double NormalSums::sum_at(std::int64_t n) {
  TASFG_EXPECT(n >= 1);
  const std::int64_t block = (n - 1) / kBlock;
  if (here_.size == kBlock && here_.first == block * kBlock) {
    there_ = here_;
  } else {
    enter(there_, n - 1);
    if (there_.size < kBlock) enter(there_, kFew);
  }
  there_.at = n - there_.first;
  there_.within = sum_of_first(there_.z, there_.at);
  return there_.before + there_.within;
}

}  // namespace tasfg
