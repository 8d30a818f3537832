/// Normal, exponential, Bernoulli and Poisson draws that are the same bits on every machine.
///
/// The standard library's distributions differ between implementations, and the C library's log and exp
/// between CPUs. These need a stream with `bits()` (64 random bits) and `uniform()` (53 of them on [0, 1)),
/// IEEE arithmetic and tasfg::log / exp alone. Each is exact: rejection, never an approximation of the law
/// beyond the rounding of a double. A draw takes one word, or a few; which draw comes next in a stream
/// therefore depends on those before it.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tasfg/base/contract.hpp"
#include "tasfg/base/elementary.hpp"

namespace tasfg {

namespace detail {

inline constexpr std::size_t kZigguratLayers = 256;

/// Layers of equal area under a decreasing density f with f(0) = 1. Layer i ≥ 1 spans [0, edge[i]] and
/// heights [height[i], height[i + 1]]. Layer 0 is the strip below height[1] with the tail beyond edge[1];
/// its edge[0] is the width that the strip would have as a rectangle.
struct ZigguratTable {
  std::array<double, kZigguratLayers + 1> edge{};
  std::array<double, kZigguratLayers + 1> height{};
};

/// `tail_edge` and `area` are such that the last layer ends at height 1; to more digits than a double has:
/// normal 3.65415288536100877165, 0.00492867323397465534736; exponential 7.69711747013104971404,
/// 0.00394965982258155721998.
template <typename Density, typename Inverse>
constexpr ZigguratTable make_ziggurat(double tail_edge, double area, Density density, Inverse inverse) {
  ZigguratTable table;
  table.edge[0] = area / density(tail_edge);
  table.edge[1] = tail_edge;
  table.height[1] = density(tail_edge);
  for (std::size_t i = 2; i < kZigguratLayers; ++i) {
    table.height[i] = table.height[i - 1] + area / table.edge[i - 1];
    table.edge[i] = inverse(table.height[i]);
  }
  table.height[kZigguratLayers] = 1.0;
  return table;
}

/// √x for x in (0, 100) by Newton's method: std::sqrt is not constexpr, and the tables need no last bit.
constexpr double constexpr_sqrt(double x) {
  double root = 10.0;
  for (int i = 0; i < 20; ++i) root = 0.5 * (root + x / root);
  return root;
}

inline constexpr double kNormalTailEdge = 0x1.d3bb48209ad33p+1;
inline constexpr double kExponentialTailEdge = 0x1.ec9d9297ebb83p+2;

inline constexpr ZigguratTable kNormalZiggurat = make_ziggurat(
    kNormalTailEdge, 0x1.43016a5a43732p-8, [](double x) { return exp(-0.5 * x * x); },
    [](double y) { return constexpr_sqrt(-2.0 * log(y)); });

inline constexpr ZigguratTable kExponentialZiggurat = make_ziggurat(
    kExponentialTailEdge, 0x1.02d84bc4b0285p-8, [](double x) { return exp(-x); },
    [](double y) { return -log(y); });

/// Uniform on (0, 1]: what a logarithm can take.
template <typename Stream>
double positive_uniform(Stream& stream) {
  return static_cast<double>((stream.bits() >> 11) + 1) * 0x1p-53;
}

/// Normal given that it exceeds the last edge: G. Marsaglia, Technometrics 6(1), 1964.
template <typename Stream>
[[gnu::noinline]] double normal_tail(Stream& stream) {
  for (;;) {
    const double x = -log(positive_uniform(stream)) / kNormalTailEdge;
    const double y = -log(positive_uniform(stream));
    if (2.0 * y >= x * x) return kNormalTailEdge + x;
  }
}

/// Whether a point of layer `layer` at abscissa x, at a random height, lies below the density's value.
template <typename Stream>
[[gnu::noinline]] bool below_density(Stream& stream, const ZigguratTable& table, std::size_t layer,
                                     double density) {
  const double low = table.height[layer];
  return low + (table.height[layer + 1] - low) * stream.uniform() < density;
}

/// log k! − (k + ½)·log k + k − ½·log 2π for k ≥ 1.
inline double stirling_error(double k) {
  // The series' first omitted term is below 1e-16 from 16 on; below, exact values.
  static constexpr std::array<double, 16> kSmall = {0.0,
                                                    0x1.4c071bcda0a5bp-4,
                                                    0x1.52a9b923ea649p-5,
                                                    0x1.c579a268d80b3p-6,
                                                    0x1.54a2662fd78a9p-6,
                                                    0x1.10b4e513fcbedp-6,
                                                    0x1.c6b167bebdf36p-7,
                                                    0x1.85d4d612e4a86p-7,
                                                    0x1.552805e7b3076p-7,
                                                    0x1.2f4871b12ab64p-7,
                                                    0x1.10f9d4c0743a7p-7,
                                                    0x1.f0593088014f8p-8,
                                                    0x1.c7018733aa9c6p-8,
                                                    0x1.a40514700f36cp-8,
                                                    0x1.86076c002d4a7p-8,
                                                    0x1.6c08f6f194a10p-8};
  if (k < 16.0) return kSmall[static_cast<std::size_t>(k)];
  const double r = 1.0 / (k * k);
  return (1.0 / 12 -
          r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * (691.0 / 360360)))))) /
         k;
}

/// log P(X = k) of a Poisson variable = −k·log_gap(mean/k − 1) − ½·log(2πk) − stirling_error(k), C. Loader's
/// saddle-point form ("Fast and accurate computation of binomial probabilities", 2000): nothing cancels,
/// however large the mean.
inline double poisson_log_probability(double k, double mean) {
  if (k == 0.0) return -mean;
  constexpr double kTwoPi = 0x1.921fb54442d18p+2;
  return -k * log_gap((mean - k) / k) - 0.5 * log(kTwoPi * k) - stirling_error(k);
}

/// The hat of PTRS: W. Hörmann, "The transformed rejection method for generating Poisson random variables",
/// Insurance: Mathematics and Economics 12(1), 1993. A uniform u on (−½, ½) becomes the count ⌊position(u)⌋,
/// accepted with probability P(X = ⌊position(u)⌋)·slope(u)/inverse_alpha.
///
/// As published, that "probability" reaches 1.006 for some means below 1000, and its lower bound (squeeze) is
/// too high by 0.004 for others: a law wrong by half a percent in places. Here the hat is 1 % higher and the
/// squeeze 0.01 lower, which tests/unit/base/samplers_test.cpp checks to be enough.
struct PoissonHat {
  explicit PoissonHat(double mean)
      : centre(mean + 0.43), b(0.931 + 2.53 * std::sqrt(mean)), a(-0.059 + 0.02483 * b) {
    constexpr double kHigher = 1.01;
    constexpr double kLower = 0.01;
    inverse_alpha = kHigher * (1.1239 + 1.1328 / (b - 3.4));
    squeeze = (0.9277 - 3.6224 / (b - 2.0)) / kHigher - kLower;
  }
  /// `edge` = ½ − |u|.
  [[nodiscard]] double position(double u, double edge) const { return (2.0 * a / edge + b) * u + centre; }
  [[nodiscard]] double slope(double edge) const { return a / (edge * edge) + b; }

  /// From this edge on, `squeeze` bounds the acceptance probability from below.
  static constexpr double kSqueezeEdge = 0.07;
  /// Below this one, the edge bounds it from above.
  static constexpr double kRejectEdge = 0.013;

  double centre;
  double b;
  double a;
  double inverse_alpha;
  double squeeze;
};

}  // namespace detail

namespace detail {

/// A word's part in a ziggurat draw: separate bits for layer, sign and abscissa (J. A. Doornik, "An improved
/// ziggurat method", 2005: shared bits leave a correlation that tests find).
struct NormalCandidate {
  explicit NormalCandidate(std::uint64_t word)
      : layer(word & 0xff),
        sign((word & 0x100) << 55),
        x(static_cast<double>(static_cast<std::int64_t>(word >> 11)) * 0x1p-53 *
          kNormalZiggurat.edge[layer]) {}
  [[nodiscard]] bool inside() const { return x < kNormalZiggurat.edge[layer + 1]; }
  [[nodiscard]] double value() const { return with_sign(x); }
  [[nodiscard]] double with_sign(double value) const {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | sign);
  }
  std::size_t layer;
  std::uint64_t sign;
  double x;
};

/// What becomes of a candidate outside its layer's rectangle.
template <typename Stream>
[[gnu::noinline]] double normal_outside(Stream& stream, NormalCandidate candidate) {
  while (!candidate.inside()) {
    const auto& [layer, sign, x] = candidate;
    if (layer == 0) return candidate.with_sign(normal_tail(stream));
    if (below_density(stream, kNormalZiggurat, layer, exp(-0.5 * x * x))) break;
    candidate = NormalCandidate(stream.bits());
  }
  return candidate.value();
}

/// The same for exponentials.
struct ExponentialCandidate {
  explicit ExponentialCandidate(std::uint64_t word)
      : layer(word & 0xff),
        x(static_cast<double>(static_cast<std::int64_t>(word >> 11)) * 0x1p-53 *
          kExponentialZiggurat.edge[layer]) {}
  [[nodiscard]] bool inside() const { return x < kExponentialZiggurat.edge[layer + 1]; }
  [[nodiscard]] double value() const { return x; }
  std::size_t layer;
  double x;
};

/// The tail is the same law again, shifted.
template <typename Stream>
[[gnu::noinline]] double exponential_outside(Stream& stream, ExponentialCandidate candidate) {
  double shift = 0.0;
  while (!candidate.inside()) {
    const auto& [layer, x] = candidate;
    if (layer == 0)
      shift += kExponentialTailEdge;
    else if (below_density(stream, kExponentialZiggurat, layer, exp(-x)))
      break;
    candidate = ExponentialCandidate(stream.bits());
  }
  return shift + candidate.x;
}

}  // namespace detail

/// Standard normal: the ziggurat of G. Marsaglia and W. W. Tsang, J. Stat. Software 5(8), 2000. One word
/// suffices in 98.8 % of the draws.
template <typename Stream>
[[gnu::always_inline]] inline double sample_normal(Stream& stream) {
  const detail::NormalCandidate candidate(stream.bits());
  if (candidate.inside()) [[likely]]
    return candidate.value();
  return detail::normal_outside(stream, candidate);
}

/// Exponential of mean 1, by the ziggurat.
template <typename Stream>
double sample_exponential(Stream& stream) {
  const detail::ExponentialCandidate candidate(stream.bits());
  if (candidate.inside()) [[likely]]
    return candidate.x;
  return detail::exponential_outside(stream, candidate);
}

/// True with probability exactly p, for every double p in [0, 1]. One word a draw also for p = 0 and 1, so
/// that the draws of a stream stay aligned whatever the probabilities; in 2⁻⁶⁴ of the draws a second one.
class BernoulliSampler {
 public:
  explicit BernoulliSampler(double p) {
    TASFG_EXPECT(p >= 0.0 && p <= 1.0);
    // p·2⁶⁴ = threshold + fraction; at p = 1 the threshold is the greatest word and the fraction 1.
    const double scaled = p * 0x1p64;
    if (scaled < 0x1p64) {
      threshold_ = static_cast<std::uint64_t>(scaled);
      fraction_ = scaled - static_cast<double>(threshold_);
    } else {
      threshold_ = ~std::uint64_t{0};
      fraction_ = 1.0;
    }
  }

  template <typename Stream>
  bool operator()(Stream& stream) const {
    const std::uint64_t word = stream.bits();
    if (word != threshold_) [[likely]]
      return word < threshold_;
    return tie(stream);
  }

 private:
  template <typename Stream>
  [[gnu::noinline]] bool tie(Stream& stream) const {
    if (fraction_ <= 0.0) return false;
    if (fraction_ >= 1.0) return true;
    return BernoulliSampler(fraction_)(stream);  // fraction_ has fewer bits than p: this ends
  }

  std::uint64_t threshold_ = 0;
  double fraction_ = 0.0;
};

/// Poisson counts of a given mean in (0, 1e15].
///
/// Means below 10: inversion, by comparing a word with the tail probabilities in units of 2⁻⁶⁴; one word a
/// draw. Others: rejection from detail::PoissonHat, two words a trial and 1.1 to 1.4 trials a draw.
class PoissonSampler {
 public:
  explicit PoissonSampler(double mean) : mean_(mean), hat_(mean) {
    TASFG_EXPECT(mean > 0.0 && mean <= 1e15);
    if (mean < kInversionBelow) set_up_inversion();
  }

  template <typename Stream>
  std::int64_t operator()(Stream& stream) const {
    if (mean_ < kInversionBelow) {
      const std::uint64_t word = stream.bits();
      std::int64_t count = 0;
      while (word < exceeds_[static_cast<std::size_t>(count)]) ++count;
      return count;
    }
    for (;;) {
      const double u = stream.uniform() - 0.5;
      const double v = detail::positive_uniform(stream);
      const double edge = 0.5 - (u < 0.0 ? -u : u);
      if (edge == 0.0) continue;
      const double x = hat_.position(u, edge);
      if (edge >= detail::PoissonHat::kSqueezeEdge && v <= hat_.squeeze) return static_cast<std::int64_t>(x);
      if (x < 0.0 || x >= 0x1p62 || (edge < detail::PoissonHat::kRejectEdge && v > edge)) continue;
      const auto count = static_cast<std::int64_t>(x);
      if (log(v * hat_.inverse_alpha / hat_.slope(edge)) <=
          detail::poisson_log_probability(static_cast<double>(count), mean_))
        return count;
    }
  }

 private:
  static constexpr double kInversionBelow = 10.0;
  /// P(X ≥ 64) < 2⁻⁶⁴ for every mean below 10, so that the table ends in zeros.
  static constexpr std::size_t kInversionSize = 64;

  void set_up_inversion() {
    // Summed from the far end, each tail probability is right to its own last bits.
    std::array<double, 2 * kInversionSize> mass{};
    mass[0] = exp(-mean_);
    for (std::size_t k = 1; k < mass.size(); ++k) mass[k] = mass[k - 1] * mean_ / static_cast<double>(k);
    double tail = 0.0;
    for (std::size_t k = mass.size(); k-- > 1;) {
      tail += mass[k];  // P(X ≥ k)
      if (k <= kInversionSize) exceeds_[k - 1] = static_cast<std::uint64_t>(tail * 0x1p64);
    }
    TASFG_ENSURE(exceeds_.back() == 0);
  }

  double mean_;
  detail::PoissonHat hat_;
  /// exceeds_[k] = ⌊2⁶⁴·P(X > k)⌋.
  std::array<std::uint64_t, kInversionSize> exceeds_{};
};

}  // namespace tasfg
