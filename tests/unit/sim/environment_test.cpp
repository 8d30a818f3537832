#include "sim/environment.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tasfg {
namespace {

/// How many of `walks` walks of m rewards leave the tube around the chord of their own sum.
template <typename Reward>
int walks_outside(const Reward& family, double mean, std::size_t m, double log_rare, int walks) {
  int outside = 0;
  std::vector<double> sums(m + 1, 0.0);
  for (int i = 0; i < walks; ++i) {
    RewardTrack<Reward> track(family, mean, stream_key(7, static_cast<std::uint64_t>(i), m, 0), 1'000'000);
    for (std::size_t j = 0; j < m; ++j) sums[j + 1] = sums[j] + track.next();
    const double tube = track.tube(static_cast<double>(m), sums[m], log_rare);
    double furthest = 0.0;
    for (std::size_t j = 0; j <= m; ++j)
      furthest =
          std::max(furthest, std::abs(sums[j] - sums[m] * static_cast<double>(j) / static_cast<double>(m)));
    outside += furthest > tube ? 1 : 0;
  }
  return outside;
}

/// The most that a count with this mean reaches but once in 10⁷ times (normal tail, and some).
double most_of(double mean) {
  return mean + 5.2 * std::sqrt(mean) + 5.0;
}

// Sixteen checks; one false alarm in 10⁵ runs of this test.
TEST(RewardTrack, WalksLeaveTheirTubesNoMoreOftenThanPromised) {
  constexpr int kWalks = 4000;
  for (const double log_rare : {2.0, 4.0}) {
    const double most = most_of(kWalks * std::exp(-log_rare));
    for (const std::size_t m : {std::size_t{40}, std::size_t{700}}) {
      EXPECT_LE(walks_outside(Gaussian{4.0}, 0.3, m, log_rare, kWalks), most) << "gaussian " << m;
      EXPECT_LE(walks_outside(Exponential{}, 1.7, m, log_rare, kWalks), most) << "exponential " << m;
      for (const double mean : {0.5, 0.03})
        EXPECT_LE(walks_outside(Bernoulli{}, mean, m, log_rare, kWalks), most)
            << "bernoulli " << mean << " " << m;
    }
  }
}

// A tube that nothing ever leaves would make no jump wrong, and few jumps: the Gaussian one is nearly tight.
TEST(RewardTrack, TheTubeOfGaussianWalksIsNotWiderThanItNeedsToBe) {
  constexpr int kWalks = 4000;
  const double promised = kWalks * std::exp(-2.0);
  EXPECT_GE(walks_outside(Gaussian{1.0}, 0.0, 700, 2.0, kWalks), 0.7 * promised);
}

}  // namespace
}  // namespace tasfg
