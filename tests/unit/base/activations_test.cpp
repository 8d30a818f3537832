#include "tasfg/base/activations.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/findings.hpp"
#include <gtest/gtest.h>

#include "tasfg/base/splits.hpp"

namespace tasfg {
namespace {

constexpr std::int64_t kMost = 1'000'000'000'000'000;  // pulls

std::vector<double> some_probabilities(std::size_t edges, std::uint64_t key) {
  PhiloxStream stream(stream_key(77U, key));
  std::vector<double> p(edges);
  for (double& each : p) each = stream.uniform() < 0.15 ? 1.0 : stream.uniform();
  return p;
}

/// Whether each edge fires in the next pull.
std::vector<bool> pull(Activations& activations, std::size_t edges) {
  const std::uint64_t one = activations.stride() < 64 ? activations.next() : 0;
  const std::uint64_t* words = activations.stride() < 64 ? &one : activations.next_words();
  std::vector<bool> fires(edges);
  for (std::size_t e = 0; e < edges; ++e) fires[e] = (words[e / 64] >> (e % 64) & 1) != 0;
  return fires;
}

TEST(Activations, AreTheSamePullByPullAndAtOnce) {
  std::uint64_t key = 0;
  for (const std::size_t edges : {1, 2, 3, 7, 14, 32, 33, 100})
    for (int repeat = 0; repeat < 4; ++repeat, ++key) {
      const std::vector<double> p = some_probabilities(edges, key);
      // Whatever stood in the memory that they use.
      std::vector<std::byte> used(std::size_t{1} << 20, std::byte{0xA5});
      std::pmr::monotonic_buffer_resource memory(used.data(), used.size());
      Activations steps(StreamKey{key}, p, kMost), jumps(StreamKey{key}, p, kMost, &memory);
      PhiloxStream choices(stream_key(98U, key));
      std::vector<std::int64_t> fired(edges);
      std::int64_t n = 0;
      const auto step = [&] {
        const std::vector<bool> fires = pull(steps, edges);
        for (std::size_t e = 0; e < edges; ++e) fired[e] += fires[e] ? 1 : 0;
        ++n;
        return fires;
      };
      while (n < Activations::kBlock) ASSERT_EQ(step(), pull(jumps, edges)) << n;
      for (int round = 0; round < 60; ++round) {
        auto more = static_cast<std::int64_t>(1 + sample_below(choices, round % 5 == 0 ? 9000 : 300));
        if (round % 3 == 0)
          more += (Activations::kBlock - (n + more) % Activations::kBlock) % Activations::kBlock;
        for (std::int64_t i = 0; i < more; ++i) (void)step();
        jumps.look_at(n);
        for (std::size_t e = 0; e < edges; ++e) {
          ASSERT_EQ(jumps.fired_there(e), fired[e]) << "edge " << e << " of " << edges << ", pull " << n;
          ASSERT_EQ(steps.fired_here(e), fired[e]);
        }
        if (round % 2 == 0) continue;  // looks without moving must not matter
        jumps.move_there();
        ASSERT_EQ(jumps.count(), n);
        for (std::uint64_t i = sample_below(choices, 700); i > 0; --i) ASSERT_EQ(pull(jumps, edges), step());
        for (std::size_t e = 0; e < edges; ++e) ASSERT_EQ(jumps.fired_here(e), fired[e]);
      }
    }
}

TEST(Activations, WhatIsAtHandIsWhatThePullsShow) {
  std::uint64_t key = 0;
  for (const std::size_t edges : {1, 3, 14, 33})
    for (int repeat = 0; repeat < 4; ++repeat, ++key) {
      Activations activations(StreamKey{key}, some_probabilities(edges, key), kMost);
      PhiloxStream choices(stream_key(96U, key));
      for (std::int64_t i = 0; i < Activations::kBlock; ++i) (void)pull(activations, edges);
      for (int round = 0; round < 100; ++round) {
        if (round % 10 == 0) {
          activations.look_at(activations.count() +
                              static_cast<std::int64_t>(1 + sample_below(choices, 3000)));
          activations.move_there();
        }
        const std::int64_t known = activations.at_hand();
        ASSERT_TRUE(known >= 1 && known <= 64);
        const auto taken =
            static_cast<std::int64_t>(1 + sample_below(choices, static_cast<std::uint64_t>(known)));
        std::vector<std::uint64_t> fires(edges);
        for (std::size_t e = 0; e < edges; ++e) fires[e] = activations.fires_at_hand(e);
        for (std::int64_t i = 0; i < taken; ++i) {
          const std::vector<bool> shown = pull(activations, edges);
          for (std::size_t e = 0; e < edges; ++e)
            ASSERT_EQ((fires[e] >> i & 1) != 0, shown[e]) << e << ' ' << i;
        }
      }
    }
}

TEST(Activations, AWordOfPullsHoldsWhatSinglePullsShow) {
  const std::vector<double> p = some_probabilities(3, 5);
  Activations single(StreamKey{5}, p, kMost), several(StreamKey{5}, p, kMost);
  for (int round = 0; round < 2000; ++round) {
    const auto [fired, pulls] = several.ahead();
    ASSERT_GT(pulls, 0);
    const std::int64_t taken = 1 + round % pulls;
    for (std::int64_t i = 0; i < taken; ++i)
      ASSERT_EQ(single.next(), fired >> (static_cast<std::size_t>(i) * several.stride()) & 7U);
    several.skip(taken);
  }
}

TEST(Activations, EdgesFireIndependentlyWithTheirProbabilities) {
  const std::vector<double> p = {0.3, 0.7, 1.0 / 256.0, 1.0 / 3.0};
  constexpr int kPulls = 1'000'000;
  Activations activations(StreamKey{3}, p, kMost);
  std::vector<std::vector<bool>> fires;
  for (int i = 0; i < kPulls; ++i) fires.push_back(pull(activations, p.size()));
  Findings findings;
  for (std::size_t e = 0; e < p.size(); ++e) {
    const double variance = p[e] * (1.0 - p[e]);
    double sum = 0.0, serial = 0.0, joint = 0.0;
    for (std::size_t i = 0; i < fires.size(); ++i) {
      const double x = (fires[i][e] ? 1.0 : 0.0) - p[e];
      sum += x;
      if (i > 0) serial += x * ((fires[i - 1][e] ? 1.0 : 0.0) - p[e]);
      if (e > 0) joint += x * ((fires[i][0] ? 1.0 : 0.0) - p[0]);
    }
    findings.mean("share", sum, kPulls, 0.0, variance);
    findings.mean("serial", serial, kPulls, 0.0, variance * variance);
    if (e > 0) findings.mean("joint", joint, kPulls, 0.0, variance * p[0] * (1.0 - p[0]));
    // Counts of blocks, and of what lies across them.
    for (const std::size_t span : {64, 512, 700, 5000}) {
      double squares = 0.0, parts = 0.0;
      for (std::size_t first = 0; first + span <= fires.size(); first += span, ++parts) {
        double count = 0.0;
        for (std::size_t i = 0; i < span; ++i) count += fires[first + i][e] ? 1.0 : 0.0;
        const double z =
            (count - static_cast<double>(span) * p[e]) / std::sqrt(static_cast<double>(span) * variance);
        squares += z * z;
      }
      const double kurtosis = 3.0 + (1.0 - 6.0 * variance) / (static_cast<double>(span) * variance);
      findings.mean("spread over " + std::to_string(span), squares, parts, 1.0, kurtosis - 1.0);
    }
  }
  EXPECT_EQ(findings.text(), "");
}

TEST(Activations, CountsFarOutFollowTheBinomialLaw) {
  const std::vector<double> p = {0.3, 0.999};
  const std::vector<std::int64_t> at = {2048, 1'000'448, std::int64_t{1} << 40, 1'000'000'000'000'000};
  std::vector<std::vector<double>> increments(at.size());
  for (std::uint64_t key = 0; key < 3000; ++key) {
    Activations activations(stream_key(4U, key), p, kMost);
    for (std::int64_t i = 0; i < Activations::kBlock; ++i) (void)activations.next();
    double before = static_cast<double>(activations.fired_here(0)), from = Activations::kBlock;
    for (std::size_t i = 0; i < at.size(); ++i) {
      activations.look_at(at[i]);
      const auto here = static_cast<double>(activations.fired_there(0));
      const double n = static_cast<double>(at[i]) - from;
      increments[i].push_back((here - before - 0.3 * n) / std::sqrt(0.21 * n));
      before = here;
      from = static_cast<double>(at[i]);
    }
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    Findings findings;
    const auto n = static_cast<double>(increments[i].size());
    findings.mean("mean", power_sum(increments[i], 1), n, 0.0, 1.0);
    findings.mean("variance", power_sum(increments[i], 2), n, 1.0, 2.0);
    if (i > 0) {
      findings.kolmogorov(increments[i], &normal_cdf);
      double product = 0.0;
      for (std::size_t k = 0; k < increments[i].size(); ++k)
        product += increments[i - 1][k] * increments[i][k];
      findings.mean("correlation", product, n, 0.0, 1.0);
    }
    EXPECT_EQ(findings.text(), "") << "up to " << at[i];
  }
}

}  // namespace
}  // namespace tasfg
