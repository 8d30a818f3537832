#include "tasfg/base/partial_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/samplers.hpp"
#include "tasfg/base/splits.hpp"
#include "tasfg/base/ziggurat_candidates.hpp"

namespace tasfg {

struct NormalLaw {
  using Candidate = detail::NormalCandidate;
  static std::uint64_t candidates(const std::uint32_t* words, std::size_t n, double* values) {
    return normal_candidates(words, n, values);
  }
  static double outside(PhiloxPlace& place, Candidate candidate) {
    return detail::normal_outside(place, candidate);
  }
  static double total(PhiloxPlace& place, double draws) { return std::sqrt(draws) * sample_normal(place); }
  static double first_half(PhiloxPlace& place, double total, double half) {
    return 0.5 * total + std::sqrt(0.5 * half) * sample_normal(place);
  }
  static void fit(std::array<double, NormalSums::kBlock>& x, double sum, double total) {
    const double shift = (total - sum) * (1.0 / static_cast<double>(x.size()));
    for (double& each : x) each += shift;
  }
};

struct ExponentialLaw {
  using Candidate = detail::ExponentialCandidate;
  static std::uint64_t candidates(const std::uint32_t* words, std::size_t n, double* values) {
    return exponential_candidates(words, n, values);
  }
  static double outside(PhiloxPlace& place, Candidate candidate) {
    return detail::exponential_outside(place, candidate);
  }
  static double total(PhiloxPlace& place, double draws) { return sample_gamma(place, draws); }
  static double first_half(PhiloxPlace& place, double total, double half) {
    return 0.5 * total + total * sample_centred_beta(place, half);
  }
  static void fit(std::array<double, ExponentialSums::kBlock>& x, double sum, double total) {
    const double factor = total / sum;
    for (double& each : x) each *= factor;
  }
};

namespace {

constexpr std::int64_t kBlock = NormalSums::kBlock;

// Counters of the key: the words of blocks, two for each draw; more words where these do not settle one; and
// those of nodes and roots.
enum Purpose : std::uint64_t { kInBlocks, kBeside, kAtNodes };
constexpr std::uint64_t counter_of(Purpose purpose, std::int64_t place) {
  return purpose << 61 | static_cast<std::uint64_t>(place);
}
constexpr std::int64_t kWords = 2 * kBlock, kCountersPerBlock = kWords / 4;
constexpr std::int64_t kCounters = 16;  // of a draw's further words, of a node

constexpr std::size_t at(int level) {
  return static_cast<std::size_t>(level);
}

/// The first n draws of a block, as they come.
template <typename Law>
void make_draws(StreamKey key, std::int64_t block, std::int64_t n, double* x) {
  static_assert(kWords % kPhiloxWords == 0 && kBlock % 64 == 0);
  std::array<std::uint32_t, kWords> words;
  const auto made = static_cast<std::size_t>(n);
  philox_words(key, counter_of(kInBlocks, block * kCountersPerBlock), words.data(),
               (2 * made + kPhiloxWords - 1) / kPhiloxWords);
  // In order, so that those of the first draws are the same without the rest.
  PhiloxPlace place(key, counter_of(kBeside, block * kBlock * kCounters));
  for (std::size_t from = 0; from < made; from += 64) {
    std::uint64_t open =
        Law::candidates(words.data() + 2 * from, std::min<std::size_t>(64, made - from), x + from);
    for (; open != 0; open &= open - 1) {
      const std::size_t i = from + static_cast<std::size_t>(std::countr_zero(open));
      const std::uint64_t word = static_cast<std::uint64_t>(words[2 * i + 1]) << 32 | words[2 * i];
      x[i] = Law::outside(place, typename Law::Candidate(word));
    }
  }
}

double sum_of_all(const std::array<double, kBlock>& x) {
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < x.size(); i += sums.size())
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += x[i + k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double sum_of_first(const std::array<double, kBlock>& x, std::int64_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) sum += x[i];
  return sum;
}

}  // namespace

template <typename Law>
typename PartialSums<Law>::Node PartialSums<Law>::root(int epoch) {
  for (; epochs_known_ <= epoch; ++epochs_known_) {
    const std::int64_t first = first_block(epochs_known_);
    double total = 0.0;
    if (epochs_known_ < 2) {  // one block, as it comes
      std::array<double, kBlock> x;
      make_draws<Law>(key_, first, kBlock, x.data());
      total = sum_of_all(x);
    } else {
      // No node has the first block of a tree at its middle, so that its number is free for the root.
      PhiloxPlace place(key_, counter_of(kAtNodes, first * kCounters));
      total = Law::total(place, static_cast<double>(first * kBlock));
    }
    roots_[at(epochs_known_)] = {first, before_, total};
    before_ += total;
  }
  return roots_[at(epoch)];
}

template <typename Law>
typename PartialSums<Law>::Node PartialSums<Law>::find(std::int64_t block) {
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
  visits_ += lowest_ + 1;
  for (; lowest_ > 0; --lowest_) {
    const Node& node = path_[at(lowest_)];
    const std::int64_t half = std::int64_t{1} << (lowest_ - 1);
    const std::int64_t middle = node.first + half;
    PhiloxPlace place(key_, counter_of(kAtNodes, middle * kCounters));
    const double left = Law::first_half(place, node.total, static_cast<double>(half * kBlock));
    path_[at(lowest_ - 1)] = block < middle ? Node{node.first, node.before, left}
                                            : Node{middle, node.before + left, node.total - left};
  }
  return path_[0];
}

template <typename Law>
void PartialSums<Law>::enter(Place& place, std::int64_t i, std::int64_t size) {
  const std::int64_t block = i / kBlock;
  place.size = size;
  make_draws<Law>(key_, block, place.size, place.x.data());
  place.first = block * kBlock;
  place.before = 0.0;
  if (block > 0) {
    const Node node = find(block);
    place.before = node.before;
    if (block > 1) Law::fit(place.x, sum_of_all(place.x), node.total);
  }
  place.at = i - place.first;
  place.within = sum_of_first(place.x, place.at);
}

template <typename Law>
double PartialSums<Law>::sum_at(std::int64_t n) {
  TASFG_EXPECT(n >= 1);
  const std::int64_t block = (n - 1) / kBlock;
  if (here_.size == kBlock && here_.first == block * kBlock) {
    there_ = here_;
    there_.at = n - there_.first;
    there_.within = sum_of_first(there_.x, there_.at);
  } else {
    enter(there_, n - 1, kBlock);
    there_.within += there_.x[static_cast<std::size_t>(there_.at++)];
  }
  return there_.before + there_.within;
}

template <typename Law>
typename PartialSums<Law>::Range PartialSums<Law>::walk(std::int64_t n) {
  TASFG_EXPECT(n >= 1 && n <= here_.size - here_.at);
  const double* x = here_.x.data() + here_.at;
  double within = here_.within + x[0], least = within, most = within;
  for (std::int64_t i = 1; i < n; ++i) {
    within += x[i];
    least = within < least ? within : least;
    most = within > most ? within : most;
  }
  walked_ = {here_.at + n, within};
  return {here_.before + least, here_.before + most};  // rounding is monotone
}

template class PartialSums<NormalLaw>;
template class PartialSums<ExponentialLaw>;

}  // namespace tasfg
