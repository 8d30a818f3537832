/// How a total falls into two halves: exact draws that let a long sequence be entered in the middle.
///
/// Of 2m places, k are marked. How many marks lie in the first m is hypergeometric where the places are
/// given, and binomial (fair) where each mark chooses its half by itself, which is the same with m infinite.
/// Both laws are symmetric around k/2, and a normal density lies above them:
///
///   P(k/2 + d) / P(mode) = Π (1 − y)/(1 + y),  y = (j − ½)/(a + ½), and the same with b,   a = k/2, b = m −
///   k/2,
///
/// the product over the steps j from the mode to d, and ln((1 + y)/(1 − y)) ≥ 2y, so that the ratio is at
/// most exp(−c (d² − d₀²)), c = 1/(a + ½) + 1/(b + ½), with d₀ = 0 or ½ at the mode. A rounded normal of
/// slightly larger variance is accepted with the quotient of the two. The draws use IEEE arithmetic and
/// tasfg::log alone: the same bits on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"
#include "tasfg/base/samplers.hpp"

namespace tasfg {

/// Uniform on {0, …, n − 1}: D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1),
/// 2019.
template <typename Stream>
[[nodiscard]] std::uint64_t sample_below(Stream& stream, std::uint64_t n) {
  TASFG_EXPECT(n > 0);
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(stream.bits()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t least = (0 - n) % n;  // 2⁶⁴ mod n
    while (static_cast<std::uint64_t>(product) < least) product = static_cast<Wide>(stream.bits()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

namespace detail {

/// What one pair of factorials adds to ln(P(mode)/P(k/2 + d)): the steps of ln((a + d)! (a − d)!), for a and
/// d that are both whole or both halves.
struct HalfSteps {
  double a;  // +∞: no steps

  /// c's part: 1/(a + ½).
  [[nodiscard]] double rate() const { return 1.0 / (a + 0.5); }
  /// At most this much beyond d²·rate(): ln((1 + y)/(1 − y)) ≤ 2y + ⅔ y³/(1 − y²), and Σ(j − ½)³ ≤ d⁴/4.
  [[nodiscard]] double excess(double d) const {
    const double r = rate();
    const double y = d * r;  // a little more than the largest y
    if (y >= 1.0) return kInfinity;
    return d * d * (d * d) * (r * r * r) / (6.0 * (1.0 - y * y));
  }
  /// Σ ln((1 + y)/(1 − y)) over the steps from d₀ to d > d₀; +∞ where d is out of reach.
  [[nodiscard]] double sum(double d, double d0) const {
    if (std::isinf(a)) return 0.0;
    if (d > a) return kInfinity;
    constexpr double kFew = 512.0;
    if (d - d0 <= kFew) {
      double total = 0.0, product = 1.0;
      const auto steps = static_cast<int>(d - d0);
      for (int i = 1; i <= steps; ++i) {
        const double j = d0 + i;
        product *= (a + j) / (a - j + 1.0);
        if (product > 0x1p400) {
          total += log(product);
          product = 1.0;
        }
      }
      return total + log(product);
    }
    return stirling(d) - stirling(d0);
  }

 private:
  /// ln((a + d)! (a − d)!) up to what does not depend on d, by Stirling's series; a − d ≥ 1.
  [[nodiscard]] double stirling(double d) const {
    const double y = d / a;
    const double more = log_gap(y), less = log_gap(-y);  // y − ln(1 + y), −y − ln(1 − y)
    return d * (2.0 * y - more + less) - (a + 0.5) * (more + less) + stirling_error(a + d) +
           stirling_error(a - d);
  }
};

/// Rejection from a normal: for k > 16, where the hat is close (at least 0.7 of the candidates are taken).
template <typename Stream>
std::int64_t split_by_rejection(Stream& stream, std::int64_t k, HalfSteps near, HalfSteps far) {
  const double rate = near.rate() + far.rate();
  const double d0 = (k & 1) != 0 ? 0.5 : 0.0;
  // The hat exp(−hat·x²)·M, with |x − d| ≤ ½: ln M is the largest −c (d² − d₀²) + hat·(|d| + ½)².
  const double hat = rate * (1.0 - 0.5 * std::sqrt(rate));
  const double log_M = rate * d0 * d0 + 0.25 * hat + hat * hat / (4.0 * (rate - hat));
  const double deviation = std::sqrt(0.5 / hat);
  constexpr double kMargin = 1e-12;  // on the rounding of both bounds
  for (;;) {
    const double z = sample_normal(stream);
    const double x = deviation * z;
    const double d = d0 == 0.0 ? std::floor(x + 0.5) : std::floor(x) + 0.5;
    const double size = d < 0.0 ? -d : d;
    const double room = sample_exponential(stream) + 0.5 * z * z - log_M;
    const double least = rate * (size * size - d0 * d0);
    const double margin = kMargin * (1.0 + least);
    if (room < least - margin) continue;
    if (room > least + margin + near.excess(size) + far.excess(size) ||
        room >= near.sum(size, d0) + far.sum(size, d0))
      return static_cast<std::int64_t>(0.5 * static_cast<double>(k) + d);
  }
}

inline constexpr std::int64_t kFewMarks = 16;

}  // namespace detail

/// Heads of n ≤ 2⁵⁰ tosses of a fair coin.
template <typename Stream>
[[nodiscard]] std::int64_t sample_fair_binomial(Stream& stream, std::int64_t n) {
  TASFG_EXPECT(n >= 0 && n <= std::int64_t{1} << 50);
  constexpr std::int64_t kWord = 64;
  if (n <= 2 * kWord) {
    std::int64_t heads = 0;
    for (; n > 0; n -= kWord) {
      const std::uint64_t tosses = stream.bits();
      heads += std::popcount(n >= kWord ? tosses : tosses >> (kWord - n));
    }
    return heads;
  }
  return detail::split_by_rejection(stream, n, {0.5 * static_cast<double>(n)}, {kInfinity});
}

/// Successes of n ≤ 2⁵⁰ trials with probability p, for every double p in [0, 1]. A trial succeeds where a
/// uniform number is less than p: bit by bit of p, those that agree with it so far go on to the next bit, and
/// half of them are decided.
template <typename Stream>
[[nodiscard]] std::int64_t sample_binomial(Stream& stream, std::int64_t n, double p) {
  TASFG_EXPECT(p >= 0.0 && p <= 1.0);
  if (p == 1.0) return n;
  std::int64_t successes = 0;
  while (n > 0 && p > 0.0) {
    p *= 2.0;  // exact, and so is p − 1
    const std::int64_t zeros = sample_fair_binomial(stream, n);
    if (p >= 1.0) {
      successes += zeros;
      n -= zeros;
      p -= 1.0;
    } else {
      n = zeros;
    }
  }
  return successes;
}

/// Of 2·half places, half ≤ 2⁴⁹, `marked` random ones are marked: how many of the first `half` are.
template <typename Stream>
[[nodiscard]] std::int64_t split_marked(Stream& stream, std::int64_t marked, std::int64_t half) {
  TASFG_EXPECT(half > 0 && half <= std::int64_t{1} << 49 && marked >= 0 && marked <= 2 * half);
  if (marked > half) return half - split_marked(stream, 2 * half - marked, half);
  if (marked <= detail::kFewMarks) {
    std::int64_t first = 0;
    for (std::int64_t placed = 0; placed < marked; ++placed)
      first += sample_below(stream, static_cast<std::uint64_t>(2 * half - placed)) <
                       static_cast<std::uint64_t>(half - first)
                   ? 1
                   : 0;
    return first;
  }
  const double a = 0.5 * static_cast<double>(marked);
  return detail::split_by_rejection(stream, marked, {a}, {static_cast<double>(half) - a});
}

/// B − ½, B of the beta law with both parameters a ≥ 1: the share of the first a of 2a exponentials in their
/// sum, less one half. The density is (1 − 4y²)^(a−1) ≤ exp(−4(a−1)y²): a normal is accepted with the
/// quotient.
template <typename Stream>
[[nodiscard]] double sample_centred_beta(Stream& stream, double a) {
  TASFG_EXPECT(a >= 1.0);
  if (a == 1.0) return stream.uniform() - 0.5;
  const double deviation = std::sqrt(0.125 / (a - 1.0));
  for (;;) {
    const double y = deviation * sample_normal(stream);
    const double room = sample_exponential(stream);
    if (4.0 * y * y < 1.0 && room >= (a - 1.0) * log_gap(-4.0 * y * y)) return y;
  }
}

/// The sum of `shape` ≥ 1 exponentials of mean 1: G. Marsaglia and W. W. Tsang, "A simple method for
/// generating gamma variables", ACM TOMS 26(3), 2000, without its squeeze. Its test d(1 − v + ln v) is
/// written as −d·log_gap(v − 1), from which nothing cancels.
template <typename Stream>
[[nodiscard]] double sample_gamma(Stream& stream, double shape) {
  TASFG_EXPECT(shape >= 1.0);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double z = sample_normal(stream);
    const double room = sample_exponential(stream);
    const double x = c * z;
    if (x <= -1.0) continue;
    const double more = x * (3.0 + x * (3.0 + x));  // (1 + x)³ − 1
    if (room >= d * log_gap(more) - 0.5 * z * z) return d + d * more;
  }
}

/// A uniformly random set of `size` of the 64·2^k places of `words`, by bits: a set whose places belong to it
/// independently with probability near size/places (a word for each of its binary digits says which), to
/// which random places are added, or from which random ones are taken, until the size fits. Given its size
/// such a set is uniform, and so is what it becomes.
template <typename Stream>
void sample_subset(Stream& stream, std::int64_t size, std::span<std::uint64_t> words) {
  const auto places = static_cast<std::int64_t>(64 * words.size());
  TASFG_EXPECT(std::has_single_bit(words.size()) && size >= 0 && size <= places);
  if (size == 0 || size == places) {
    std::fill(words.begin(), words.end(), size == 0 ? 0 : ~std::uint64_t{0});
    return;
  }
  const int digits = std::countr_zero(static_cast<std::uint64_t>(places));
  constexpr int kDigits = 6;  // more would save fewer changes than they cost
  const int lowest = std::max(std::countr_zero(static_cast<std::uint64_t>(size)), digits - kDigits);
  std::int64_t excess = -size;
  for (std::uint64_t& word : words) {
    word = 0;
    for (int digit = lowest; digit < digits; ++digit)
      word = (size >> digit & 1) != 0 ? word | stream.bits() : word & stream.bits();
    excess += std::popcount(word);
  }
  // Random places, until enough of them could be changed; without a branch on each, which nothing could
  // predict.
  const std::uint64_t fixed = excess > 0 ? 0 : ~std::uint64_t{0};
  const std::uint64_t last = words.size() - 1;
  for (excess = excess < 0 ? -excess : excess; excess > 0;) {
    std::uint64_t left = stream.bits();
    for (int tries = 64 / digits; tries > 0 && excess > 0; --tries, left >>= digits) {
      std::uint64_t& word = words[left >> 6 & last];
      const std::uint64_t change = (word ^ fixed) & std::uint64_t{1} << (left & 63);
      word ^= change;
      excess -= change != 0 ? 1 : 0;
    }
  }
}

}  // namespace tasfg
