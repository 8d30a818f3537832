/// NumPy's legacy random stream (numpy.random.seed, RandomState), draw for draw and bit for bit.
///
/// The authors' published runs were drawn from it; replaying them to the exact step needs the same
/// words in the same order. Unlike everything else here this uses the C library's log and exp, on
/// purpose: NumPy does, so the oracle is the NumPy on the same machine, last bit included.
///
/// Generator: M. Matsumoto, T. Nishimura, Mersenne Twister, ACM TOMACS 8(1), 1998. Normals: the polar
/// method of Marsaglia and Bray, SIAM Review 6, 1964. Binomials: inversion by sequential search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tasfg {

/// What binomial(1, p) computes from p before it draws; made once per p, since it takes a log and an exp.
class NumpyBinomial1 {
 public:
  /// `p` in [0, 1].
  explicit NumpyBinomial1(double p);

 private:
  friend class NumpyStream;
  double zero_mass_;  // exp(log(1 − p)): not always 1 − p, and draws depend on it
  double one_mass_;   // of the value 1, from the recurrence
  bool mirrored_;     // p > 1/2 counts failures
};

class NumpyStream {
 public:
  /// As numpy.random.seed(seed): any integer of 32 bits.
  explicit NumpyStream(std::uint32_t seed);

  /// random_sample(): 53 bits from two words, on [0, 1).
  double uniform() {
    const std::uint32_t high = word() >> 5;
    const std::uint32_t low = word() >> 6;
    return (static_cast<double>(high) * 0x1p26 + static_cast<double>(low)) * 0x1p-53;
  }

  /// binomial(1, p). Takes one uniform, also for p = 0 and p = 1 (more only should rounding
  /// leave a gap above both masses; no p is known to).
  bool binomial1(const NumpyBinomial1& law);
  bool binomial1(double p) { return binomial1(NumpyBinomial1(p)); }

  /// standard_normal(). Makes values in pairs and keeps the second for the next call.
  double normal();
  /// normal(mean, deviation).
  double normal(double mean, double deviation) { return mean + deviation * normal(); }

  /// choice(K, p=probabilities): inverse cdf of one uniform. The probabilities are not empty, are ≥ 0 and
  /// have a positive sum; they are normalised by it, as NumPy does.
  int choice(std::span<const double> probabilities);

  /// numpy.log.
  [[nodiscard]] static double log(double x);

 private:
  static constexpr std::size_t kStateWords = 624;

  std::uint32_t word() {
    if (next_ == kStateWords) refill();
    return output_[next_++];
  }
  void refill();

  std::array<std::uint32_t, kStateWords> state_;
  std::array<std::uint32_t, kStateWords> output_;  // the state, tempered, a block at a time: this vectorises
  std::size_t next_ = kStateWords;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

}  // namespace tasfg
